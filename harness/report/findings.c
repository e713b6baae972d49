/* Findings and claims brought together, and told in tables, for a terminal and for a page; see findings.h. */
#include "harness/report/findings.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/allocate.h"
#include "harness/common/durable.h"
#include "harness/common/html.h"
#include "harness/common/csv.h"
#include "harness/common/text.h"
#include "harness/report/table.h"

/* ---- the claims that count ---- */

/* A quick part says nothing beside the whole. */
static bool counts(const sb_results_folders *folders, size_t number)
{
  const sb_results *part = folders->each[number].results;
  bool              alone = part != NULL;
  for (size_t i = 0; i < folders->count && alone && part->quick; ++i) {
    const sb_results *whole = folders->each[i].results;
    alone = !whole || whole->quick || strcmp(part->sweep->name, whole->sweep->name) != 0;
  }
  return alone;
}

/* Collects the claims that name one finding; with NULL in its place, those that name none. */
static sb_answer *collect_answers(sb_arena *arena, const sb_results_folders *folders, const char *finding,
                                  size_t *count)
{
  sb_answer *answers = NULL;
  *count = 0;
  for (size_t f = 0; f < folders->count; ++f) {
    if (!counts(folders, f)) continue;
    const sb_results_folder *folder = &folders->each[f];
    const sb_verdict        *verdicts = sb_results_verdicts(folder->results);
    for (size_t i = 0; i < folder->results->sweep->claim_count; ++i) {
      const sb_claim *claim = &folder->results->sweep->claims[i];
      if (finding ? !claim->finding || strcmp(claim->finding, finding) != 0 : claim->finding != NULL) continue;
      answers = sb_arena_grow(arena, answers, *count, sizeof *answers);
      answers[(*count)++] = (sb_answer){folder, claim, &verdicts[i]};
    }
  }
  return answers;
}

/* ---- the verdict ---- */

/* The first "option=name" of `needs` that no list has; NULL where all are there. */
static const char *missing_method(const sb_session *session, const char *needs)
{
  const char *missing = NULL;
  sb_options *options = sb_options_create(session->vocabulary);
  char       *rest = sb_arena_copy(session->arena, needs);
  for (char *word; !missing && (word = strsep(&rest, " "));)
    if (*word && !sb_options_set_pair(options, word, SB_FROM_USER, (sb_location){0}, NULL)) missing = word;
  sb_options_destroy(&options);
  return missing;
}

/* A finding of kind time is tested by claims on times alone. */
static bool decides(const sb_finding *finding, const sb_answer *answer)
{
  return finding->kind != SB_CLAIM_TIME || answer->claim->kind == SB_CLAIM_TIME;
}

/* Nothing could be said for want of a method, or for the reason of the first claim that could have said it. */
static const char *why_untested(const sb_session *session, const sb_finding *finding, const char *needs)
{
  const char *missing = missing_method(session, needs);
  if (missing) return sb_arena_format(session->arena, "no such method yet (%s)", missing);
  for (size_t i = 0; i < finding->count; ++i)
    if (decides(finding, &finding->answers[i])) return finding->answers[i].verdict->told;
  return "no sweep that claims it has run";
}

static void judge(const sb_session *session, sb_finding *finding, const char *needs, const char *not_comparable)
{
  size_t of[SB_VERDICT_KINDS] = {0}, decided = 0;
  for (size_t i = 0; i < finding->count; ++i) {
    const sb_verdict_kind kind = finding->answers[i].verdict->kind;
    of[kind]++;
    decided += kind == SB_REPRODUCED && decides(finding, &finding->answers[i]);
  }
  if (*not_comparable) finding->why = not_comparable;
  if (of[SB_NOT_REPRODUCED] + of[SB_CONTRADICTION_GONE] > 0) {
    finding->verdict = SB_NOT_REPRODUCED;
  } else if (*not_comparable) {
    finding->verdict = SB_NOT_COMPARABLE;
  } else if (of[SB_CONTRADICTED] > 0) {
    finding->verdict = of[SB_REPRODUCED] > 0 ? SB_CONTRADICTED_IN_PART : SB_CONTRADICTED;
  } else if (decided > 0 && of[SB_NOT_TESTED] == 0) {
    finding->verdict = SB_REPRODUCED;
  } else if (decided > 0) {
    finding->verdict = SB_REPRODUCED_IN_PART;
    finding->why = sb_arena_format(session->arena, "%zu of %zu claims; %s not tested", of[SB_REPRODUCED],
                                   finding->count, of[SB_NOT_TESTED] == 1 ? "the other" : "the others");
  } else {
    finding->verdict = SB_NOT_TESTED;
    finding->why = why_untested(session, finding, needs);
  }
}

static sb_claim_kind kind_of(const char *word)
{
  for (int kind = SB_CLAIM_EXACT; kind <= SB_CLAIM_TIME; ++kind)
    if (strcmp(word, sb_claim_kind_word((sb_claim_kind)kind)) == 0) return (sb_claim_kind)kind;
  return SB_CLAIM_EXACT;
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
  *findings = (sb_findings){
      .arena = session->arena, .folders = folders, .count = table->rows > 0 ? table->rows - 1 : 0, .each = each};
  for (size_t i = 0; i < findings->count; ++i) {
    each[i] = (sb_finding){.id = sb_published_text(table, i + 1, "id"),
                           .setting = sb_published_text(table, i + 1, "setting"),
                           .finding = sb_published_text(table, i + 1, "finding"),
                           .source = sb_published_text(table, i + 1, "source"),
                           .page = sb_published_text(table, i + 1, "page"),
                           .kind = kind_of(sb_published_text(table, i + 1, "kind"))};
    each[i].answers = collect_answers(session->arena, folders, each[i].id, &each[i].count);
    findings->answered += each[i].count > 0;
    judge(session, &each[i], sb_published_text(table, i + 1, "needs"),
          sb_published_text(table, i + 1, "not_comparable"));
  }
  findings->own = collect_answers(session->arena, folders, NULL, &findings->own_count);
  return findings;
}

static size_t count_failures(const sb_answer *answers, size_t count, bool count_time)
{
  size_t failures = 0;
  for (size_t i = 0; i < count; ++i) failures += sb_claim_fails(answers[i].claim, answers[i].verdict, count_time);
  return failures;
}

size_t sb_findings_failures(const sb_findings *findings, bool count_time)
{
  size_t failures = count_failures(findings->own, findings->own_count, count_time);
  for (size_t i = 0; i < findings->count; ++i)
    failures += count_failures(findings->each[i].answers, findings->each[i].count, count_time);
  return failures;
}

void sb_findings_count(const sb_findings *findings, sb_claim_kind kind, size_t of[SB_VERDICT_KINDS])
{
  memset(of, 0, SB_VERDICT_KINDS * sizeof *of);
  for (size_t i = 0; i < findings->count; ++i)
    if (findings->each[i].kind == kind) of[findings->each[i].verdict]++;
}

/* ---- told ---- */

static const sb_claim_kind all_kinds[] = {SB_CLAIM_EXACT, SB_CLAIM_SHAPE, SB_CLAIM_TIME};
enum { KINDS = sizeof all_kinds / sizeof *all_kinds, SHORT_VALUES = 100 };

/* Counts the findings of each kind; each verdict that some finding has is a column. */
static sb_table *count_table(const sb_findings *findings)
{
  sb_table *table = sb_table_create(findings->arena);
  size_t    of[KINDS][SB_VERDICT_KINDS];
  for (size_t k = 0; k < KINDS; ++k) sb_findings_count(findings, all_kinds[k], of[k]);
  sb_table_add_column(table, "kind", "", false);
  for (int v = 0; v < SB_VERDICT_KINDS; ++v)
    if (of[0][v] + of[1][v] + of[2][v] > 0) sb_table_add_column(table, sb_verdict_word((sb_verdict_kind)v), "", true);
  for (size_t k = 0; k < KINDS; ++k) {
    sb_table_add_row(table);
    sb_table_put(table, sb_claim_kind_word(all_kinds[k]));
    for (int v = 0; v < SB_VERDICT_KINDS; ++v)
      if (of[0][v] + of[1][v] + of[2][v] > 0) sb_table_put_format(table, "%zu", of[k][v]);
  }
  return table;
}

/* Answers come by directory; this one begins those of its own. */
static bool is_first_of_folder(const sb_finding *finding, size_t i)
{
  return i == 0 || finding->answers[i].folder != finding->answers[i - 1].folder;
}

/* Counts the claims that were tested: "3 claims", "2 of 3 claims". */
static const char *basis_of(const sb_findings *findings, const sb_finding *finding)
{
  size_t      tested = 0;
  const char *plural = finding->count == 1 ? "" : "s";
  for (size_t i = 0; i < finding->count; ++i) tested += finding->answers[i].verdict->kind != SB_NOT_TESTED;
  if (finding->count == 0) return "";
  if (tested == finding->count) return sb_arena_format(findings->arena, "%zu claim%s", tested, plural);
  return sb_arena_format(findings->arena, "%zu of %zu claim%s", tested, finding->count, plural);
}

/* Gives the reason where there is no answer, else the answer that decides; of times that are beaten, the one that is
 * beaten least. */
static const char *short_answer(const sb_findings *findings, const sb_finding *finding)
{
  const bool       holds = finding->verdict == SB_REPRODUCED || finding->verdict == SB_REPRODUCED_IN_PART;
  const bool       against = finding->verdict == SB_CONTRADICTED || finding->verdict == SB_CONTRADICTED_IN_PART;
  const sb_answer *speaker = NULL;
  if (finding->why && !holds) return finding->why;
  for (size_t i = 0; i < finding->count; ++i) {
    const sb_answer      *answer = &finding->answers[i];
    const sb_verdict_kind kind = answer->verdict->kind;
    const bool            decides_it = holds     ? kind == SB_REPRODUCED
                                       : against ? kind == SB_CONTRADICTED
                                                 : sb_claim_fails(answer->claim, answer->verdict, true);
    if (!decides_it || (speaker && answer->verdict->margin == 0)) continue;
    if (!speaker || speaker->verdict->margin == 0 || answer->verdict->margin < speaker->verdict->margin)
      speaker = answer;
  }
  if (!speaker) return "";
  if (holds && finding->kind == SB_CLAIM_TIME && speaker->verdict->margin > 0)
    return sb_arena_format(findings->arena, "%.3g times as fast as published", speaker->verdict->margin);
  if (holds) return speaker->claim->claim;
  return against ? sb_arena_format(findings->arena, "it does not hold here that %s", speaker->claim->claim)
                 : speaker->verdict->told;
}

/* A terminal shows the answer in short, and the directories where it was looked for. */
static void put_short(const sb_findings *findings, const sb_finding *finding, FILE *stream)
{
  fputs(short_answer(findings, finding), stream);
  for (size_t i = 0; i < finding->count; ++i)
    if (is_first_of_folder(finding, i)) fprintf(stream, "%s%s", i == 0 ? " (" : ", ", finding->answers[i].folder->name);
  if (finding->count > 0) fputc(')', stream);
}

static void put_published(const sb_finding *finding, FILE *stream)
{
  fprintf(stream, "`%s` ", finding->id);
  sb_text_put_markdown(stream, finding->setting);
  fputs(": ", stream);
  sb_text_put_markdown(stream, finding->finding);
  fputs(" (", stream);
  sb_text_put_markdown(stream, finding->source);
  fputc(')', stream);
}

/* "*reproduced*: nine are too few — status by substeps: diverged (9)". Long values of what holds are left to the
 * page of the sweep. */
static void put_answer(const sb_answer *answer, bool with_verdict, FILE *stream)
{
  const sb_verdict *verdict = answer->verdict;
  if (with_verdict) fprintf(stream, "*%s*: ", sb_verdict_word(verdict->kind));
  sb_text_put_markdown(stream, answer->claim->claim);
  if (verdict->margin > 0 && verdict->kind == SB_REPRODUCED && answer->claim->kind == SB_CLAIM_TIME)
    fprintf(stream, " (%.3g times as fast as published)", verdict->margin);
  if (!*verdict->told || (verdict->kind == SB_REPRODUCED && strlen(verdict->told) > SHORT_VALUES)) return;
  fputs(" — ", stream);
  sb_text_put_markdown(stream, verdict->told);
}

static void put_answers(const sb_finding *finding, FILE *stream)
{
  bool differ = false;
  for (size_t i = 0; i < finding->count; ++i) differ = differ || finding->answers[i].verdict->kind != SB_REPRODUCED;
  if (finding->why) sb_text_put_markdown(stream, finding->why);
  for (size_t i = 0; i < finding->count && finding->verdict != SB_NOT_TESTED; ++i) {
    if (i > 0 || finding->why) fputs("<br>", stream);
    put_answer(&finding->answers[i], differ, stream);
  }
}

/* " [blowup](rope_blowup/report.md#table-blowup)", where the page of the sweep shows it. */
static void put_place(const sb_results_folder *folder, const char *kind, const char *id, FILE *stream)
{
  fputs(" [", stream);
  sb_text_put_markdown(stream, id);
  fputs("](", stream);
  sb_html_put_address(stream, folder->name);
  fprintf(stream, "/report.md#%s-", kind);
  sb_html_put_id(stream, id);
  fputc(')', stream);
}

/* "[rope_blowup](rope_blowup/report.md): [blowup](…) [thresholds](…). [page rope.md](…)": a page of docs/findings is
 * linked where results lie in the source tree; elsewhere its name stands alone. */
static void put_links(const sb_findings *findings, const sb_finding *finding, FILE *stream)
{
  for (size_t i = 0; i < finding->count; ++i) {
    const sb_results_folder *folder = finding->answers[i].folder;
    const sb_sweep          *sweep = folder->results->sweep;
    if (!is_first_of_folder(finding, i)) continue;
    fprintf(stream, "%s[%s](", i > 0 ? " " : "", sweep->name);
    sb_html_put_address(stream, folder->name);
    fprintf(stream, "/report.md)%s%s", folder->results->quick ? " (quick)" : "",
            sweep->table_count + sweep->figure_count > 0 ? ":" : "");
    for (size_t t = 0; t < sweep->table_count; ++t) put_place(folder, "table", sweep->tables[t].id, stream);
    for (size_t f = 0; f < sweep->figure_count; ++f) put_place(folder, "figure", sweep->figures[f].id, stream);
    fputc('.', stream);
  }
  if (!*finding->page) return;
  char *path = sb_format("%s/../docs/findings/%s", findings->folders->parent, finding->page);
  fprintf(stream, access(path, F_OK) == 0 ? " [page %s](../docs/findings/%s)" : " docs/findings/%s", finding->page,
          finding->page);
  free(path);
}

/* Every finding of one kind is a line, which is short on a terminal and has all answers and links on a page. */
static sb_table *finding_table(const sb_findings *findings, sb_claim_kind kind)
{
  static const char *const headings[] = {"verdict", "published", "see", "here"};
  sb_table                *table = sb_table_create(findings->arena);
  sb_arena_writer          w;
  table->wrap = true;
  for (size_t i = 0; i < sizeof headings / sizeof *headings; ++i) sb_table_add_column(table, headings[i], "", false);
  for (size_t i = 0; i < findings->count; ++i) {
    const sb_finding *finding = &findings->each[i];
    const char       *word = sb_verdict_word(finding->verdict);
    if (finding->kind != kind) continue;
    sb_table_add_row(table);
    sb_table_put(table, word)->markdown =
        sb_arena_format(findings->arena, "**%s %s**", sb_verdict_sign(finding->verdict), word);
    put_published(finding, sb_arena_write(&w, findings->arena));
    sb_table_put(table, finding->id)->markdown = sb_arena_text(&w);
    put_links(findings, finding, sb_arena_write(&w, findings->arena));
    sb_table_put(table, basis_of(findings, finding))->markdown = sb_arena_text(&w);
    put_short(findings, finding, sb_arena_write(&w, findings->arena));
    sb_cell *here = sb_table_put(table, sb_arena_text(&w));
    put_answers(finding, sb_arena_write(&w, findings->arena));
    here->markdown = sb_arena_text(&w);
  }
  return table;
}

/* Claims that name no finding are not on the list, so those that fail are named. */
static void print_own(const sb_findings *findings, FILE *stream)
{
  for (size_t i = 0; i < findings->own_count; ++i) {
    const sb_answer *answer = &findings->own[i];
    if (!sb_claim_fails(answer->claim, answer->verdict, true)) continue;
    fprintf(stream, "%s  ", sb_verdict_word(answer->verdict->kind));
    sb_claim_write(answer->claim, answer->verdict, stream);
    fprintf(stream, " (%s)\n", answer->folder->name);
  }
  if (findings->own_count > 0)
    fprintf(stream, "%zu further claims of our own, %zu of them fail\n\n", findings->own_count,
            count_failures(findings->own, findings->own_count, true));
}

void sb_findings_print(const sb_findings *findings, FILE *stream)
{
  for (size_t k = 0; k < KINDS; ++k) {
    fprintf(stream, "Findings of kind %s\n\n", sb_claim_kind_word(all_kinds[k]));
    sb_table_print(finding_table(findings, all_kinds[k]), SB_TABLE_TEXT, stream);
    fputc('\n', stream);
  }
  print_own(findings, stream);
  for (size_t i = 0; i < findings->folders->count; ++i)
    if (findings->folders->each[i].problem)
      fprintf(stream, "%s cannot be read: %s\n", findings->folders->each[i].name, findings->folders->each[i].problem);
  sb_table_print(count_table(findings), SB_TABLE_TEXT, stream);
}

void sb_findings_write_markdown(const sb_findings *findings, FILE *stream)
{
  static const char *const meaning[] = {[SB_CLAIM_EXACT] = "must hold",
                                        [SB_CLAIM_SHAPE] = "the trend must hold",
                                        [SB_CLAIM_TIME] = "to be beaten on this machine"};
  bool                     quick = false;
  for (size_t i = 0; i < findings->folders->count && !quick; ++i)
    quick = counts(findings->folders, i) && findings->folders->each[i].results->quick;
  sb_table_print(count_table(findings), SB_TABLE_MARKDOWN, stream);
  if (quick)
    fputs("What is marked quick rests on a part of its sweep, made with `--quick`: claims that need cases which are "
          "not there, or more repetitions, are not tested.\n\n",
          stream);
  for (size_t k = 0; k < KINDS; ++k) {
    fprintf(stream, "## Findings of kind %s: %s\n\n", sb_claim_kind_word(all_kinds[k]), meaning[all_kinds[k]]);
    sb_table_print(finding_table(findings, all_kinds[k]), SB_TABLE_MARKDOWN, stream);
  }
}
