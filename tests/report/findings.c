/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verdicts on published findings, from claims made by hand: every kind, what is printed, and the Markdown. */
#include "harness/report/findings.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/report/report_text.h"
#include "tests/cmocka_all.h"
#include "tests/lists.h"
#include "tests/report/world.h"

static const char csv[] = "# comment\n"
                          "id,source,scene,setting,finding,kind,needs,not_comparable,page\n"
                          "made-up,a paper,rope,ten | nine,it stands,exact,,,made.md\n"
                          "fails,a paper,rope,,it falls,shape,,\n"
                          "disputed,a paper,rope,,it turns,shape,,\n"
                          "against,a paper,rope,,it sinks,shape,,\n"
                          "fast,a paper,rope,,2 ms,time,,\n"
                          "unheard,a paper,rope,,it sings,exact,,\n"
                          "later,a paper,rope,,it waits,shape,minimizer=not_yet,\n"
                          "apart,a paper,rope,,it differs,exact,,the paper measures noise\n"
                          "untimed,a paper,rope,,3 ms,time,,\n";
enum { HOLDS, FAILS, DISPUTED, AGAINST, FAST, UNHEARD, LATER, APART, UNTIMED, FINDINGS };

/* Claims of the sweeps in their folders, with the verdicts given to them. */
static const struct {
  const char     *folder, *claim, *finding;
  sb_claim_kind   of;
  sb_verdict_kind kind;
  const char     *told;
  double          margin;
} rows[] = {{"one", "ten hold", "made-up", SB_CLAIM_EXACT, SB_REPRODUCED, "status = ok", 0},
            {"one", "it falls", "fails", SB_CLAIM_SHAPE, SB_NOT_REPRODUCED, "height = 3", 0},
            {"one", "it turns left", "disputed", SB_CLAIM_SHAPE, SB_REPRODUCED, "turn = 1", 0},
            {"one", "it turns right", "disputed", SB_CLAIM_SHAPE, SB_CONTRADICTED, "turn = 1; why", 0},
            {"one", "it sinks", "against", SB_CLAIM_SHAPE, SB_CONTRADICTED, "depth = 0; why", 0},
            {"one", "it floats", "against", SB_CLAIM_SHAPE, SB_NOT_TESTED, "2 are not here", 0},
            {"one", "below 2 ms", "fast", SB_CLAIM_TIME, SB_REPRODUCED, "t = 0.5", 4},
            {"one", "below 4 ms", "fast", SB_CLAIM_TIME, SB_REPRODUCED, "t = 0.5", 8},
            {"one", "its motion", "untimed", SB_CLAIM_SHAPE, SB_REPRODUCED, "x = 1", 0},
            {"one", "its time", "untimed", SB_CLAIM_TIME, SB_NOT_TESTED, "times are not judged", 0},
            {"one", "our own", NULL, SB_CLAIM_SHAPE, SB_NOT_REPRODUCED, "own = 1", 0},
            {"one-quick", "left out", "made-up", SB_CLAIM_EXACT, SB_NOT_REPRODUCED, "of a part", 0},
            {"two-quick", "all of them hold", "made-up", SB_CLAIM_EXACT, SB_NOT_TESTED, "needs the whole sweep", 0}};

static sb_table_spec table = {.id = (char *)"t"};

/* So many cases with a result, and some that ended without one. */
static void put_rows(sb_results *results, sb_arena *arena, size_t count)
{
  enum { LOST = 2 };
  sb_rows     *made = sb_rows_create(arena);
  const size_t status = sb_rows_add_column(made, "status", "", false, false);
  for (size_t i = 0; i < count; ++i) sb_rows_set(made, sb_rows_add_row(made), status, word("ok"));
  for (size_t i = 0; i < LOST && results->quick; ++i) sb_rows_set(made, sb_rows_add_row(made), status, word("timeout"));
  results->rows = made;
  memset(results->kept->wholes, 0, sizeof results->kept->wholes);
}

/* The file of a sweep that comes with springbench, as which the folders' sweeps are stored. */
#define SHIPPED "springbench: 1\nname: %s\ndriver: blowup\n"

/* A folder's results: its claims and their verdicts. */
static sb_results_folder folder_of(sb_arena *arena, const char *name, const char *sweep_name)
{
  enum { ROWS = sizeof rows / sizeof *rows };
  sb_results *results = sb_arena_take(arena, 1, sizeof *results);
  sb_sweep   *sweep = sb_arena_take(arena, 1, sizeof *sweep);
  sb_verdict *verdicts = sb_arena_take(arena, ROWS, sizeof *verdicts);
  *sweep = (sb_sweep){.name = sb_arena_copy(arena, sweep_name),
                      .text = sb_arena_format(arena, SHIPPED, sweep_name),
                      .claims = sb_arena_take(arena, ROWS, sizeof(sb_claim))};
  if (strcmp(name, "one") == 0) sweep->tables = &table, sweep->table_count = 1;
  for (size_t i = 0; i < ROWS; ++i) {
    if (strcmp(rows[i].folder, name) != 0) continue;
    verdicts[sweep->claim_count] = (sb_verdict){.kind = rows[i].kind, .told = rows[i].told, .margin = rows[i].margin};
    sweep->claims[sweep->claim_count++] = (sb_claim){.claim = sb_arena_copy(arena, rows[i].claim),
                                                     .finding = sb_arena_copy(arena, rows[i].finding),
                                                     .kind = rows[i].of};
  }
  *results = (sb_results){.session = {.arena = arena},
                          .sweep = sweep,
                          .kept = sb_arena_take(arena, 1, sizeof *results->kept),
                          .quick = strstr(name, "-quick") != NULL};
  results->kept->verdicts = verdicts;
  put_rows(results, arena, results->quick ? 1 : 2);
  return (sb_results_folder){.name = name, .results = results};
}

static const sb_vocabulary vocabulary = TEST_VOCABULARY(TEST_LIST("minimizers", TEST_ENTRY("newton")));

/* The findings of the table above, in the world's directory. That has the sweeps of the folders as those that come with
 * springbench, and more only if a test puts them there. One directory cannot be read; its sweep may be known to answer
 * `lost`. */
static const sb_findings *judged_with(world *w, const char *lost)
{
  sb_arena *arena = w->results.session.arena;
  sb_claim *claim = sb_arena_take(arena, 1, sizeof *claim);
  sb_sweep *sweep = sb_arena_take(arena, 1, sizeof *sweep);
  *claim = (sb_claim){.finding = sb_arena_copy(arena, lost)};
  *sweep = (sb_sweep){.name = (char *)"gone", .claims = claim, .claim_count = 1};
  const sb_results_folder each[] = {{.name = "broken", .problem = "no journal", .sweep = lost ? sweep : NULL},
                                    folder_of(arena, "one", "one"),
                                    folder_of(arena, "one-quick", "one"),
                                    folder_of(arena, "two-quick", "two")};
  sb_results_folders     *folders = sb_arena_take(arena, 1, sizeof *folders);
  *folders = (sb_results_folders){
      .parent = w->directory, .count = 4, .unreadable = 1, .each = sb_arena_take(arena, 4, sizeof *each)};
  memcpy(folders->each, each, sizeof each);
  mkdir(world_path(w, "experiments"), 0777);
  for (int i = 0; i < 2; ++i) {
    const char *name = i == 0 ? "one" : "two";
    const char *path = world_path(w, sb_arena_format(arena, "experiments/%s.yaml", name));
    assert_true(sb_report_write(path, sb_arena_format(arena, SHIPPED, name)));
  }
  w->results.session.vocabulary = &vocabulary;
  assert_int_equal(setenv("SPRINGBENCH_DATA", w->directory, 1), 0);
  assert_true(sb_report_write(world_path(w, "findings.csv"), csv));
  const sb_findings *findings = sb_findings_judge(&w->results.session, folders, w->directory);
  assert_non_null(findings);
  return findings;
}

static const sb_findings *judged(world *w) { return judged_with(w, "made-up"); }

static void each_verdict(void)
{
  static const sb_verdict_kind expected[FINDINGS] = {
      [HOLDS] = SB_REPRODUCED_IN_PART, [FAILS] = SB_NOT_REPRODUCED, [DISPUTED] = SB_CONTRADICTED_IN_PART,
      [AGAINST] = SB_CONTRADICTED,     [FAST] = SB_REPRODUCED,      [UNHEARD] = SB_NOT_TESTED,
      [LATER] = SB_NOT_TESTED,         [APART] = SB_NOT_COMPARABLE, [UNTIMED] = SB_NOT_TESTED};
  static const char *const reasons[FINDINGS] = {[HOLDS] = "1 of 2 claims; the other not tested; cannot be read: broken",
                                                [AGAINST] = "by 1 of 2 claims, 1 not tested",
                                                [UNHEARD] = "no sweep with a claim on it has run",
                                                [LATER] = "no such method yet (minimizer=not_yet)",
                                                [APART] = "the paper measures noise",
                                                [UNTIMED] = "times are not judged"};
  world                   *w = world_create("");
  const sb_findings       *findings = judged(w);
  assert_int_equal(findings->count, FINDINGS);
  assert_int_equal(findings->answered, 6);
  assert_int_equal(sb_findings_failures(findings, true), 2);
  for (size_t i = 0; i < FINDINGS; ++i) {
    assert_int_equal(findings->each[i].verdict, expected[i]);
    assert_string_equal(findings->each[i].why ? findings->each[i].why : "", reasons[i] ? reasons[i] : "");
  }
  world_destroy(&w);
}

static void lines_and_counts(void)
{
  world          *w = world_create("");
  sb_arena_writer text;
  sb_findings_print(judged(w), sb_arena_write(&text, w->results.session.arena));
  ASSERT_HAS(sb_arena_text(&text),
             "reproduced in part  made-up    1 of 2 claims  ten hold (one, two-quick); cannot be read",
             "\nNOT REPRODUCED        fails      1 claim        height = 3 (one)\n",
             "\ncontradicted in part  disputed   2 claims       it is not true here that it turns right (one)\n",
             "\ncontradicted          against    1 of 2 claims  by 1 of 2 claims, 1 not tested: it is not true",
             "\nreproduced  fast       2 claims       4 times as fast as published (one)\n",
             "\nNOT REPRODUCED  our own [shape]: own = 1 (one)\n1 further claims of our own; 1 of them",
             "/broken cannot be read, so its answers are unknown: no journal\n",
             "\nexact           0                   1               0 ",
             "\ntime            1                   0               0 ");
  world_destroy(&w);
}

static void the_page_has_a_line_a_finding(void)
{
  world      *w = world_create("");
  size_t      lines = 0;
  const char *text = sb_findings_page(judged(w));
  for (const char *at = text; (at = strstr(at, "\n| **")); ++at) ++lines;
  assert_int_equal(lines, FINDINGS);
  ASSERT_HAS(
      text, "| kind | reproduced | reproduced in part | NOT REPRODUCED | contradicted | ",
      "\n| exact | 0 | 1 | 0 | 0 | 0 | 1 | 1 |\n",
      "| **◐ reproduced in part** | <a id=\"finding-made-up\"></a>`made-up` ten \\| nine: it stands (a paper; exact) | "
      "1 of 2 claims; the other not tested; cannot be read: broken<br>*reproduced*: ten hold — status = ok<br>"
      "*not tested*: all of them hold — needs the whole sweep<br>[one](one/report.md): "
      "[t](one/report.md#table-t). [two](two-quick/report.md) (quick). docs/findings/made.md |",
      "\n**✗ `broken` cannot be read, so its answers are unknown:** no journal\n",
      "below 2 ms (4 times as fast as published) — t = 0.5", "\nResults marked quick",
      "<summary>made: 1 reproduced in part");
  sb_arena_writer list;
  sb_findings_put_contradictions(judged(w), sb_arena_write(&list, w->results.session.arena));
  ASSERT_HAS(sb_arena_text(&list), "- **≠ contradicted in part** ",
             "it sinks (a paper). [Evidence](REPRODUCED.md#finding-against)");
  world_destroy(&w);
}

/* Other sweeps may answer a finding: those that come with springbench and have no results here, and those of
 * directories that cannot be read. They do not change the verdict if a claim fails. */
static void a_part_of_the_sweeps_reproduces_in_part(void)
{
  static const char        shipped[] = SHIPPED "expect:\n"
                                               "  - {claim: a, finding: fast, test: 1 == 1}\n"
                                               "  - {claim: b, finding: fast, test: 1 == 1}\n"
                                               "  - {claim: c, finding: fails, test: 1 == 1}\n"
                                               "  - {claim: d, finding: unheard, test: 1 == 1}\n";
  static const char *const names[] = {"third", "fourth"};
  world                   *w = world_create("");
  sb_finding              *each = (sb_finding *)judged_with(w, NULL)->each;
  assert_int_equal(each[FAST].verdict, SB_REPRODUCED_IN_PART);
  assert_string_equal(each[FAST].why, "cannot be read: broken");
  assert_int_equal(each[FAILS].verdict, SB_NOT_REPRODUCED);
  assert_string_equal(each[UNHEARD].why, "no sweep with a claim on it has run");
  for (size_t i = 0; i < 2; ++i) {
    sb_arena   *arena = w->results.session.arena;
    const char *path = world_path(w, sb_arena_format(arena, "experiments/%zu.yaml", i));
    assert_true(sb_report_write(path, sb_arena_format(arena, shipped, names[i])));
  }
  each = (sb_finding *)judged(w)->each;
  assert_int_equal(each[FAST].verdict, SB_REPRODUCED_IN_PART);
  assert_string_equal(each[FAST].why, "not run here: third, fourth");
  assert_int_equal(each[FAILS].verdict, SB_NOT_REPRODUCED);
  assert_string_equal(each[UNHEARD].why, "not run here: third, fourth");
  assert_int_equal(each[DISPUTED].verdict, SB_CONTRADICTED_IN_PART);
  each = (sb_finding *)judged_with(w, "fast")->each;
  assert_string_equal(each[FAST].why, "not run here: third, fourth; cannot be read: broken");
  world_destroy(&w);
}

/* "made-up" holds in the whole sweep and is refuted by its quick part; "left out" is what the part says. A part counts
 * unless another directory has more results of the sweep, and where both have as many, what refutes wins. */
static void the_directory_with_more_results_counts(void)
{
  static const struct {
    size_t          whole, quick;
    sb_verdict_kind verdict;
  } trials[] = {{2, 1, SB_REPRODUCED_IN_PART},
                {1, 2, SB_NOT_REPRODUCED},
                {0, 1, SB_NOT_REPRODUCED},
                {2, 2, SB_NOT_REPRODUCED},
                {0, 0, SB_NOT_REPRODUCED}};
  world *w = world_create("");
  for (size_t i = 0; i < sizeof trials / sizeof *trials; ++i) {
    const sb_results_folders *folders = judged_with(w, "made-up")->folders;
    put_rows(folders->each[1].results, w->results.session.arena, trials[i].whole);
    put_rows(folders->each[2].results, w->results.session.arena, trials[i].quick);
    const sb_findings *findings = sb_findings_judge(&w->results.session, folders, w->directory);
    assert_int_equal(findings->each[HOLDS].verdict, trials[i].verdict);
    assert_int_equal(findings->each[FAILS].verdict, SB_NOT_REPRODUCED); /* only the whole one says so */
  }
  world_destroy(&w);
}

TEST_MAIN(the_directory_with_more_results_counts, each_verdict, lines_and_counts, the_page_has_a_line_a_finding,
          a_part_of_the_sweeps_reproduces_in_part)
