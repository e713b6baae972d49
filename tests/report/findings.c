/* Verdicts on published findings, from claims made by hand: every kind, what is printed, and the Markdown. */
#include "harness/report/findings.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/allocate.h"
#include "tests/cmocka_all.h"
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

#define CLAIM(text, name, of)                                                                                          \
  {                                                                                                                    \
    .claim = (char *)(text), .finding = (char *)(name), .kind = (of)                                                   \
  }
static sb_claim one_claims[] = {
    CLAIM("ten hold", "made-up", SB_CLAIM_EXACT),       CLAIM("it falls", "fails", SB_CLAIM_SHAPE),
    CLAIM("it turns left", "disputed", SB_CLAIM_SHAPE), CLAIM("it turns right", "disputed", SB_CLAIM_SHAPE),
    CLAIM("it sinks", "against", SB_CLAIM_SHAPE),       CLAIM("below 2 ms", "fast", SB_CLAIM_TIME),
    CLAIM("below 4 ms", "fast", SB_CLAIM_TIME),         CLAIM("its motion", "untimed", SB_CLAIM_SHAPE),
    CLAIM("its time", "untimed", SB_CLAIM_TIME),        CLAIM("our own", NULL, SB_CLAIM_SHAPE)};
static sb_claim two_claims[] = {CLAIM("all of them hold", "made-up", SB_CLAIM_EXACT)};
static sb_claim part_claims[] = {CLAIM("left out", "made-up", SB_CLAIM_EXACT)};

static sb_verdict one_verdicts[] = {{.kind = SB_REPRODUCED, .told = "status = ok"},
                                    {.kind = SB_NOT_REPRODUCED, .told = "height = 3"},
                                    {.kind = SB_REPRODUCED, .told = "turn = 1"},
                                    {.kind = SB_CONTRADICTED, .told = "turn = 1; why"},
                                    {.kind = SB_CONTRADICTED, .told = "depth = 0; why"},
                                    {.kind = SB_REPRODUCED, .told = "t = 0.5", .margin = 4},
                                    {.kind = SB_REPRODUCED, .told = "t = 0.5", .margin = 8},
                                    {.kind = SB_REPRODUCED, .told = "x = 1"},
                                    {.kind = SB_NOT_TESTED, .told = "times are not judged"},
                                    {.kind = SB_NOT_REPRODUCED, .told = "own = 1"}};
static sb_verdict two_verdicts[] = {{.kind = SB_NOT_TESTED, .told = "needs the whole sweep"}};
static sb_verdict part_verdicts[] = {{.kind = SB_NOT_REPRODUCED, .told = "of a part"}};

static sb_table_spec table = {.id = (char *)"t"};
static sb_sweep      one_sweep = {
         .name = (char *)"one", .claims = one_claims, .claim_count = 10, .tables = &table, .table_count = 1};
static sb_sweep          two_sweep = {.name = (char *)"two", .claims = two_claims, .claim_count = 1};
static sb_sweep          part_sweep = {.name = (char *)"one", .claims = part_claims, .claim_count = 1};
static sb_results_kept   one_kept = {.verdicts = one_verdicts};
static sb_results        one = {.sweep = &one_sweep, .kept = &one_kept};
static sb_results_kept   two_kept = {.verdicts = two_verdicts};
static sb_results        two = {.sweep = &two_sweep, .kept = &two_kept, .quick = true};
static sb_results_kept   part_kept = {.verdicts = part_verdicts};
static sb_results        part = {.sweep = &part_sweep, .kept = &part_kept, .quick = true};
static sb_results_folder each[] = {
    {"broken", NULL, "no journal"}, {"one", &one, NULL}, {"one-quick", &part, NULL}, {"two-quick", &two, NULL}};

typedef struct {
  char               directory[64];
  sb_session         session;
  sb_results_folders folders;
  const sb_findings *findings;
} fixture;

static void write_file(const char *directory, const char *name, const char *text)
{
  char *path = sb_format("%s/%s", directory, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
  free(path);
}

static int make(void **state)
{
  static const char *const   names[] = {"newton"};
  static const sb_family     family = {.family = "minimizers", .names = names, .count = 1};
  static const sb_vocabulary vocabulary = {&family, 1};
  fixture                   *f = sb_allocate(1, sizeof *f);
  *state = f;
  strcpy(f->directory, "/tmp/sb_findings_XXXXXX");
  if (!mkdtemp(f->directory)) return -1;
  write_file(f->directory, "findings.csv", csv);
  char     *command = sb_format("mkdir -p '%s/one/tables' && touch '%s/one/tables/t.md'", f->directory, f->directory);
  const int made = system(command);
  free(command);
  f->session = (sb_session){sb_arena_create(), &vocabulary, NULL, sb_diagnostics_create()};
  f->folders = (sb_results_folders){f->directory, sizeof each / sizeof *each, each};
  f->findings = sb_findings_judge(&f->session, &f->folders, f->directory);
  return made != 0 || !f->findings;
}

static int drop(void **state)
{
  fixture  *f = *state;
  char     *command = sb_format("rm -r '%s'", f->directory);
  const int status = system(command);
  sb_diagnostics_destroy(&f->session.diagnostics);
  sb_arena_destroy(&f->session.arena);
  free(command);
  free(f);
  return status;
}

static void each_verdict(void **state)
{
  static const sb_verdict_kind expected[FINDINGS] = {
      [HOLDS] = SB_REPRODUCED_IN_PART, [FAILS] = SB_NOT_REPRODUCED, [DISPUTED] = SB_CONTRADICTED_IN_PART,
      [AGAINST] = SB_CONTRADICTED,     [FAST] = SB_REPRODUCED,      [UNHEARD] = SB_NOT_TESTED,
      [LATER] = SB_NOT_TESTED,         [APART] = SB_NOT_COMPARABLE, [UNTIMED] = SB_NOT_TESTED};
  static const char *const reasons[FINDINGS] = {[HOLDS] = "1 of 2 claims; the other not tested",
                                                [UNHEARD] = "no sweep that claims it has run",
                                                [LATER] = "no such method yet (minimizer=not_yet)",
                                                [APART] = "the paper measures noise",
                                                [UNTIMED] = "times are not judged"};
  const fixture           *f = *state;
  assert_int_equal(f->findings->count, FINDINGS);
  assert_int_equal(f->findings->answered, 6);
  for (size_t i = 0; i < FINDINGS; ++i) {
    assert_int_equal(f->findings->each[i].verdict, expected[i]);
    if (reasons[i])
      assert_string_equal(f->findings->each[i].why, reasons[i]);
    else
      assert_null(f->findings->each[i].why);
  }
}

static void write_lines(FILE *stream, void *context) { sb_findings_print(context, stream); }

static void lines_and_counts(void **state)
{
  const fixture *f = *state;
  sb_findings    findings = *f->findings;
  char          *text = written(write_lines, &findings);
  assert_non_null(strstr(text, "reproduced in part  made-up    1 of 2 claims  ten hold (one, two-quick)\n"));
  assert_non_null(strstr(text, "\nNOT REPRODUCED        fails      1 claim   height = 3 (one)\n"));
  assert_non_null(
      strstr(text, "\ncontradicted in part  disputed   2 claims  it does not hold here that it turns right (one)\n"));
  assert_non_null(strstr(text, "\nreproduced  fast       2 claims       4 times as fast as published (one)\n"));
  assert_non_null(
      strstr(text, "\nNOT REPRODUCED  our own [shape]: own = 1 (one)\n1 further claims of our own, 1 of them"));
  assert_non_null(strstr(text, "\nbroken cannot be read: no journal\n"));
  assert_non_null(strstr(text, "\nexact           0                   1               0 "));
  assert_non_null(strstr(text, "\ntime            1                   0               0 "));
  assert_int_equal(sb_findings_failures(f->findings, true), 2);
  free(text);
}

static void the_page_has_a_line_a_finding(void **state)
{
  const fixture *f = *state;
  size_t         lines = 0;
  const char    *text = sb_findings_page(f->findings);
  for (const char *at = text; (at = strstr(at, "\n| **")); ++at) ++lines;
  assert_int_equal(lines, FINDINGS);
  assert_non_null(strstr(text, "| kind | reproduced | reproduced in part | NOT REPRODUCED | contradicted | "));
  assert_non_null(strstr(text, "\n| exact | 0 | 1 | 0 | 0 | 0 | 1 | 1 |\n"));
  assert_non_null(
      strstr(text, "| **◐ reproduced in part** | `made-up` ten \\| nine: it stands (a paper) | [one](one/report.md): "
                   "[t](one/report.md#table-t). [two](two-quick/report.md) (quick). docs/findings/made.md | "
                   "1 of 2 claims; the other not tested<br>*reproduced*: ten hold — status = ok<br>"
                   "*not tested*: all of them hold — needs the whole sweep |"));
  assert_non_null(strstr(text, "below 2 ms (4 times as fast as published) — t = 0.5"));
  assert_non_null(strstr(text, "\nWhat is marked quick"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(each_verdict, make, drop),
      cmocka_unit_test_setup_teardown(lines_and_counts, make, drop),
      cmocka_unit_test_setup_teardown(the_page_has_a_line_a_finding, make, drop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
