/* Findings and claims brought together, and told as text and as Markdown; see findings.h. Pages of docs/findings that
 * name a finding are linked beside our tables and figures. */
#include "harness/report/findings.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/common/data_directory.h"
#include "harness/common/durable.h"
#include "harness/common/html.h"
#include "harness/common/published_table.h"
#include "harness/common/text.h"

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

/* Of one finding; with NULL for its name those that name none. */
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

static bool is_listed(const sb_vocabulary *vocabulary, const char *family, const char *name)
{
  for (size_t i = 0; vocabulary && i < vocabulary->count; ++i) {
    const sb_family *f = &vocabulary->families[i];
    for (size_t j = 0; strcmp(f->family, family) == 0 && j < f->count; ++j)
      if (strcmp(f->names[j], name) == 0) return true;
  }
  return !vocabulary;
}

/* The first "option=name" of `needs` that no list has, as "option name"; NULL: all are there. */
static const char *missing_method(const sb_session *session, const char *needs)
{
  char *rest = sb_arena_copy(session->arena, needs);
  for (char *word; (word = strsep(&rest, " "));) {
    char *name = strchr(word, '=');
    if (!name) continue;
    *name++ = '\0';
    const sb_option_id id = sb_option_find(word);
    const char        *range = id == SB_OPT_COUNT ? "" : sb_option_at(id)->range;
    if (range[0] != '@' || !is_listed(session->vocabulary, range + 1, name))
      return sb_arena_format(session->arena, "%s %s", word, name);
  }
  return NULL;
}

/* What a finding of kind time says is tested by claims on times alone. */
static bool decides(const sb_finding *finding, const sb_answer *answer)
{
  return finding->kind != SB_CLAIM_TIME || answer->claim->kind == SB_CLAIM_TIME;
}

/* Why nothing could be said: no such method, else the reason of the first claim that could have. */
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

static void end_table(void *table)
{
  sb_published_table *ended = table;
  sb_published_destroy(&ended);
}

const sb_findings *sb_findings_judge(const sb_session *session, const sb_results_folders *folders,
                                     const char *published_dir)
{
  char                error[SB_ERROR_SIZE] = "", *ours = sb_data_directory("results/published");
  const char         *directory = published_dir ? published_dir : ours;
  sb_published_table *table = sb_published_read(directory, "findings", error);
  if (!table) sb_error_at(session->diagnostics, (sb_location){directory, 0, 0}, "E100", "%s", error);
  free(ours);
  if (!table) return NULL;
  sb_arena_defer(session->arena, end_table, table);
  sb_findings *findings = sb_arena_take(session->arena, 1, sizeof *findings);
  sb_finding  *each = sb_arena_take(session->arena, table->rows, sizeof *each);
  *findings = (sb_findings){.folders = folders, .count = table->rows > 0 ? table->rows - 1 : 0, .each = each};
  for (size_t i = 0; i < findings->count; ++i) {
    each[i] = (sb_finding){.id = sb_published_text(table, i + 1, "id"),
                           .setting = sb_published_text(table, i + 1, "setting"),
                           .finding = sb_published_text(table, i + 1, "finding"),
                           .source = sb_published_text(table, i + 1, "source"),
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

/* ---- for a terminal: a line a finding, what it rests on, and where it was looked for ---- */

enum { WORD_WIDTH = 20, VALUES_WIDTH = 150, SHORT_VALUES = 100 };

/* At most VALUES_WIDTH bytes, cut between characters. */
static void put_start(FILE *stream, const char *text)
{
  size_t length = strlen(text);
  if (length > VALUES_WIDTH)
    for (length = VALUES_WIDTH; length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80;) --length;
  fprintf(stream, "%.*s%s", (int)length, text, text[length] ? " …" : "");
}

/* What failed or contradicts comes before what holds; of what holds, what tells by how much a time is beaten. */
static int rank(const sb_answer *answer)
{
  static const int ranks[SB_VERDICT_KINDS] = {[SB_NOT_REPRODUCED] = 0,
                                              [SB_CONTRADICTION_GONE] = 1,
                                              [SB_CONTRADICTED] = 2,
                                              [SB_REPRODUCED] = 4,
                                              [SB_NOT_TESTED] = 5};
  const bool       beats = answer->verdict->kind == SB_REPRODUCED && answer->verdict->margin > 0;
  return beats ? 3 : ranks[answer->verdict->kind];
}

static bool is_before(const sb_answer *a, const sb_answer *b)
{
  if (!b || rank(a) != rank(b)) return !b || rank(a) < rank(b);
  return rank(a) == 3 && a->verdict->margin < b->verdict->margin;
}

/* Answers come by directory: whether this one is the first of its own. */
static bool is_first_of_folder(const sb_finding *finding, size_t i)
{
  return i == 0 || finding->answers[i].folder != finding->answers[i - 1].folder;
}

/* "(3 claims; rope_blowup)", "(2 of 3 claims tested; rope_blowup-quick)" */
static void put_basis(const sb_finding *finding, FILE *stream)
{
  size_t tested = 0;
  for (size_t i = 0; i < finding->count; ++i) tested += finding->answers[i].verdict->kind != SB_NOT_TESTED;
  if (tested < finding->count)
    fprintf(stream, " (%zu of %zu claims tested", tested, finding->count);
  else
    fprintf(stream, " (%zu claim%s", finding->count, finding->count == 1 ? "" : "s");
  for (size_t i = 0; i < finding->count; ++i)
    if (is_first_of_folder(finding, i)) fprintf(stream, "%s%s", i == 0 ? "; " : ", ", finding->answers[i].folder->name);
  fputc(')', stream);
}

static void print_finding(const sb_finding *finding, FILE *stream)
{
  const sb_answer *speaker = NULL;
  for (size_t i = 0; i < finding->count; ++i)
    if (is_before(&finding->answers[i], speaker)) speaker = &finding->answers[i];
  fprintf(stream, "%-*s  %s [%s]: ", WORD_WIDTH, sb_verdict_word(finding->verdict), finding->id,
          sb_claim_kind_word(finding->kind));
  if (finding->why && finding->verdict != SB_REPRODUCED_IN_PART) /* of which the basis tells */
    put_start(stream, finding->why);
  else if (speaker && speaker->verdict->margin > 0 && finding->kind == SB_CLAIM_TIME)
    fprintf(stream, "%.3g times as fast as published", speaker->verdict->margin);
  else if (speaker && speaker->verdict->kind == SB_REPRODUCED)
    put_start(stream, speaker->claim->claim); /* whose numbers stand in REPRODUCED.md */
  else if (speaker && speaker->verdict->kind == SB_CONTRADICTED)
    fprintf(stream, "it does not hold here that %s", speaker->claim->claim);
  else if (speaker)
    put_start(stream, speaker->verdict->told);
  if (finding->count > 0) put_basis(finding, stream);
  fputc('\n', stream);
}

/* Claims that name no finding are not on the list, so those that fail are named. */
static void print_own(const sb_findings *findings, FILE *stream)
{
  for (size_t i = 0; i < findings->own_count; ++i) {
    const sb_answer *answer = &findings->own[i];
    if (!sb_claim_fails(answer->claim, answer->verdict, true)) continue;
    fprintf(stream, "%-*s  %s (%s): ", WORD_WIDTH, sb_verdict_word(answer->verdict->kind), answer->claim->claim,
            answer->folder->name);
    put_start(stream, answer->verdict->told);
    fputc('\n', stream);
  }
  if (findings->own_count > 0)
    fprintf(stream, "%zu further claims of our own, %zu of them fail\n", findings->own_count,
            count_failures(findings->own, findings->own_count, true));
}

void sb_findings_print(const sb_findings *findings, FILE *stream)
{
  size_t of[SB_VERDICT_KINDS];
  for (size_t i = 0; i < findings->count; ++i) print_finding(&findings->each[i], stream);
  print_own(findings, stream);
  for (size_t i = 0; i < findings->folders->count; ++i)
    if (findings->folders->each[i].problem)
      fprintf(stream, "%s cannot be read: %s\n", findings->folders->each[i].name, findings->folders->each[i].problem);
  for (int kind = SB_CLAIM_EXACT; kind <= SB_CLAIM_TIME; ++kind) {
    size_t total = 0;
    sb_findings_count(findings, (sb_claim_kind)kind, of);
    for (int v = 0; v < SB_VERDICT_KINDS; ++v) total += of[v];
    fprintf(stream, "%zu findings of kind %s%s", total, sb_claim_kind_word((sb_claim_kind)kind), total > 0 ? ": " : "");
    sb_verdicts_write(of, stream);
    fputc('\n', stream);
  }
}

/* ---- as Markdown ---- */

/* A page of docs/findings. */
typedef struct {
  const char *name;
  char       *text;
} finding_page;

typedef struct {
  const sb_findings *findings;
  FILE              *stream;
  size_t             page_count;
  finding_page      *pages;
  const char        *prefix; /* of a link to a page of docs/findings; NULL where no relative one leads there */
} work;

/* Pages are linked where results lie in the source tree; elsewhere their names stand alone. */
static void read_pages(work *w)
{
  struct dirent **entries = NULL;
  char           *directory = sb_data_directory("docs/findings");
  char           *ours = sb_format("%s/../docs/findings", w->findings->folders->parent);
  char            real[PATH_MAX], there[PATH_MAX];
  if (realpath(directory, real) && realpath(ours, there) && strcmp(real, there) == 0) w->prefix = "../docs/findings/";
  const int count = scandir(directory, &entries, NULL, alphasort);
  for (int i = 0; i < count; ++i) {
    const char  *name = entries[i]->d_name;
    const size_t length = strlen(name);
    char        *path = sb_format("%s/%s", directory, name), *text = NULL;
    if (length > 3 && strcmp(name + length - 3, ".md") == 0 && strcmp(name, "README.md") != 0)
      text = sb_read_file(path, NULL);
    if (text) {
      w->pages = sb_grow(w->pages, w->page_count, sizeof *w->pages);
      w->pages[w->page_count++] = (finding_page){sb_copy_text(name), text};
    }
    free(path);
    free(entries[i]);
  }
  free(entries);
  free(ours);
  free(directory);
}

/* Whether `text` has `id` as a word of its own. */
static bool names(const char *text, const char *id)
{
  const size_t length = strlen(id);
  for (const char *at = text; (at = strstr(at, id)); at += length) {
    const bool begins = at == text || !(isalnum((unsigned char)at[-1]) || strchr("-_", at[-1]));
    if (begins && (at[length] == '\0' || (!isalnum((unsigned char)at[length]) && !strchr("-_", at[length]))))
      return true;
  }
  return false;
}

static void put(const work *w, const char *text) { sb_text_put_markdown(w->stream, text); }

/* "*reproduced*: nine are too few — status by substeps: diverged (9)". Long values of what holds are left to the
 * page of the sweep. */
static void put_answer(const work *w, const sb_answer *answer, bool with_verdict)
{
  const sb_verdict *verdict = answer->verdict;
  if (with_verdict) fprintf(w->stream, "*%s*: ", sb_verdict_word(verdict->kind));
  put(w, answer->claim->claim);
  if (verdict->margin > 0 && verdict->kind == SB_REPRODUCED && answer->claim->kind == SB_CLAIM_TIME)
    fprintf(w->stream, " (%.3g times as fast as published)", verdict->margin);
  if (!*verdict->told || (verdict->kind == SB_REPRODUCED && strlen(verdict->told) > SHORT_VALUES)) return;
  fputs(" — ", w->stream);
  put(w, verdict->told);
}

/* " [blowup](rope_blowup/report.md#table-blowup)", where the page of the sweep shows it. */
static void put_place(const work *w, const sb_results_folder *folder, const char *kind, const char *id)
{
  fputs(" [", w->stream);
  put(w, id);
  fputs("](", w->stream);
  sb_html_put_address(w->stream, folder->name);
  fprintf(w->stream, "/report.md#%s-", kind);
  sb_html_put_id(w->stream, id);
  fputc(')', w->stream);
}

/* " [rope_blowup](rope_blowup/report.md): [blowup](…) [thresholds](…)." */
static void put_folder(const work *w, const sb_results_folder *folder)
{
  const sb_results *results = folder->results;
  const sb_sweep   *sweep = results->sweep;
  fprintf(w->stream, " [%s](", sweep->name);
  sb_html_put_address(w->stream, folder->name);
  fprintf(w->stream, "/report.md)%s%s", results->quick ? " (quick)" : "",
          sweep->table_count + sweep->figure_count > 0 ? ":" : "");
  for (size_t i = 0; i < sweep->table_count; ++i) put_place(w, folder, "table", sweep->tables[i].id);
  for (size_t i = 0; i < sweep->figure_count; ++i) put_place(w, folder, "figure", sweep->figures[i].id);
  fputc('.', w->stream);
}

static void put_links(const work *w, const sb_finding *finding)
{
  for (size_t i = 0; i < finding->count; ++i)
    if (is_first_of_folder(finding, i)) put_folder(w, finding->answers[i].folder);
  for (size_t i = 0; i < w->page_count; ++i) {
    if (!names(w->pages[i].text, finding->id)) continue;
    if (w->prefix)
      fprintf(w->stream, " [page %s](%s%s)", w->pages[i].name, w->prefix, w->pages[i].name);
    else
      fprintf(w->stream, " docs/findings/%s", w->pages[i].name);
  }
}

static void put_finding(const work *w, const sb_finding *finding)
{
  bool differ = false;
  for (size_t i = 0; i < finding->count; ++i) differ = differ || finding->answers[i].verdict->kind != SB_REPRODUCED;
  fprintf(w->stream, "| **%s %s** | `%s` ", sb_verdict_sign(finding->verdict), sb_verdict_word(finding->verdict),
          finding->id);
  put(w, finding->setting);
  fputs(": ", w->stream);
  put(w, finding->finding);
  fputs(" (", w->stream);
  put(w, finding->source);
  fputs(") | ", w->stream);
  if (finding->why) put(w, finding->why);
  for (size_t i = 0; i < finding->count && finding->verdict != SB_NOT_TESTED; ++i) {
    if (i > 0 || finding->why) fputs("<br>", w->stream);
    put_answer(w, &finding->answers[i], differ);
  }
  fputs(" |", w->stream);
  put_links(w, finding);
  fputs(" |\n", w->stream);
}

/* A column for each verdict that some finding has. */
static void put_counts(const work *w)
{
  size_t of[SB_CLAIM_TIME + 1][SB_VERDICT_KINDS], all[SB_VERDICT_KINDS] = {0};
  for (int kind = SB_CLAIM_EXACT; kind <= SB_CLAIM_TIME; ++kind) {
    sb_findings_count(w->findings, (sb_claim_kind)kind, of[kind]);
    for (int v = 0; v < SB_VERDICT_KINDS; ++v) all[v] += of[kind][v];
  }
  fputs("| kind |", w->stream);
  for (int v = 0; v < SB_VERDICT_KINDS; ++v)
    if (all[v] > 0) fprintf(w->stream, " %s |", sb_verdict_word((sb_verdict_kind)v));
  fputs("\n|:---|", w->stream);
  for (int v = 0; v < SB_VERDICT_KINDS; ++v)
    if (all[v] > 0) fputs("---:|", w->stream);
  for (int kind = SB_CLAIM_EXACT; kind <= SB_CLAIM_TIME; ++kind) {
    fprintf(w->stream, "\n| %s |", sb_claim_kind_word((sb_claim_kind)kind));
    for (int v = 0; v < SB_VERDICT_KINDS; ++v)
      if (all[v] > 0) fprintf(w->stream, " %zu |", of[kind][v]);
  }
  fputc('\n', w->stream);
}

static void put_kind(const work *w, sb_claim_kind kind)
{
  static const char *const meaning[] = {[SB_CLAIM_EXACT] = "must hold",
                                        [SB_CLAIM_SHAPE] = "the trend must hold",
                                        [SB_CLAIM_TIME] = "to be beaten on this machine"};
  fprintf(w->stream, "\n## Findings of kind %s: %s\n\n", sb_claim_kind_word(kind), meaning[kind]);
  fputs("| verdict | published | here | see |\n|:---|:---|:---|:---|\n", w->stream);
  for (size_t i = 0; i < w->findings->count; ++i)
    if (w->findings->each[i].kind == kind) put_finding(w, &w->findings->each[i]);
}

void sb_findings_write_markdown(const sb_findings *findings, FILE *stream)
{
  work w = {.findings = findings, .stream = stream};
  bool quick = false;
  for (size_t i = 0; i < findings->folders->count && !quick; ++i)
    quick = counts(findings->folders, i) && findings->folders->each[i].results->quick;
  read_pages(&w);
  put_counts(&w);
  if (quick)
    fputs("\nWhat is marked quick rests on a part of its sweep, made with `--quick`: claims that need cases "
          "which are not there, or more repetitions, are not tested.\n",
          stream);
  for (int kind = SB_CLAIM_EXACT; kind <= SB_CLAIM_TIME; ++kind) put_kind(&w, (sb_claim_kind)kind);
  for (size_t i = 0; i < w.page_count; ++i) {
    free((char *)w.pages[i].name);
    free(w.pages[i].text);
  }
  free(w.pages);
}
