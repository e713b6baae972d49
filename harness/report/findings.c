/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings and claims combined, and printed in tables, for a terminal and for a page; see findings.h. */
#include "harness/report/findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cases/common/csv.h"
#include "cases/common/durable.h"
#include "harness/report/report_text.h"
#include "harness/report/table.h"
#include "harness/results/full_rows.h"
#include "harness/sweep/request.h"

/* ---- the claims that count ---- */

/* Results that claims are judged on, and how many cases of their request have one. */
typedef struct {
  const sb_results *results; /* NULL: none */
  size_t            count;
} source;

static source source_of(const sb_results *results)
{
  const sb_full_rows *whole = results ? sb_full_rows_of(results, (sb_full_rows_request){0}) : NULL;
  source              s = {.results = results};
  for (size_t i = 0; whole && i < sb_rows_count(whole->rows); ++i) s.count += whole->cases[i].kind == SB_IS_HERE;
  return s;
}

/* The results of a directory as those of the shipped sweep of its name, whose cases are found by their keys; NULL if no
 * such sweep is shipped. */
static const sb_results *as_shipped(const sb_results *results, const sb_findings *findings)
{
  const sb_sweep *found = NULL;
  for (size_t i = 0; i < findings->shipped_count && !found; ++i)
    if (strcmp(findings->shipped[i]->name, results->sweep->name) == 0) found = findings->shipped[i];
  if (!found) return NULL;
  SB_OWNED char *request = sb_request_text(results->sweep);
  if (!request && strcmp(found->text, results->sweep->text) == 0) return results;
  SB_ENDED_BY(sb_diagnostics_destroy) sb_diagnostics *unread = sb_diagnostics_create();
  sb_session                                          own = results->session; /* with its plug-ins */
  own.diagnostics = unread;
  const sb_sweep *sweep = sb_sweep_read(found->path, &own);
  return sweep ? sb_results_as(results, sweep) : NULL;
}

/* Tells whether a directory has more results of its request than another one; `even`: or as many and is not quick. */
static bool has_more(const source *a, const source *b, bool even, sb_arena *arena)
{
  if (a == b || !a->results || !b->results) return false;
  const sb_sweep *one = a->results->sweep, *other = b->results->sweep;
  if (strcmp(one->name, other->name) != 0) return false;
  if (strcmp(sb_request_options(one, arena), sb_request_options(other, arena)) != 0) return false;
  return a->count > b->count || (even && a->count == b->count && b->results->quick && !a->results->quick);
}

static bool has_claim(const sb_sweep *sweep, const char *claim)
{
  bool found = false;
  for (size_t i = 0; i < sweep->claim_count && !found; ++i) found = strcmp(sweep->claims[i].claim, claim) == 0;
  return found;
}

/* Adds the claims of one kind that count. A quick part counts if no other directory has more results of its request. A
 * claim that is not tested does not count beside the same claim of a directory with more of them. `answers`: claims
 * that answer a finding, judged as shipped; else all others. */
static void add_claims(sb_findings *findings, const source *sources, const source *shipped, bool answers)
{
  const sb_results_folders *folders = findings->folders;
  const source             *from = answers ? shipped : sources;
  for (size_t f = 0; f < folders->count; ++f) {
    const sb_results *part = from[f].results;
    bool              used = part != NULL;
    for (size_t k = 0; k < folders->count && used && part->quick; ++k)
      used = !has_more(&from[k], &from[f], false, findings->arena);
    if (!used) continue;
    findings->quick = findings->quick || part->quick;
    for (size_t i = 0; i < part->sweep->claim_count; ++i) {
      const sb_claim   *claim = &part->sweep->claims[i];
      const sb_verdict *verdict = &sb_results_verdicts(part)[i];
      bool              adds = answers ? claim->finding != NULL : !claim->finding || shipped[f].results != part;
      for (size_t k = 0; k < folders->count && adds && verdict->kind == SB_NOT_TESTED; ++k)
        adds = !has_more(&from[k], &from[f], true, findings->arena) || !has_claim(from[k].results->sweep, claim->claim);
      if (adds)
        *SB_NEW_ITEM(findings->arena, findings->claims, findings->all_count) =
            (sb_answer){&folders->each[f], claim, answers ? claim->finding : NULL, verdict};
    }
  }
}

static void collect(sb_findings *findings)
{
  const sb_results_folders *folders = findings->folders;
  source                   *own = sb_arena_take(findings->arena, folders->count, sizeof *own);
  source                   *shipped = sb_arena_take(findings->arena, folders->count, sizeof *shipped);
  for (size_t f = 0; f < folders->count; ++f) {
    const sb_results *results = folders->each[f].results;
    own[f] = source_of(results);
    shipped[f] = source_of(results ? as_shipped(results, findings) : NULL);
  }
  add_claims(findings, own, shipped, true);
  add_claims(findings, own, shipped, false);
}

/* ---- sweeps that should be heard ---- */

/* The sweeps that come with springbench. They are not expected without directories. */
static void read_shipped(sb_findings *findings, const sb_vocabulary *vocabulary)
{
  sb_session       own = {findings->arena, vocabulary, sb_diagnostics_create(), false};
  size_t           count = 0;
  const char     **paths = findings->folders->count > 0 ? sb_sweeps_shipped(findings->arena, &count) : NULL;
  const sb_sweep **shipped = sb_arena_take(findings->arena, count, sizeof *shipped);
  for (size_t i = 0; i < count; ++i) {
    shipped[findings->shipped_count] = sb_sweep_read(paths[i], &own);
    findings->shipped_count += shipped[findings->shipped_count] != NULL;
    sb_diagnostics_flush(own.diagnostics, stderr);
  }
  findings->shipped = shipped;
  sb_diagnostics_destroy(&own.diagnostics);
}

static bool answers(const sb_sweep *sweep, const sb_finding *finding)
{
  bool found = false;
  for (size_t i = 0; i < sweep->claim_count && !found; ++i)
    found = sweep->claims[i].finding && strcmp(sweep->claims[i].finding, finding->id) == 0;
  return found;
}

/* "not run here: pin_methods, strands; cannot be read: cloth", or without the second part; "" for nothing. A directory
 * that cannot be read may answer the findings that its sweep file names; without a sweep file, any finding. */
static const char *tell_missing(const sb_findings *findings, const sb_finding *finding, bool unread)
{
  sb_arena *arena = findings->arena;
  sb_names  heard = {0}, not_run = {0}, not_read = {0};
  for (size_t i = 0; i < finding->count; ++i)
    sb_names_add(arena, &heard, finding->answers[i].folder->results->sweep->name);
  for (size_t f = 0; f < findings->folders->count; ++f) {
    const sb_results_folder *folder = &findings->folders->each[f];
    if (!folder->problem) continue;
    if (folder->sweep) sb_names_add(arena, &heard, folder->sweep->name);
    if (unread && (!folder->sweep || answers(folder->sweep, finding))) sb_names_add(arena, &not_read, folder->name);
  }
  for (size_t i = 0; i < findings->shipped_count; ++i)
    if (answers(findings->shipped[i], finding) && sb_names_find(&heard, findings->shipped[i]->name) == (size_t)-1)
      sb_names_add(arena, &not_run, findings->shipped[i]->name);
  return sb_markdown_format(
      arena, "{not run here: %-s}%-s{cannot be read: %-s}", sb_names_join(arena, &not_run, ", ", not_run.count),
      not_run.count > 0 && not_read.count > 0 ? "; " : "", sb_names_join(arena, &not_read, ", ", not_read.count));
}

/* ---- verdicts ---- */

/* The first of the options "key=value …" that a finding needs and that cannot be had; NULL: there are all. */
static const char *missing_method(const sb_session *session, const char *needs)
{
  SB_ENDED_BY(sb_options_destroy) sb_options *options = sb_options_create(session->vocabulary);
  const char                                 *why = NULL;
  for (char *word, *rest = sb_arena_copy(session->arena, needs); !why && (word = strsep(&rest, " "));)
    if (*word && !sb_options_set_pair(options, word, SB_FROM_USER, (sb_location){0}, NULL))
      why = sb_arena_format(session->arena, "no such method yet (%s)", word);
  return why;
}

/* Judges a finding. One of kind time is decided by claims on times alone; where nothing decides, the reason is the
 * method that it lacks, or that of the first claim that could have decided it. */
static void judge(const sb_session *session, const sb_findings *findings, sb_finding *finding, const char *needs,
                  const char *not_comparable)
{
  size_t            of[SB_VERDICT_KINDS] = {0}, decided = 0;
  const sb_verdict *untested = NULL; /* one that does not even hold so far, if there is one */
  for (size_t i = 0; i < finding->count; ++i) {
    const sb_answer *answer = &finding->answers[i];
    const bool       decides = finding->kind != SB_CLAIM_TIME || answer->claim->kind == SB_CLAIM_TIME;
    of[answer->verdict->kind]++;
    decided += answer->verdict->kind == SB_REPRODUCED && decides;
    if (decides && (!untested || (untested->so_far && !answer->verdict->so_far))) untested = answer->verdict;
  }
  finding->missing = tell_missing(findings, finding, true);
  const size_t against = of[SB_NOT_REPRODUCED] + of[SB_CONTRADICTION_GONE] + of[SB_CONTRADICTED];
  if (against > 0 && of[SB_NOT_TESTED] > 0)
    finding->why = sb_arena_format(session->arena, "by %zu of %zu claims, %zu not tested", against, finding->count,
                                   of[SB_NOT_TESTED]);
  if (*not_comparable) finding->why = not_comparable;
  if (of[SB_NOT_REPRODUCED] + of[SB_CONTRADICTION_GONE] > 0) {
    finding->verdict = SB_NOT_REPRODUCED;
  } else if (*not_comparable) {
    finding->verdict = SB_NOT_COMPARABLE;
  } else if (of[SB_CONTRADICTED] > 0) {
    finding->verdict = of[SB_REPRODUCED] > 0 ? SB_CONTRADICTED_IN_PART : SB_CONTRADICTED;
  } else if (decided > 0 && of[SB_NOT_TESTED] == 0 && !*finding->missing) {
    finding->verdict = SB_REPRODUCED;
  } else if (decided > 0) {
    finding->verdict = SB_REPRODUCED_IN_PART;
    finding->why = finding->missing;
    if (of[SB_NOT_TESTED] > 0)
      finding->why = sb_arena_format(session->arena, "%zu of %zu claims; %s not tested%s%s", of[SB_REPRODUCED],
                                     finding->count, sb_by_count(of[SB_NOT_TESTED], "the other", "the others"),
                                     *finding->missing ? "; " : "", finding->missing);
  } else {
    finding->verdict = SB_NOT_TESTED;
    finding->why = missing_method(session, needs);
    if (!finding->why) finding->why = untested ? untested->told : tell_missing(findings, finding, false);
    if (!*finding->why) finding->why = "no sweep with a claim on it has run";
  }
}

const sb_findings *sb_findings_judge(const sb_session *session, const sb_results_folders *folders,
                                     const char *published_dir)
{
  char                error[SB_ERROR_SIZE] = "", *ours = sb_data_directory("results/published");
  const char         *directory = published_dir ? published_dir : ours;
  sb_published_table *table = sb_published_read(session->arena, directory, "findings", error);
  if (!table) sb_error_at(session->diagnostics, (sb_location){directory, 0, 0}, "E100", "%s", error);
  free(ours);
  if (!table) return NULL;
  sb_findings *findings = sb_arena_take(session->arena, 1, sizeof *findings);
  sb_finding  *each = sb_arena_take(session->arena, table->rows, sizeof *each);
  *findings = (sb_findings){.arena = session->arena, .folders = folders, .each = each};
  read_shipped(findings, session->vocabulary);
  collect(findings);
  for (size_t row = 1; row < table->rows; ++row) {
    sb_finding *finding = &each[findings->count++];
    sb_answer  *answers = NULL;
    *finding = (sb_finding){.id = sb_published_text(table, row, "id"),
                            .setting = sb_published_text(table, row, "setting"),
                            .finding = sb_published_text(table, row, "finding"),
                            .source = sb_published_text(table, row, "source"),
                            .page = sb_published_text(table, row, "page")};
    for (sb_claim_kind kind = SB_CLAIM_EXACT; kind <= SB_CLAIM_TIME; ++kind)
      if (strcmp(sb_published_text(table, row, "kind"), sb_claim_kind_word(kind)) == 0) finding->kind = kind;
    for (size_t i = 0; i < findings->all_count; ++i) {
      const char *named = findings->claims[i].finding;
      if (named && strcmp(named, finding->id) == 0)
        *SB_NEW_ITEM(session->arena, answers, finding->count) = findings->claims[i];
    }
    finding->answers = answers;
    findings->answered += finding->count > 0;
    judge(session, findings, finding, sb_published_text(table, row, "needs"),
          sb_published_text(table, row, "not_comparable"));
  }
  return findings;
}

size_t sb_findings_failures(const sb_findings *findings, bool count_time)
{
  size_t failures = 0;
  for (size_t i = 0; i < findings->all_count; ++i)
    failures += sb_claim_fails(findings->claims[i].claim, findings->claims[i].verdict, count_time);
  return failures;
}

enum { KINDS = SB_CLAIM_TIME + 1, SHORT_VALUES = 100 };

/* Counts the findings of each kind; each verdict that some finding has is a column. */
static sb_table *count_table(const sb_findings *findings)
{
  sb_table *table = sb_table_create(findings->arena);
  size_t    of[KINDS + 1][SB_VERDICT_KINDS] = {0}; /* and of all kinds */
  for (size_t i = 0; i < findings->count; ++i) {
    of[findings->each[i].kind][findings->each[i].verdict]++;
    of[KINDS][findings->each[i].verdict]++;
  }
  sb_table_add_column(table, "kind", "", false);
  for (sb_verdict_kind v = 0; v < SB_VERDICT_KINDS; ++v)
    if (of[KINDS][v] > 0) sb_table_add_column(table, sb_verdict_word(v), "", true);
  for (sb_claim_kind kind = 0; kind <= SB_CLAIM_TIME; ++kind) {
    sb_table_add_row(table);
    sb_table_put(table, sb_claim_kind_word(kind));
    for (int v = 0; v < SB_VERDICT_KINDS; ++v)
      if (of[KINDS][v] > 0) sb_table_put(table, sb_arena_format(table->arena, "%zu", of[kind][v]));
  }
  return table;
}

/* By what factor a time that is to be beaten is beaten; NULL: it is none, or is not. */
static const char *speed_of(const sb_findings *findings, const sb_answer *answer)
{
  const sb_verdict *v = answer->verdict;
  if (v->kind != SB_REPRODUCED || answer->claim->kind != SB_CLAIM_TIME || !(v->margin > 0)) return NULL;
  return sb_arena_format(findings->arena, "%.3g times as fast as published", v->margin);
}

/* The answer that decides a finding, and of times that are beaten the one that is beaten least; NULL: there is none. */
static const sb_answer *deciding_answer(const sb_finding *finding, bool holds, bool against)
{
  const sb_answer *found = NULL;
  double           least = INFINITY;
  for (const sb_answer *answer = finding->answers; answer < finding->answers + finding->count; ++answer) {
    const sb_verdict *v = answer->verdict;
    const double      factor = v->margin > 0 ? v->margin : INFINITY;
    const bool        decides = holds     ? v->kind == SB_REPRODUCED
                                : against ? v->kind == SB_CONTRADICTED
                                          : sb_claim_fails(answer->claim, v, true);
    if (!decides || (found && factor >= least)) continue;
    found = answer;
    least = factor;
  }
  return found;
}

/* A terminal shows the answer in short: the reason where there is none, else the claim that decides; then the
 * directories where it was looked for. */
static char *told_in_short(const sb_findings *findings, const sb_finding *finding)
{
  const bool       holds = finding->verdict == SB_REPRODUCED || finding->verdict == SB_REPRODUCED_IN_PART;
  const bool       against = finding->verdict == SB_CONTRADICTED || finding->verdict == SB_CONTRADICTED_IN_PART;
  const sb_answer *speaker = deciding_answer(finding, holds, against);
  sb_names         names = {0};
  for (size_t i = 0; i < finding->count; ++i) sb_names_add(findings->arena, &names, finding->answers[i].folder->name);
  const char *folders = sb_names_join(findings->arena, &names, ", ", names.count);
  const char *speed = speaker && holds && finding->kind == SB_CLAIM_TIME ? speed_of(findings, speaker) : NULL;
  const char *told = !speaker           ? finding->why
                     : speed            ? speed
                     : holds || against ? speaker->claim->claim
                                        : speaker->verdict->told;
  const char *lead = against && speaker ? "it is not true here that " : "";
  if (finding->why && speaker && !holds) lead = sb_markdown_format(findings->arena, "%-s: %-s", finding->why, lead);
  if (speaker && (holds || against))
    folders = sb_markdown_format(findings->arena, "%-s{, %-s}", folders, speaker->verdict->basis);
  return sb_markdown_format(findings->arena, "%-s%-s{ (%-s)}{; %-s}", lead, told, folders,
                            finding->verdict == SB_REPRODUCED_IN_PART ? finding->missing : "");
}

/* "*reproduced*: nine are too few — status by substeps: diverged (9)", a line a claim. Long values of what holds are
 * left to the page of the sweep. */
static const char *told_on_page(const sb_findings *findings, const sb_finding *finding)
{
  const char *text = sb_markdown_format(findings->arena, "%s", finding->why);
  bool        differ = false;
  for (size_t i = 0; i < finding->count; ++i) differ = differ || finding->answers[i].verdict->kind != SB_REPRODUCED;
  for (size_t i = 0; i < finding->count && finding->verdict != SB_NOT_TESTED; ++i) {
    const sb_answer  *answer = &finding->answers[i];
    const sb_verdict *v = answer->verdict;
    const bool        too_long = v->kind == SB_REPRODUCED && strlen(v->told) > SHORT_VALUES;
    text = sb_markdown_format(findings->arena, "%-s%-s{*%-s*: }%s{ (%-s)}{ — %s}", text, *text ? "<br>" : "",
                              differ ? sb_verdict_word(v->kind) : "", answer->claim->claim, speed_of(findings, answer),
                              too_long ? sb_markdown_format(findings->arena, "rests on %-s", v->basis) : v->told);
  }
  return text;
}

/* "[rope_blowup](rope_blowup/report.md): [blowup](…) [thresholds](…). [page rope.md](…)": a page of docs/findings is
 * linked where results lie in the source tree; elsewhere its name stands alone. */
static char *links_of(const sb_findings *findings, const sb_finding *finding)
{
  static const char place[] = " [%s](" SB_AS_ADDRESS "/report.md#%-s-" SB_AS_ID ")";
  sb_arena_writer   text;
  FILE             *stream = sb_arena_write(&text, findings->arena);
  for (size_t i = 0; i < finding->count; ++i) {
    const sb_results *results = finding->answers[i].folder->results;
    const sb_sweep   *sweep = results->sweep;
    const char       *folder = finding->answers[i].folder->name;
    if (i > 0 && finding->answers[i - 1].folder == finding->answers[i].folder) continue; /* they come by directory */
    sb_markdown_print(stream, "%-s[%-s](" SB_AS_ADDRESS "/report.md)%-s%-s", i > 0 ? " " : "", sweep->name, folder,
                      results->quick ? " (quick)" : "", sweep->table_count + sweep->figure_count > 0 ? ":" : "");
    for (size_t t = 0; t < sweep->table_count; ++t)
      sb_markdown_print(stream, place, sweep->tables[t].id, folder, "table", sweep->tables[t].id);
    for (size_t f = 0; f < sweep->figure_count; ++f)
      sb_markdown_print(stream, place, sweep->figures[f].id, folder, "figure", sweep->figures[f].id);
    fputc('.', stream);
  }
  const char *path =
      sb_arena_format(findings->arena, "%s/../docs/findings/%s", findings->folders->parent, finding->page);
  if (*finding->page)
    sb_markdown_print(stream, access(path, F_OK) == 0 ? " [page %-s](../docs/findings/%-s)" : " docs/findings/%-s",
                      finding->page, finding->page);
  return sb_arena_text(&text);
}

/* Every finding of one kind is a line on a terminal. */
static sb_table *finding_table(const sb_findings *findings, sb_claim_kind kind)
{
  sb_arena *arena = findings->arena;
  sb_table *table = sb_table_of_words(arena, "verdict|published|see|here");
  table->wrap = true;
  for (size_t i = 0; i < findings->count; ++i) {
    const sb_finding *f = &findings->each[i];
    size_t            untested = 0;
    if (f->kind != kind) continue;
    for (size_t k = 0; k < f->count; ++k) untested += f->answers[k].verdict->kind == SB_NOT_TESTED;
    const char *basis = f->count > 0 ? sb_counted(arena, f->count, "claim") : "";
    if (untested > 0) basis = sb_arena_format(arena, "%zu of %s", f->count - untested, basis);
    sb_table_add_row(table);
    sb_table_put(table, sb_verdict_word(f->verdict));
    sb_table_put(table, f->id);
    sb_table_put(table, basis);
    sb_table_put(table, told_in_short(findings, f));
  }
  return table;
}

/* Writes all findings with one page of docs/findings, folded under its name, with all answers and links. */
static void put_topic(const sb_findings *findings, const char *page, FILE *stream)
{
  sb_arena   *arena = findings->arena;
  sb_table   *table = sb_table_of_words(arena, "verdict|published|here");
  const char *verdicts = "";
  size_t      counts[SB_VERDICT_KINDS] = {0};
  for (size_t i = 0; i < findings->count; ++i) {
    const sb_finding *f = &findings->each[i];
    const char       *word = sb_verdict_word(f->verdict), *told = told_on_page(findings, f);
    if (strcmp(f->page, page) != 0) continue;
    counts[f->verdict]++;
    sb_table_add_row(table);
    sb_table_put(table, word)->markdown = sb_markdown_format(arena, "**%-s %-s**", sb_verdict_sign(f->verdict), word);
    sb_table_put(table, f->id)->markdown =
        sb_markdown_format(arena, "<a id=\"finding-" SB_AS_ID "\"></a>`%-s` %s: %s (%s; %-s)", f->id, f->id, f->setting,
                           f->finding, f->source, sb_claim_kind_word(f->kind));
    sb_table_put(table, told)->markdown =
        sb_markdown_format(arena, "%-s%-s%-s", told, *told ? "<br>" : "", links_of(findings, f));
  }
  for (sb_verdict_kind v = 0; v < SB_VERDICT_KINDS; ++v)
    if (counts[v] > 0) verdicts = sb_arena_join(arena, verdicts, ", ", "%zu %s", counts[v], sb_verdict_word(v));
  sb_markdown_print(stream, "<details>\n<summary>" SB_AS_HTML ": %-s</summary>\n\n",
                    sb_arena_copy_span(arena, page, strcspn(page, ".")), verdicts);
  sb_table_print(table, SB_TABLE_MARKDOWN, stream);
  fputs("</details>\n\n", stream);
}

void sb_findings_put_contradictions(const sb_findings *findings, FILE *stream)
{
  for (size_t i = 0; i < findings->count; ++i) {
    const sb_finding *f = &findings->each[i];
    const sb_answer  *speaker = deciding_answer(f, false, true);
    if ((f->verdict != SB_CONTRADICTED && f->verdict != SB_CONTRADICTED_IN_PART) || !speaker) continue;
    sb_markdown_print(stream, "- **%-s %-s** %s (%s).{ *Why:* %s.} [Evidence](REPRODUCED.md#finding-" SB_AS_ID ")\n",
                      sb_verdict_sign(f->verdict), sb_verdict_word(f->verdict), f->finding, f->source,
                      speaker->claim->contradicted, f->id);
  }
}

void sb_findings_print(const sb_findings *findings, FILE *stream)
{
  size_t own = 0, fail = 0;
  for (sb_claim_kind kind = 0; kind <= SB_CLAIM_TIME; ++kind) {
    fprintf(stream, "Findings of kind %s\n\n", sb_claim_kind_word(kind));
    sb_table_print(finding_table(findings, kind), SB_TABLE_TEXT, stream);
    fputc('\n', stream);
  }
  /* Claims that name no finding are not on the list, so those that fail are named. */
  for (size_t i = 0; i < findings->all_count; ++i) {
    const sb_answer *answer = &findings->claims[i];
    own += !answer->finding;
    if (answer->finding || !sb_claim_fails(answer->claim, answer->verdict, true)) continue;
    fail++;
    fprintf(stream, "%s  ", sb_verdict_word(answer->verdict->kind));
    sb_claim_write(answer->claim, NULL, answer->verdict, stream);
    fprintf(stream, " (%s)\n", answer->folder->name);
  }
  if (own > 0) fprintf(stream, "%zu further claims of our own; %zu of them fail\n\n", own, fail);
  sb_results_folders_tell(findings->folders, "", stream);
  sb_table_print(count_table(findings), SB_TABLE_TEXT, stream);
}

char *sb_findings_page(const sb_findings *findings)
{
  sb_names        pages = {0};
  sb_arena_writer text;
  FILE           *stream = sb_arena_write(&text, findings->arena);
  fputs(
      "# Published findings, and our results\n\nWritten by `springbench run` and `springbench verify` for this "
      "folder from the claims of the sweeps. The findings are those of `results/published/findings.csv`, by topic. One "
      "of kind exact must hold, of kind shape in its trend, and a time is to be beaten on this machine.\n\n",
      stream);
  sb_table_print(count_table(findings), SB_TABLE_MARKDOWN, stream);
  sb_report_put_unreadable(findings->folders, stream);
  if (findings->quick)
    fputs("Results marked quick are from a part of a sweep (`--quick`). Claims that need cases or repetitions outside "
          "this part are marked `not tested`.\n\n",
          stream);
  for (size_t i = 0; i < findings->count; ++i) sb_names_add(findings->arena, &pages, findings->each[i].page);
  for (size_t i = 0; i < pages.count; ++i) put_topic(findings, pages.names[i], stream);
  return sb_arena_text(&text);
}
