/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pages as Markdown, from results that are open; see page.h. All that a user wrote passes through sb_markdown_print. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/words.h"
#include "cases/common/durable.h"
#include "cases/store/case_file.h"
#include "harness/report/report.h"
#include "harness/report/report_text.h"
#include "harness/results/conclusion.h"
#include "harness/results/timing_notes.h"
#include "harness/sweep/request.h"

#define PAGES "../docs/" /* from a folder of results in the source tree */

enum { HEAD_BYTES = 256, FAILURES_SHOWN = 50, VALUES_SHOWN = 16, CASES_A_TABLE = 500 };

/* True for the text of a file that has a mark of ours near its beginning; NULL: there is no file. */
static bool is_ours(const char *text)
{
  SB_OWNED char *head = sb_format("%.*s", HEAD_BYTES, text ? text : "");
  return strstr(head, SB_PAGE_MARK) || strstr(head, SB_PAGE_HTML_MARK) || strstr(head, SB_PAGE_TEX_MARK);
}

bool sb_pages_are_wanted(const char *parent)
{
  const char    *slash = strrchr(parent, '/');
  SB_OWNED char *path = sb_format("%s/index.md", parent), *text = sb_read_file(path, NULL);
  return strcmp(slash ? slash + 1 : parent, "results") == 0 || is_ours(text);
}

sb_page_outcome sb_page_write(const char *path, const char *text)
{
  size_t         length = 0;
  SB_OWNED char *there = sb_read_file(path, &length);
  const char    *why = "was not made by springbench and is not changed";
  if (access(path, F_OK) != 0 || (there && length == 0) || is_ours(there)) { /* an empty one is nobody's */
    const bool same = there && strcmp(there, text) == 0;
    const int  error = same ? 0 : sb_report_replace(path, text);
    if (error == 0) return SB_PAGE_WRITTEN;
    /* A page is an extra: a folder without write permission is not a failure of the run. */
    why = "cannot be written here";
    if (error != EACCES && error != EPERM && error != EROFS) {
      sb_storage_error("write", path, error, 0);
      return SB_PAGE_FAILED;
    }
  }
  fprintf(stderr, "springbench: note: %s %s; the results are complete without this page\n", path, why);
  return SB_PAGE_LEFT;
}

/* A sweep on its way into its page. */
typedef struct {
  sb_arena          *arena;
  FILE              *out;
  sb_results        *results;
  const sb_sweep    *sweep;
  const sb_rows     *rows;
  const sb_findings *findings; /* NULL: not there */
} writer;

/* A block of code, in a fence that no line of it can end. */
static void put_code_block(const writer *w, const char *language, const char *text)
{
  const char *fence = "```", *end = *text && text[strlen(text) - 1] == '\n' ? "" : "\n";
  while (strstr(text, fence)) fence = sb_arena_format(w->arena, "%s`", fence);
  fprintf(w->out, "%s%s\n", fence, language);
  sb_text_put_lines(w->out, text);
  fprintf(w->out, "%s%s\n\n", end, fence);
}

/* Links to all forms of one thing that are there, in small print: "[csv](tables/a.csv) [md](tables/a.md)". */
static void put_forms(const writer *w, const char *folder, const char *stem, const char *forms)
{
  const char *links = "";
  for (char *form, *rest = sb_arena_copy(w->arena, forms); (form = strsep(&rest, " "));) {
    const char *name = sb_arena_format(w->arena, "%s/%s.%s", folder, stem, form);
    if (access(sb_arena_format(w->arena, "%s/%s", w->results->directory, name), F_OK) == 0)
      links = sb_markdown_format(w->arena, "%-s%-s[%s](" SB_AS_ADDRESS ")", links, *links ? " " : "", form, name);
  }
  sb_markdown_print(w->out, "{<small>%-s</small>}\n\n", links);
}

/* "**✓ 3 reproduced** **– 2 not tested, 1 holds so far**" */
static char *verdicts_text(sb_arena *arena, const size_t counts[SB_VERDICT_KINDS], size_t so_far)
{
  const char *held =
      so_far == 0 ? "" : sb_arena_format(arena, ", %zu %s so far", so_far, sb_by_count(so_far, "holds", "hold"));
  char *text = "";
  for (sb_verdict_kind kind = 0; kind < SB_VERDICT_KINDS; ++kind)
    if (counts[kind] > 0)
      text = sb_arena_join(arena, text, " ", "**%s %zu %s%s**", sb_verdict_sign(kind), counts[kind],
                           sb_verdict_word(kind), kind == SB_NOT_TESTED ? held : "");
  return text;
}

/* "12 of 40 cases: 9 ok, 2 timeout, 1 not run **✗ 3 without a result**" */
static char *status_text(sb_arena *arena, const sb_results *results)
{
  const sb_case_counts tally = sb_case_counts_of(results->rows, NULL);
  sb_arena_writer      text;
  FILE                *out = sb_arena_write(&text, arena);
  fprintf(out, "%s: ", sb_results_size(results));
  sb_case_counts_write(&tally, out);
  if (tally.failed + tally.missing > 0) fprintf(out, " **✗ %zu without a result**", tally.failed + tally.missing);
  return sb_arena_text(&text);
}

/* The options that vary, as this case has them: "h = 0.01 s, grid = 10". */
static char *case_words(const writer *w, size_t row)
{
  char *words = "";
  for (size_t c = 0; c < sb_rows_column_count(w->rows); ++c) {
    const sb_rows_column *column = sb_rows_column_at(w->rows, c);
    const sb_value        value = sb_rows_get(w->rows, row, c);
    if (!column->is_option || value.kind == SB_BLANK) continue;
    words = sb_arena_join(w->arena, words, ", ", "%s = %s%s%s", column->name, sb_value_text(w->arena, value),
                          *column->unit ? " " : "", column->unit);
  }
  return words;
}

/* "**✓ Answer.** Explicit Euler blows up after 10.6 s.", or why it is not the answer yet; "" without an answer. */
static char *answer_text(sb_arena *arena, const sb_results *results)
{
  static const char *const signs[] = {[SB_CONCLUSION_HOLDS] = "✓",
                                      [SB_CONCLUSION_SO_FAR] = "◐",
                                      [SB_CONCLUSION_EXPECTED] = "–",
                                      [SB_CONCLUSION_NOT_RUN] = "–",
                                      [SB_CONCLUSION_REFUTED] = "✗"};
  const sb_conclusion     *c = sb_results_conclusion(results);
  if (c->kind == SB_CONCLUSION_NONE) return "";
  return sb_markdown_format(arena, "**%-s %s.**{ %s}{ (Left open: %s)}{ (Times: %s)}", signs[c->kind], c->lead,
                            c->sentence, c->blanks, c->times);
}

/* The answer, and the claims of each verdict in a line. The number of claims is enough for those not tested, and for
 * those reproduced if there is an answer. Then how the cases ended. */
static void put_answer(const writer *w)
{
  const sb_verdict     *verdicts = sb_results_verdicts(w->results);
  const sb_timing_notes times = sb_timing_notes_of(w->results, NULL, false, w->arena);
  const char           *answer = answer_text(w->arena, w->results);
  if (w->sweep->claim_count == 0) fputs("> This sweep has no claims; its tables and figures are the answer.\n", w->out);
  sb_markdown_print(w->out, "{> %-s\n>\n}", answer);
  for (sb_verdict_kind kind = 0; kind < SB_VERDICT_KINDS; ++kind) {
    const char *claims = "";
    size_t      count = 0;
    for (size_t i = 0; i < w->sweep->claim_count; ++i)
      if (verdicts[i].kind == kind)
        claims = sb_markdown_format(w->arena, "%-s%-s%s", claims, count++ > 0 ? "; " : " ", w->sweep->claims[i].claim);
    if (kind == SB_NOT_TESTED || (kind == SB_REPRODUCED && *answer))
      claims = sb_arena_format(w->arena, " [%s](#claims)", sb_counted(w->arena, count, "claim"));
    if (count > 0)
      sb_markdown_print(w->out, "> **%-s %-s**%-s.\n>\n", sb_verdict_sign(kind), sb_verdict_word(kind), claims);
  }
  const char *options = sb_request_options(w->sweep, w->arena);
  sb_markdown_print(w->out, "\n%-s%-s.{ %s.}{ %s.}{ %s.}\n\n", w->results->quick ? "A quick run. " : "",
                    status_text(w->arena, w->results), times.noise, times.origins, times.again);
  sb_markdown_print(w->out, "{Asked with " SB_AS_CODE ".\n\n}{%s.\n\n}{%s; `springbench forget` lists them.\n\n}",
                    *options ? options + 1 : "", sb_results_changed_inputs(w->results),
                    sb_results_set_aside(w->results));
}

static void put_failures(const writer *w)
{
  const size_t failures = sb_case_counts_of(w->rows, NULL).failed;
  size_t       shown = 0;
  if (failures == 0) return;
  fprintf(w->out, "**✗ %s failed**\n\n", sb_counted(w->arena, failures, "case"));
  for (size_t row = 0; row < sb_rows_count(w->rows) && shown < FAILURES_SHOWN; ++row) {
    if (sb_row_state(w->rows, row) != SB_STATE_FAILED) continue;
    const char *key = sb_report_word(w->results, row, "key");
    sb_markdown_print(w->out, "- [" SB_AS_CODE "](#case-" SB_AS_ID ") %s — %s: %s\n", key, key,
                      sb_report_word(w->results, row, "status"), case_words(w, row),
                      sb_report_word(w->results, row, "reason"));
    shown++;
  }
  if (failures > shown) fprintf(w->out, "- and %zu more, in the list of cases\n", failures - shown);
  fputc('\n', w->out);
}

/* The published finding that claim i answers, with the first claim that does; NULL: there is none. */
static const sb_finding *finding_of(const writer *w, size_t i)
{
  const sb_finding *found = NULL;
  const char       *id = w->sweep->claims[i].finding;
  for (size_t k = 0; id && w->findings && k < w->findings->count; ++k)
    if (strcmp(w->findings->each[k].id, id) == 0) found = &w->findings->each[k];
  for (size_t k = 0; found && k < i; ++k)
    if (w->sweep->claims[k].finding && strcmp(w->sweep->claims[k].finding, id) == 0) found = NULL;
  return found;
}

static void put_claims(const writer *w)
{
  static const char *const meaning[] = {[SB_CLAIM_EXACT] = "exact: it must hold",
                                        [SB_CLAIM_SHAPE] = "shape: the trend must hold",
                                        [SB_CLAIM_TIME] = "time: on this machine"};
  const sb_verdict        *verdicts = sb_results_verdicts(w->results);
  for (size_t i = 0; i < w->sweep->claim_count; ++i) {
    const sb_claim   *claim = &w->sweep->claims[i];
    const sb_verdict  v = verdicts[i];
    const char       *id = sb_request_replaces_nothing(w->sweep) ? claim->finding : NULL;
    const sb_finding *published = id ? finding_of(w, i) : NULL;
    sb_markdown_print(w->out, "- **%-s %s** %s", sb_verdict_sign(v.kind), sb_verdict_word(v.kind), claim->claim);
    sb_markdown_print(w->out, v.kind == SB_NOT_TESTED ? "{\\\n  *Why:* %s}" : "{\\\n  *Here:* %s}", v.told);
    if (published) sb_markdown_print(w->out, "\\\n  *Published:* %s (%s)", published->finding, published->source);
    /* One block of HTML: the entry goes on after it, and its text is not read as Markdown. */
    sb_markdown_print(w->out,
                      "\n  <details><summary>%-s{ · finding " SB_AS_HTML "}</summary>{<code>" SB_AS_HTML
                      "</code>}{ of cases with <code>" SB_AS_HTML "</code>}</details>\n",
                      meaning[claim->kind], id, claim->test ? sb_expression_text(claim->test) : "",
                      claim->where ? sb_expression_text(claim->where) : "");
  }
  if (w->sweep->claim_count > 0) fputc('\n', w->out);
}

/* The file of a figure that a page can hold, relative to the results: if it is to be small, its first panel; vectors,
 * else pixels; NULL: there is none. */
static const char *picture_of(sb_arena *arena, const sb_results *results, const sb_figure_spec *spec, bool small)
{
  static const char *const shown[] = {"png", "svg", "panel.svg"};
  const char              *picture = NULL;
  for (size_t k = 0; k < (small ? 3 : 2); ++k) {
    struct stat about = {0};
    const char *name = sb_arena_format(arena, "figures/%s.%s", spec->id, shown[k]);
    const char *path = sb_arena_format(arena, "%s/%s", results->directory, name);
    if (stat(path, &about) == 0 && about.st_size > 0 && about.st_size <= SB_PAGE_PICTURE_BYTES_MAX) picture = name;
  }
  return picture;
}

static void put_figures_if(const writer *w, bool drawn)
{
  for (size_t i = 0; i < w->sweep->figure_count; ++i) {
    const sb_figure_spec *spec = &w->sweep->figures[i];
    const char           *title = sb_figure_name(w->results, spec);
    const char           *picture = picture_of(w->arena, w->results, spec, false);
    if (drawn != (picture != NULL)) continue;
    /* figure.c stored a note on its times, or why it was not drawn. */
    const char *path =
        sb_arena_format(w->arena, "%s/figures/%s.%s", w->results->directory, spec->id, picture ? "note" : "why");
    const char *stored = sb_arena_adopt(w->arena, sb_read_file(path, NULL));
    sb_markdown_print(w->out, "<a id=\"figure-" SB_AS_ID "\"></a>", spec->id);
    if (picture)
      sb_markdown_print(w->out, "![%s](" SB_AS_ADDRESS ")\n\n**%s** ", title, picture, title);
    else
      sb_markdown_print(w->out, "**%s** This figure has not been drawn%-s%s. ", title,
                        stored ? ": " : "; springbench plot draws it", stored);
    sb_markdown_print(w->out, "%s{ %s}\n", sb_results_text(w->results, spec->note), picture ? stored : "");
    put_forms(w, "figures", spec->id, "svg pdf png gp dat");
    fputc('\n', w->out);
  }
}

static void put_figures(const writer *w) { put_figures_if(w, true); }

static void put_undrawn(const writer *w) { put_figures_if(w, false); }

/* The names of films and players in a folder, without endings. */
static sb_names films_in(const char *folder, sb_arena *arena)
{
  struct dirent **entries = NULL;
  sb_names        stems = {0};
  const int       count = scandir(folder, &entries, NULL, alphasort);
  for (int i = 0; i < count; ++i) {
    const char *name = entries[i]->d_name, *end = strrchr(name, '.');
    if (end && end > name && (strcmp(end, ".gif") == 0 || strcmp(end, ".html") == 0))
      sb_names_add(arena, &stems, sb_arena_copy_span(arena, name, (size_t)(end - name)));
    free(entries[i]);
  }
  free(entries);
  return stems;
}

/* A film is above its stills; a printed page shows only these. A quick run has players alone. Its title is the one in
 * the sweep, or else the case that it shows, or else the file's name. */
static void put_films(const writer *w)
{
  const char    *folder = sb_arena_format(w->arena, "%s/animations", w->results->directory);
  const sb_names stems = films_in(folder, w->arena);
  for (size_t i = 0; i < stems.count; ++i) {
    const char *stem = stems.names[i];
    if (access(sb_arena_format(w->arena, "%s/%s.gif", folder, stem), F_OK) == 0)
      sb_markdown_print(w->out, "![the motion, animated](animations/" SB_AS_ADDRESS ".gif)\n", stem);
    if (access(sb_arena_format(w->arena, "%s/%s.png", folder, stem), F_OK) == 0)
      sb_markdown_print(w->out, "![stills of the motion](animations/" SB_AS_ADDRESS ".png)\n", stem);
    const sb_animation_spec *spec = w->sweep->animations, *end = spec + w->sweep->animation_count;
    while (spec < end && strcmp(spec->id, stem) != 0) ++spec;
    const sb_animation_spec *other = spec < end ? sb_sweep_animation_beside(w->sweep, spec) : NULL;
    const char              *title = spec < end ? spec->title : NULL, *beside = other ? other->title : NULL;
    size_t                   row = 0;
    if (other && !beside) beside = other->id;
    while (row < sb_rows_count(w->rows) && strcmp(sb_report_word(w->results, row, "key"), stem) != 0) ++row;
    if (!title) title = row < sb_rows_count(w->rows) ? case_words(w, row) : stem;
    sb_markdown_print(w->out, "\n**%s** ", title);
    if (access(sb_arena_format(w->arena, "%s/%s.html", folder, stem), F_OK) == 0)
      sb_markdown_print(w->out, "[▶ turn, zoom and play{, beside “%s”}](animations/" SB_AS_ADDRESS ".html) ", beside,
                        stem);
    put_forms(w, "animations", stem, "gif png");
  }
}

/* Values are links to their cases; of neighbouring values of one case only the first is. Marks and prose are below in
 * small print, without what the page has shown before. */
static void put_table(const writer *w, sb_table *table)
{
  const unsigned used = sb_table_marks(table);
  for (size_t row = 0; row < table->row_count; ++row)
    for (size_t column = table->stub_count; column < table->column_count; ++column) {
      sb_cell    *cell = sb_table_cell(table, row, column);
      const char *before = column > table->stub_count ? cell[-1].source : NULL;
      if (cell->source && cell->text && !(before && strcmp(before, cell->source) == 0))
        cell->markdown = sb_markdown_format(w->arena, "[%s](#case-" SB_AS_ID ")", cell->text, cell->source);
    }
  sb_table grid = *table;
  grid.note_count = 0;
  memset(grid.means, 0, sizeof grid.means);
  sb_table_print(&grid, SB_TABLE_MARKDOWN, w->out);
  for (unsigned i = 0; i < SB_MARK_KINDS; ++i)
    if (used & 1U << i) sb_table_add_note(table, SB_NOTE_BELOW, sb_table_lead(SB_TABLE_MARKDOWN, i), table->means[i]);
  for (size_t i = 0; i < table->note_count; ++i) {
    const sb_table_note *note = &table->notes[i];
    if (note->place > SB_NOTE_ABOVE && strcmp(note->lead, "Source:") != 0)
      sb_markdown_print(w->out, "<small>{%-s }%s</small>\\\n", note->lead, note->text);
  }
}

static void put_tables(const writer *w)
{
  for (size_t i = 0; i < w->sweep->table_count; ++i) {
    const sb_table_spec                                *spec = &w->sweep->tables[i];
    SB_ENDED_BY(sb_diagnostics_destroy) sb_diagnostics *diagnostics = sb_diagnostics_create();
    sb_table                                           *table = sb_sweep_table(w->results, spec, w->arena, diagnostics);
    sb_markdown_print(w->out, "### <a id=\"table-" SB_AS_ID "\"></a>%s\n\n", spec->id,
                      spec->title ? sb_results_text(w->results, spec->title) : spec->id);
    if (table)
      put_table(w, table);
    else
      sb_markdown_print(w->out, "This table cannot be made: %s\n\n", sb_diagnostics_first_error(diagnostics));
    put_forms(w, "tables", spec->id, "csv md tex txt");
  }
}

/* The values of a column, each once. */
static void put_values(const writer *w, size_t column)
{
  sb_names texts = {0};
  for (size_t row = 0; row < sb_rows_count(w->rows) && texts.count <= VALUES_SHOWN; ++row) {
    const char *text = sb_value_text(w->arena, sb_rows_get(w->rows, row, column));
    if (*text) sb_names_add(w->arena, &texts, text);
  }
  for (size_t i = 0; i < texts.count; ++i)
    sb_markdown_print(w->out, "%-s%s", i > 0 ? ", " : "", i < VALUES_SHOWN ? texts.names[i] : "…");
}

/* Writes the varying options, with their values in the order of the plan, and the measured columns. */
static void put_columns(const writer *w)
{
  const sb_driver *driver = sb_driver_find(w->results->session.vocabulary, w->sweep->driver);
  const char      *lead = "Options that vary between the cases:\n\n";
  for (size_t c = 0; c < sb_rows_column_count(w->rows); ++c) {
    const sb_rows_column *column = sb_rows_column_at(w->rows, c);
    const sb_option_id    id = sb_option_find(column->name);
    if (!column->is_option) continue;
    sb_markdown_print(w->out, "%-s- " SB_AS_CODE ": {%s: }", lead, column->name,
                      id != sb_option_count ? sb_option_at(id)->summary : "");
    put_values(w, c);
    sb_markdown_print(w->out, "{ %s}\n", column->unit);
    lead = "";
  }
  if (!*lead) fputc('\n', w->out);
  if (!driver) return;
  sb_markdown_print(w->out,
                    "Driver: " SB_AS_CODE ", %s.\n\n<details>\n<summary>Meaning of the measured columns</summary>\n\n",
                    driver->name, driver->summary);
  for (size_t i = 0; i < driver->column_count; ++i)
    sb_markdown_print(w->out, "- " SB_AS_CODE ": %s{ (%s)}\n", driver->columns[i].name, driver->columns[i].sentence,
                      driver->columns[i].unit);
  fputs("\n</details>\n\n", w->out);
}

static void put_notes(const writer *w)
{
  sb_markdown_print(w->out, "{Source: %s.\n\n}", w->sweep->source);
  put_columns(w);
  if (w->sweep->exclusion_count > 0) fputs("Excluded by the sweep, and shown as *skipped*:\n\n", w->out);
  for (size_t i = 0; i < w->sweep->exclusion_count; ++i) {
    const sb_exclusion *exclusion = &w->sweep->exclusions[i];
    sb_markdown_print(w->out, "- " SB_AS_CODE ": %s\n%-s", exclusion->when ? sb_expression_text(exclusion->when) : "",
                      exclusion->because, i + 1 == w->sweep->exclusion_count ? "\n" : "");
  }
  fputs("A case without a number shows how it ended. *diverged*: it left its bounds. *not conv.*: it did not reach its "
        "tolerance. *not SPD*: a matrix was not positive definite. *unresolved*: pins, colliders or the start left no "
        "way to resolve a contact. *timeout*, *memory*, *crashed* and *error* are failures of the run. In a table over "
        "two axes *ok* means that the case ended ok and has no such value (it never blew up); – means that there is no "
        "such case, or as the note below the table says. Numbers have the digits that their repetitions support; links "
        "in a line lead to its cases.\n\n",
        w->out);
  if (w->results->quick)
    fputs("This was a quick run of a part of the sweep. Claims that need cases or repetitions outside this part are "
          "marked `not tested`.\n\n",
          w->out);
}

/* Writes a table of the cases from `first` to before `end`, in an arena that is freed after it. */
static void put_case_table(const writer *w, size_t first, size_t end)
{
  const size_t                            rows = sb_rows_count(w->rows), columns = sb_rows_column_count(w->rows);
  SB_ENDED_BY(sb_arena_destroy) sb_arena *arena = sb_arena_create();
  sb_table                               *table = sb_table_of_words(arena, "case|status");
  for (size_t c = 0; c < columns; ++c) {
    const sb_rows_column *column = sb_rows_column_at(w->rows, c);
    bool                  numeric = true;
    for (size_t row = 0; row < rows && numeric; ++row) numeric = sb_rows_get(w->rows, row, c).kind != SB_WORD;
    if (column->is_option) sb_table_add_column(table, column->name, column->unit, numeric);
  }
  sb_table_add_column(table, "took", "s", true);
  sb_table_add_column(table, "repeat it", "", false);
  sb_table_add_column(table, "said", "", false);
  for (size_t row = first; row < end; ++row) {
    const sb_value took = sb_rows_get_named(w->rows, row, "wall_s");
    char           seconds[SB_NUMBER_TEXT];
    const char    *key = sb_report_word(w->results, row, "key"), *status = sb_report_word(w->results, row, "status"),
               *command = sb_report_word(w->results, row, "command"), *noisy = sb_report_word(w->results, row, "noisy");
    sb_table_add_row(table);
    sb_table_put(table, key)->markdown =
        sb_markdown_format(arena, "<a id=\"case-" SB_AS_ID "\"></a>" SB_AS_CODE, key, key);
    sb_cell *cell = sb_table_put(table, *status ? status : "not run");
    if (sb_row_state(w->rows, row) == SB_STATE_FAILED || !*status)
      cell->markdown = sb_markdown_format(arena, "**✗ %s**", cell->text);
    for (size_t c = 0; c < columns; ++c) {
      const char *value = sb_value_text(arena, sb_rows_get(w->rows, row, c));
      if (sb_rows_column_at(w->rows, c)->is_option) sb_table_put(table, *value ? value : NULL);
    }
    sb_table_put(table, took.kind == SB_NUMBER ? sb_text_rounded(took.number, SB_DIGITS, seconds) : NULL);
    sb_table_put(table, command)->markdown = sb_markdown_format(arena, SB_AS_CODE, command);
    sb_table_put(table, sb_arena_format(table->arena, "%s%s%s", sb_report_word(w->results, row, "reason"),
                                        *noisy ? "noisy: " : "", noisy));
  }
  sb_table_print(table, SB_TABLE_MARKDOWN, w->out);
}

static void put_cases(const writer *w)
{
  const size_t rows = sb_rows_count(w->rows);
  sb_markdown_print(w->out, "%-s. All their numbers, one row per case: ", status_text(w->arena, w->results));
  put_forms(w, ".", "results", "csv h5");
  fputs("<details>\n<summary>Every case, and the command that repeats it</summary>\n\n", w->out);
  for (size_t first = 0; first < rows || first == 0; first += CASES_A_TABLE)
    put_case_table(w, first, first + CASES_A_TABLE < rows ? first + CASES_A_TABLE : rows);
  fputs("</details>\n\n", w->out);
}

/* The provenance of the first undamaged case file; NULL if no file has one. HDF5 believes what it reads, so the
 * checksum is tested first. */
static json_t *first_provenance(const sb_results *results)
{
  json_t *provenance = NULL;
  char    error[SB_ERROR_SIZE] = "";
  for (size_t row = 0; !provenance && results->plan && row < sb_rows_count(results->rows); ++row) {
    const char *path = NULL;
    if (!sb_results_case_file(results, row, results->session.arena, &path, error)) continue;
    const hid_t file = sb_case_file_open(path, error);
    provenance = file >= 0 ? sb_h5_attributes(file, "provenance") : NULL;
    if (!sb_case_file_close(file, provenance != NULL, error)) {
      json_decref(provenance);
      provenance = NULL;
    }
  }
  return provenance;
}

static void put_term(const writer *w, const char *term, const json_t *value)
{
  const char *text = json_string_value(value);
  if (value && !text) text = sb_arena_adopt(w->arena, json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(4)));
  if (text && *text) sb_markdown_print(w->out, "- *%-s:* %s\n", term, text);
}

/* The hosts, nodes or jobs that ran cases, each once; of many the first ones. */
static void put_places(const writer *w, const char *name)
{
  enum { SHOWN_MAX = 8 };
  sb_names    found = {0};
  const char *key = NULL;
  json_t     *event = NULL;
  json_object_foreach(w->results->journal.cases, key, event)
  {
    const char *text = json_string_value(json_object_get(event, name));
    if (text) sb_names_add(w->arena, &found, text);
  }
  const char *term = found.count > 1 ? sb_arena_format(w->arena, "%ss", name) : name;
  if (found.count > 0)
    sb_markdown_print(w->out, "- *%-s:* %s\n", term, sb_names_join(w->arena, &found, ", ", SHOWN_MAX));
}

/* Each machine and build of the journal, once; hosts, nodes and jobs; dates; and the remaining facts from a case file.
 */
static void put_provenance(const writer *w)
{
  static const struct {
    const char *term, *attribute;
  } shown[] = {{"processor", "cpu"},
               {"microcode", "microcode"},
               {"caches", "caches"},
               {"memory", "memory"},
               {"processors", "cores"},
               {"usable by a case", "cores_usable"},
               {"frequency governor", "governor"},
               {"kernel", "kernel"},
               {"load average at the start", "load_average"},
               {"program", "git_describe"},
               {"compiler", "compiler"},
               {"flags", "compiler_flags"},
               {"PETSc", "petsc_version"},
               {"SLEPc", "slepc_version"},
               {"CHOLMOD", "cholmod_version"},
               {"BLAS", "blas"},
               {"BLAS threads", "blas_threads"},
               {"HDF5", "hdf5_version"},
               {"MPI", "mpi_version"},
               {"PETSc options", "petsc_options"},
               {"PETSC_OPTIONS", "petsc_options_environment"},
               {"plug-ins", "plugins"}};
  static const char *const told[] = {"machine", "build"}, *const places[] = {"host", "node", "job"};
  const json_t *runs = w->results->journal.runs;
  const size_t  count = json_array_size(runs);
  for (size_t k = 0; k < sizeof told / sizeof *told; ++k)
    for (size_t i = 0; i < count; ++i) {
      const json_t *text = json_object_get(json_array_get(runs, i), told[k]);
      bool          said = false;
      for (size_t j = 0; j < i && !said; ++j)
        said = json_equal(json_object_get(json_array_get(runs, j), told[k]), text);
      if (!said) put_term(w, told[k], text);
    }
  for (size_t k = 0; k < sizeof places / sizeof *places; ++k) put_places(w, places[k]);
  if (count > 0)
    put_term(w, sb_by_count(count, "run", "last run"), json_object_get(json_array_get(runs, count - 1), "at"));
  json_auto_t *provenance = first_provenance(w->results);
  for (size_t i = 0; i < sizeof shown / sizeof *shown; ++i)
    put_term(w, shown[i].term, json_object_get(provenance, shown[i].attribute));
  fputs(provenance ? "\n" : "\nNo stored case has details of libraries and flags.\n\n", w->out);
}

static void put_machine(const writer *w)
{
  const char *slash = strrchr(w->results->directory, '/'), *name = slash ? slash + 1 : w->results->directory;
  const char *quick = w->results->quick ? " --quick" : "";
  size_t      all = 0;
  put_provenance(w);
  fputs("To run all of it again, in the folder that holds this sweep's:\n\n", w->out);
  put_code_block(w, "sh",
                 sb_markdown_format(w->arena, "springbench run " SB_AS_SHELL_WORD " --rerun all%-s", name, quick));
  if (!sb_results_are_whole(w->results, &all))
    fprintf(w->out,
            "The current sweep makes %zu cases. These are only some of them, or others (--quick, -p, -f or --shard was "
            "given, or it was edited); each has its own command above.\n\n",
            all);
  if (!w->sweep->text) return;
  fputs("<details>\n<summary>The sweep file</summary>\n\n", w->out);
  put_code_block(w, "yaml", w->sweep->text);
  fputs("</details>\n", w->out);
}

/* The page of a sweep: an answer, then the sections that are not empty. Links to them are added to *links. */
static const char *sweep_page(sb_arena *arena, sb_results *results, const sb_findings *findings, const char **links)
{
  static const struct {
    const char *title, *place;
    void (*put)(const writer *w);
    bool needs_cases;
  } sections[] = {{"Figures", "figures", put_figures, true},
                  {"Animations", "animations", put_films, true},
                  {"Claims", "claims", put_claims, false},
                  {"Tables", "tables", put_tables, true},
                  {"Figures that are not drawn", "figures-that-are-not-drawn", put_undrawn, true},
                  {"How to read this page", "how-to-read-this-page", put_notes, false},
                  {"Cases", "cases", put_cases, false},
                  {"Machine and provenance", "machine-and-provenance", put_machine, false}};
  sb_arena_writer text, section;
  writer          w = {arena, sb_arena_write(&text, arena), results, results->sweep, results->rows, findings};
  FILE           *page = w.out;
  const bool      ran = sb_results_conclusion(results)->kind != SB_CONCLUSION_NOT_RUN;
  sb_markdown_print(page, "# %s\n\n%s\n\n", w.sweep->name, w.sweep->question);
  put_answer(&w);
  put_failures(&w);
  for (size_t i = 0; i < sizeof sections / sizeof *sections; ++i) {
    if (sections[i].needs_cases && !ran) continue;
    w.out = sb_arena_write(&section, arena);
    sections[i].put(&w);
    const char *said = sb_arena_text(&section);
    if (!*said) continue;
    fprintf(page, "## %s\n\n%s", sections[i].title, said);
    if (links) *links = sb_arena_format(arena, "%s- [%s](#%s)\n", *links, sections[i].title, sections[i].place);
  }
  return sb_arena_text(&text);
}

/* Puts the mark before a text. */
static sb_page_outcome write_markdown(sb_arena *arena, const char *directory, const char *name, const char *text)
{
  return sb_page_write(sb_arena_format(arena, "%s/%s", directory, name),
                       sb_arena_format(arena, "%s\n\n%s", SB_PAGE_MARK, text));
}

/* Writes the first `files` parts as Markdown, and all of them as one page of HTML, whose outcome it is. */
static sb_page_outcome write_all(sb_arena *arena, const char *directory, const sb_page *page, size_t files)
{
  const char *path = sb_arena_format(arena, "%s/report.html", directory), *html = sb_page_html(page, directory, arena);
  bool        good = html != NULL;
  for (size_t i = 0; i < files; ++i)
    good = write_markdown(arena, directory, page->parts[i].address, page->parts[i].text) != SB_PAGE_FAILED && good;
  const sb_page_outcome outcome = html ? sb_page_write(path, html) : SB_PAGE_FAILED;
  return good ? outcome : SB_PAGE_FAILED;
}

/* All tables as an article of LaTeX. LaTeX holds few tables back until a page is full, so pages end behind every few.
 */
static bool write_article(sb_arena *arena, const sb_results *results)
{
  enum { TABLES_A_PAGE = 4 };
  const sb_sweep *sweep = results->sweep;
  if (sweep->table_count == 0) return true;
  const char *text = SB_PAGE_TEX_MARK "; pdflatex makes a PDF of it\n\\documentclass{article}\n"
                                      "\\usepackage[a4paper,margin=25mm]{geometry}\n\\usepackage{array,booktabs}\n"
                                      "\\begin{document}\n";
  for (size_t t = 0; t < sweep->table_count; ++t)
    text = sb_arena_format(arena, "%s\\input{tables/%s}\n%s", text, sweep->tables[t].id,
                           (t + 1) % TABLES_A_PAGE == 0 ? "\\clearpage\n" : "");
  return sb_page_write(sb_arena_format(arena, "%s/tables.tex", results->directory),
                       sb_arena_format(arena, "%s\\end{document}\n", text)) != SB_PAGE_FAILED;
}

sb_page_outcome sb_page_write_sweep(sb_results *results)
{
  sb_arena          *arena = sb_arena_create();
  sb_session         session = results->session;
  sb_results_folders none = {.parent = results->directory};
  session.arena = arena;
  session.diagnostics = NULL; /* a user's sweep is in a folder without findings */
  const sb_findings *findings = sb_findings_judge(&session, &none, results->published_dir); /* for their words alone */
  sb_page_part       part = {.address = "report.md", .id = "", .title = results->sweep->name};
  sb_page            html = {.navigation = "", .parts = &part, .count = 1};
  html.title = sb_arena_format(arena, "%s – springbench", results->sweep->name);
  part.text = sweep_page(arena, results, findings, &html.navigation);
  const char *parent = sb_arena_adopt(arena, realpath(sb_arena_format(arena, "%s/..", results->directory), NULL));
  if (parent && sb_pages_are_wanted(parent))
    html.navigation = sb_arena_format(arena, "- [All sweeps](../report.html)\n%s", html.navigation);
  const bool            article = write_article(arena, results);
  const sb_page_outcome outcome = write_all(arena, results->directory, &html, 1);
  sb_arena_destroy(&arena);
  return article ? outcome : SB_PAGE_FAILED;
}

/* A sweep of a folder on its way into the folder's pages. */
typedef struct {
  const sb_results_folder *folder;
  const char              *name, *topic; /* "": none */
  bool                     begins;       /* the sweeps of its topic */
  size_t                   counts[SB_VERDICT_KINDS], so_far;
} entry;

/* By topic, those without one last; then by name. */
static int compare_entries(const void *left, const void *right)
{
  const entry *a = left, *b = right;
  const int    order = !*a->topic || !*b->topic ? !*a->topic - !*b->topic : strverscmp(a->topic, b->topic);
  return order != 0 ? order : strcmp(a->name, b->name);
}

static bool has_answers(const sb_findings *findings) { return findings && findings->answered > 0; }

/* The first figure of a sweep that is drawn, with its title; NULL: there is none. */
static const char *first_picture(sb_arena *arena, const entry *e, const char **title)
{
  const sb_results *results = e->folder->results;
  const char       *picture = NULL;
  for (size_t i = 0; i < results->sweep->figure_count && !picture; ++i) {
    *title = sb_figure_name(results, &results->sweep->figures[i]);
    picture = picture_of(arena, results, &results->sweep->figures[i], true);
  }
  return picture ? sb_arena_format(arena, "%s/%s", e->name, picture) : NULL;
}

/* A sweep's line of the index: its name over its first figure; question and answer; verdicts; cases. */
static void put_index_line(sb_table *table, sb_arena *arena, const entry *e)
{
  const sb_results *results = e->folder->results;
  const char       *name = sb_markdown_format(arena, "[%s](" SB_AS_ADDRESS "/report.md)", e->name, e->name);
  sb_table_add_row(table);
  if (!results) {
    sb_table_put(table, "sweep")->markdown = name;
    sb_table_put(table, sb_arena_format(arena, "cannot be read: %s", e->folder->problem));
    return;
  }
  const sb_timing_notes times = sb_timing_notes_of(results, NULL, true, arena);
  const sb_sweep       *sweep = results->sweep;
  const char           *title = "", *picture = first_picture(arena, e, &title);
  if (picture)
    name = sb_markdown_format(arena, "%-s<br>[![%s](" SB_AS_ADDRESS ")](" SB_AS_ADDRESS "/report.md)", name, title,
                              picture, e->name);
  const char *answer = answer_text(arena, results);
  sb_table_put(table, "sweep")->markdown = name;
  sb_table_put(table, "question")->markdown =
      sb_markdown_format(arena, "%s%-s%-s", sweep->question, sweep->question && *answer ? "<br>" : "", answer);
  sb_table_put(table, "verdicts")->markdown = verdicts_text(arena, e->counts, e->so_far);
  sb_table_put(table, "cases")->markdown =
      sb_markdown_format(arena, "%-s{; %s}{; %s}{; %s}{; %s}", status_text(arena, results), times.noise, times.origins,
                         sb_results_changed_inputs(results), sb_results_set_aside(results));
}

/* The texts of one name in the events of the runs of these sweeps, each once. */
static sb_names told_by_runs(sb_arena *arena, const entry *entries, size_t count, const char *name)
{
  sb_names found = {0};
  for (size_t i = 0; i < count; ++i) {
    const json_t *runs = entries[i].folder->results ? entries[i].folder->results->journal.runs : NULL;
    for (size_t k = 0; k < json_array_size(runs); ++k) {
      const char *text = json_string_value(json_object_get(json_array_get(runs, k), name));
      if (text) sb_names_add(arena, &found, text);
    }
  }
  return found;
}

/* "2026-11-25 to 2026-11-27": the days of these runs. */
static const char *days_of_runs(sb_arena *arena, const entry *entries, size_t count)
{
  enum { DAY_LENGTH = 10 };
  const sb_names times = told_by_runs(arena, entries, count, "at");
  if (times.count == 0) return "";
  const char *first = times.names[0], *last = first;
  for (size_t i = 1; i < times.count; ++i) {
    if (strcmp(times.names[i], first) < 0) first = times.names[i];
    if (strcmp(times.names[i], last) > 0) last = times.names[i];
  }
  const bool same = strncmp(first, last, DAY_LENGTH) == 0;
  return sb_arena_format(arena, "%.10s%s%.10s", first, same ? "" : " to ", same ? "" : last);
}

/* Writes which cases the sweeps lack, and the command that runs them. The path of a sweep file works for every name and
 * depth. */
static void put_rest(sb_arena *arena, const entry *entries, const sb_results_folders *folders, FILE *out)
{
  enum { COMMANDS_MAX = 5 };
  SB_OWNED char *path = realpath(folders->parent, NULL), *program = sb_program_file("springbench");
  const char *slash = path ? strrchr(path, '/') : NULL, *parent = slash && slash[1] ? slash + 1 : ".", *commands = "";
  size_t      quick = 0, parts = 0, all = 0;
  bool        alike = true; /* every folder has the name of its sweep */
  for (size_t i = 0; i < folders->count; ++i) {
    const sb_results *results = entries[i].folder->results;
    const bool        once = results && results->quick && results->sweep->timed;
    const bool        part = results && (once || !sb_results_are_whole(results, &all));
    alike = alike && results && strcmp(entries[i].name, results->sweep->name) == 0;
    quick += part && results->quick;
    if (part && ++parts <= COMMANDS_MAX)
      commands =
          sb_markdown_format(arena, "%-s" SB_AS_SHELL_WORD " run " SB_AS_SHELL_WORD " -o " SB_AS_SHELL_WORD "\n",
                             commands, program, sb_arena_format(arena, "%s/%s/sweep.yaml", parent, entries[i].name),
                             sb_arena_format(arena, "%s/%s", parent, entries[i].name));
  }
  if (parts == 0) return;
  if (alike && parts > 1)
    commands =
        sb_markdown_format(arena, SB_AS_SHELL_WORD " run " SB_AS_SHELL_WORD "/*/sweep.yaml -o " SB_AS_SHELL_WORD "\n",
                           program, parent, parent);
  if (quick > 0)
    fprintf(out, "**This is a quick run:** of %s, %zu %s only the part that `--quick` selects, without repetitions.",
            sb_counted(arena, folders->count, "sweep"), quick, sb_by_count(quick, "has", "have"));
  if (parts > quick)
    fprintf(out, "%s%zu of %s %s only a part of its cases.", quick > 0 ? " " : "", parts - quick,
            sb_counted(arena, folders->count, "sweep"), sb_by_count(parts - quick, "has", "have"));
  sb_markdown_print(out, " To run the rest, in the folder that holds " SB_AS_CODE " (`--dry-run` says how long):\n\n",
                    parent);
  put_code_block(&(writer){.arena = arena, .out = out}, "sh", commands);
  if (!alike && parts > COMMANDS_MAX) fprintf(out, "And so on for %zu more.\n\n", parts - COMMANDS_MAX);
}

/* Writes the meaning of the signs, and the days, machines and builds of the runs. */
static void put_legend(sb_arena *arena, const entry *entries, size_t count, FILE *out)
{
  enum { SHOWN_MAX = 3 };
  const char    *days = days_of_runs(arena, entries, count);
  const sb_names machines = told_by_runs(arena, entries, count, "machine");
  const sb_names builds = told_by_runs(arena, entries, count, "build");
  fputs(
      "<small>**✓** holds. **◐** holds so far, or in part. **≠** contradicted, for the reason given. **–** not tested: "
      "cases or repetitions are missing; an expected answer is what the whole sweep found elsewhere. **✗** does not "
      "hold.</small>\n\n",
      out);
  if (*days)
    sb_markdown_print(out, "<small>Run %s{ on %s}{ by springbench %s}.</small>\n\n", days,
                      sb_names_join(arena, &machines, "; ", SHOWN_MAX), sb_names_join(arena, &builds, "; ", SHOWN_MAX));
}

/* The question and the beginning of the answer of sweeps with `lead`, each with its picture. */
static void put_leads(sb_arena *arena, const entry *entries, size_t count, FILE *out)
{
  enum { LEAST = 40 }; /* letters: "No." alone is no answer */
  const char *leads = "";
  for (size_t i = 0; i < count; ++i) {
    sb_results          *results = entries[i].folder->results;
    const sb_conclusion *c = results && results->sweep->lead ? sb_results_conclusion(results) : NULL;
    const char          *title = "", *picture = NULL;
    if (c && c->kind != SB_CONCLUSION_NONE) picture = first_picture(arena, &entries[i], &title);
    if (!picture) continue;
    const char *sentence = c->sentence, *end = strlen(sentence) > LEAST ? sb_end_of_sentence(sentence + LEAST) : NULL;
    if (end) sentence = sb_arena_copy_span(arena, sentence, (size_t)(end - sentence) - 1);
    leads = sb_markdown_format(arena, "%-s[![%s](" SB_AS_ADDRESS ")](" SB_AS_ADDRESS "/report.md) **%s** %s\n\n", leads,
                               title, picture, entries[i].name, results->sweep->question, sentence);
  }
  if (*leads) fprintf(out, "<div class=\"leads\">\n\n%s</div>\n\n", leads);
}

/* The number of sweeps of the topic that begins at an entry, and the verdicts on their claims. */
static const char *topic_summary(sb_arena *arena, const entry *entries, size_t count)
{
  size_t of[SB_VERDICT_KINDS] = {0}, so_far = 0, sweeps = 0;
  for (; sweeps < count && (sweeps == 0 || !entries[sweeps].begins); ++sweeps) {
    for (int kind = 0; kind < SB_VERDICT_KINDS; ++kind) of[kind] += entries[sweeps].counts[kind];
    so_far += entries[sweeps].so_far;
  }
  const char *words = sb_arena_format(arena, ": %s", sb_counted(arena, sweeps, "sweep"));
  for (sb_verdict_kind kind = 0; kind < SB_VERDICT_KINDS; ++kind)
    if (of[kind] > 0) words = sb_arena_format(arena, "%s, %zu %s", words, of[kind], sb_verdict_word(kind));
  return so_far > 0 ? sb_arena_format(arena, "%s (%zu so far)", words, so_far) : words;
}

static const char *index_page(sb_arena *arena, const entry *entries, const sb_results_folders *folders,
                              const sb_findings *findings)
{
  const size_t    count = folders->count;
  size_t          of_findings[SB_VERDICT_KINDS] = {0}, of_claims[SB_VERDICT_KINDS] = {0}, so_far = 0;
  sb_arena_writer text;
  sb_table       *table = NULL;
  if (count == 0) return "# Results\n\nThere are none yet.\n";
  FILE *out = sb_arena_write(&text, arena);
  fputs("# Results\n\nSpringbench measures solvers of mass-spring systems. Each sweep below asks a question, runs its "
        "cases, and tests what it claims on their numbers. Every number leads to the command that repeats it.\n\n",
        out);
  put_leads(arena, entries, count, out);
  for (size_t i = 0; findings && i < findings->count; ++i) of_findings[findings->each[i].verdict]++;
  for (size_t i = 0; i < count; ++i) {
    for (int kind = 0; kind < SB_VERDICT_KINDS; ++kind) of_claims[kind] += entries[i].counts[kind];
    so_far += entries[i].so_far;
  }
  if (has_answers(findings))
    fprintf(out, "> Of %zu published findings: %s\n>\n", findings->count, verdicts_text(arena, of_findings, 0));
  fprintf(out, "> Claims of %s: %s\n\n", sb_counted(arena, count, "sweep"), verdicts_text(arena, of_claims, so_far));
  if (has_answers(findings)) sb_findings_put_contradictions(findings, out);
  if (has_answers(findings)) fputs("\n[All published findings](REPRODUCED.md), by topic.\n\n", out);
  put_rest(arena, entries, folders, out);
  put_legend(arena, entries, count, out);
  if (!findings) fputs("The published findings, results/published/findings.csv, cannot be read.\n\n", out);
  sb_report_put_unreadable(folders, out);
  for (size_t i = 0; i < count; ++i) {
    if (entries[i].begins) {
      sb_markdown_print(out, "<details>\n<summary>" SB_AS_HTML "%-s</summary>\n\n",
                        *entries[i].topic ? entries[i].topic : "Sweeps", topic_summary(arena, &entries[i], count - i));
      table = sb_table_of_words(arena, "sweep|question and answer|verdicts|cases");
    }
    put_index_line(table, arena, &entries[i]);
    if (i + 1 < count && !entries[i + 1].begins) continue;
    sb_table_print(table, SB_TABLE_MARKDOWN, out);
    fputs("</details>\n\n", out);
  }
  return sb_arena_text(&text);
}

/* Links to all sweeps, each behind the sign of the worst that was found of it. */
static const char *navigation_of(sb_arena *arena, const entry *entries, size_t count, bool answered, bool explained)
{
  static const sb_verdict_kind order[] = {SB_REPRODUCED, SB_CONTRADICTED, SB_CONTRADICTION_GONE, SB_NOT_REPRODUCED};
  const char                  *text = "- [All sweeps](index.md)\n";
  if (answered) text = "- [All sweeps](index.md)\n- [Published findings](REPRODUCED.md)\n";
  if (explained) text = sb_arena_format(arena, "%s- [Pages on findings](" PAGES "findings/README.md)\n", text);
  for (size_t i = 0; i < count; ++i) {
    const entry    *e = &entries[i];
    sb_verdict_kind worst = SB_NOT_TESTED;
    for (size_t k = 0; k < sizeof order / sizeof *order; ++k)
      if (e->counts[order[k]] > 0) worst = order[k];
    text = sb_markdown_format(arena, "%-s{- %s\n}- **%-s** [%s](" SB_AS_ADDRESS "/report.md)\n", text,
                              e->begins ? e->topic : "", sb_verdict_sign(worst), e->name, e->name);
  }
  return text;
}

/* The pages on findings and the list of papers, as parts of a page in `parent`; none outside the source tree. */
static sb_page_part *explanations(sb_arena *arena, const char *parent, size_t *count)
{
  struct dirent **entries = NULL;
  sb_page_part   *parts = NULL;
  sb_names        names = {0};
  const int       found = scandir(sb_arena_format(arena, "%s/" PAGES "findings", parent), &entries, NULL, alphasort);
  for (int i = 0; i < found; ++i) {
    const char *end = strrchr(entries[i]->d_name, '.');
    if (end && strcmp(end, ".md") == 0)
      sb_names_add(arena, &names, sb_arena_format(arena, PAGES "findings/%s", entries[i]->d_name));
    free(entries[i]);
  }
  free(entries);
  if (names.count > 0) sb_names_add(arena, &names, PAGES "bibliography.md");
  for (size_t i = 0; i < names.count; ++i) {
    const char *path = sb_arena_format(arena, "%s/%s", parent, names.names[i]);
    const char *text = sb_arena_adopt(arena, sb_read_file(path, NULL));
    if (!text || strncmp(text, "# ", 2) != 0) continue;
    *SB_NEW_ITEM(arena, parts, *count) =
        (sb_page_part){names.names[i], names.names[i] + strlen("../"),
                       sb_arena_copy_span(arena, text + 2, strcspn(text + 2, "\n")), "", text};
  }
  return parts;
}

sb_page_outcome sb_page_write_findings(const sb_findings *findings)
{
  return write_markdown(findings->arena, findings->folders->parent, "REPRODUCED.md", sb_findings_page(findings));
}

sb_page_outcome sb_pages_write(const sb_results_folders *folders, const sb_findings *findings)
{
  SB_ENDED_BY(sb_arena_destroy) sb_arena *arena = sb_arena_create();
  const size_t                            count = folders->count, files = has_answers(findings) ? 2 : 1;
  entry                                  *entries = sb_arena_take(arena, count, sizeof *entries);
  for (size_t i = 0; i < count; ++i) {
    const sb_results_folder *folder = &folders->each[i];
    const char              *topic = folder->results ? folder->results->sweep->topic : NULL;
    entries[i] = (entry){.folder = folder, .name = folder->name, .topic = topic ? topic : ""};
    if (folder->results) entries[i].so_far = sb_verdicts_count(folder->results, entries[i].counts);
  }
  qsort(entries, count, sizeof *entries, compare_entries);
  for (size_t i = 0; i < count; ++i) entries[i].begins = i == 0 || strcmp(entries[i].topic, entries[i - 1].topic) != 0;
  size_t              explained = 0;
  const sb_page_part *pages = files > 1 ? explanations(arena, folders->parent, &explained) : NULL;
  sb_page_part       *parts = sb_arena_take(arena, files + 1 + count + 1 + explained, sizeof *parts);
  size_t              made = files;
  parts[0] = (sb_page_part){"index.md", "index.md", "Results", NULL, index_page(arena, entries, folders, findings)};
  if (files > 1) parts[1] = (sb_page_part){"REPRODUCED.md", "REPRODUCED.md", "", NULL, sb_findings_page(findings)};
  if (count > 0) parts[made++] = (sb_page_part){".sweeps", ".sweeps", "", NULL, "# Sweeps\n"};
  for (size_t i = 0; i < count; ++i) {
    const sb_results_folder *f = entries[i].folder;
    const char *text = sb_markdown_format(arena, "{**✗ This directory cannot be read:** %s\n}", f->problem);
    if (f->results) text = sweep_page(arena, f->results, findings, NULL);
    parts[made++] =
        (sb_page_part){sb_arena_format(arena, "%s/report.md", f->name), sb_markdown_format(arena, SB_AS_ID, f->name),
                       f->name, verdicts_text(arena, entries[i].counts, entries[i].so_far), text};
    /* Links lead to it; `run` writes it anew. */
    if (f->results && access(sb_arena_format(arena, "%s/report.md", f->results->directory), F_OK) != 0)
      (void)write_markdown(arena, f->results->directory, "report.md", text);
  }
  if (explained > 0) parts[made++] = (sb_page_part){".pages", ".pages", "", NULL, "# Pages on findings\n"};
  if (explained > 0) memcpy(parts + made, pages, explained * sizeof *pages);
  const char   *navigation = navigation_of(arena, entries, count, files > 1, explained > 0);
  const sb_page html = {"Results – springbench", navigation, parts, made + explained};
  return write_all(arena, folders->parent, &html, files);
}
