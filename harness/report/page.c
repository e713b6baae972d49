/* Pages as Markdown, from results that are open; see page.h. All that a user wrote passes through `say`, which leaves
 * nothing for a reader of Markdown to take for markup. */
#include "harness/report/page.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/common/durable.h"
#include "harness/common/html.h"
#include "harness/report/report_text.h"
#include "harness/report/sweep_table.h"
#include "harness/results/tally.h"
#include "harness/store/case_file.h"

enum { HEAD_BYTES = 256, FAILURES_SHOWN = 50, VALUES_SHOWN = 16 };

bool sb_page_is_ours(const char *path)
{
  char      head[HEAD_BYTES + 1] = "";
  const int file = sb_open(path, O_RDONLY | O_NONBLOCK); /* a pipe of that name must not hold us */
  if (file < 0) return false;
  const ssize_t got = read(file, head, HEAD_BYTES);
  (void)close(file);
  return got > 0 && (strstr(head, SB_PAGE_MARK) || strstr(head, SB_PAGE_HTML_MARK));
}

static sb_page_outcome leave(const char *path, const char *why)
{
  fprintf(stderr, "springbench: note: %s %s; the results are complete without this page\n", path, why);
  return SB_PAGE_LEFT;
}

/* A page that says what it said is left alone. */
static bool says_already(const char *path, const char *text)
{
  size_t     size = 0;
  char      *there = sb_read_file(path, &size);
  const bool same = there && size == strlen(text) && memcmp(there, text, size) == 0;
  free(there);
  return same;
}

sb_page_outcome sb_page_write(const char *path, const char *text)
{
  if (access(path, F_OK) == 0 && !sb_page_is_ours(path))
    return leave(path, "was not made by springbench and is left as it is");
  if (says_already(path, text)) return SB_PAGE_WRITTEN;
  FILE *stream = sb_report_open(path);
  if (!stream) {
    /* A page is an extra: where nothing may be written, that is no failure of the run. */
    if (errno == EACCES || errno == EPERM || errno == EROFS) return leave(path, "may not be written here");
    sb_storage_error("write", path, errno, 0);
    return SB_PAGE_FAILED;
  }
  fputs(text, stream);
  return sb_report_close(stream, path) ? SB_PAGE_WRITTEN : SB_PAGE_FAILED;
}

static void put_code(FILE *out, const char *text)
{
  const bool plain = !strpbrk(text, "`|\\\r\n") && *text;
  fputs(plain ? "`" : "<code>", out);
  if (plain)
    fputs(text, out);
  else
    sb_text_put_markdown(out, text);
  fputs(plain ? "`" : "</code>", out);
}

/* Markdown by a format whose arguments are texts: %s is escaped, %c stands as code, %a is an address relative to the
 * page, and %m is Markdown already. NULL is no text. */
static void say(FILE *out, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  for (const char *c = format; *c; ++c) {
    if (*c != '%') {
      fputc(*c, out);
      continue;
    }
    const char *text = va_arg(arguments, const char *);
    ++c;
    if (!text) continue;
    if (*c == 's') sb_text_put_markdown(out, text);
    if (*c == 'c') put_code(out, text);
    if (*c == 'a') sb_html_put_address(out, text);
    if (*c == 'm') fputs(text, out);
  }
  va_end(arguments);
}

/* A block of code, in a fence that no line of it can end. */
static void put_code_block(FILE *out, const char *language, const char *text)
{
  size_t      fence = 3;
  const char *end = *text && text[strlen(text) - 1] == '\n' ? "" : "\n";
  for (const char *c = text; (c = strchr(c, '`')); c += strspn(c, "`"))
    if (strspn(c, "`") >= fence) fence = strspn(c, "`") + 1;
  for (size_t i = 0; i < fence; ++i) fputc('`', out);
  fprintf(out, "%s\n%s%s", language, text, end);
  for (size_t i = 0; i < fence; ++i) fputc('`', out);
  fputs("\n\n", out);
}

/* A sweep on its way into its page. */
typedef struct {
  sb_arena          *arena;
  FILE              *out;
  sb_results        *results;
  const sb_findings *findings; /* NULL: not there */
} writer;

/* The place in a page of one thing of a kind: "case-0123456789abcdef". */
static char *place_of(sb_arena *arena, const char *kind, const char *name)
{
  sb_arena_writer w;
  FILE           *out = sb_arena_write(&w, arena);
  fprintf(out, "%s-", kind);
  sb_html_put_id(out, name);
  return sb_arena_text(&w);
}

static bool is_there(const writer *w, const char *name)
{
  return access(sb_arena_format(w->arena, "%s/%s", w->results->directory, name), F_OK) == 0;
}

/* Links to all forms of one thing that are there, in small print: "[csv](tables/a.csv) [md](tables/a.md)". */
static void put_forms(const writer *w, const char *folder, const char *stem, const char *const *forms)
{
  const char *separator = "";
  fputs("<small>", w->out);
  for (; *forms; ++forms) {
    const char *name = sb_arena_format(w->arena, "%s/%s.%s", folder, stem, *forms);
    if (!is_there(w, name)) continue;
    say(w->out, "%m[%s](%a)", separator, *forms, name);
    separator = " ";
  }
  fputs("</small>\n\n", w->out);
}

/* "**✓ 3 reproduced** **– 1 not tested**" */
static void put_verdicts(FILE *out, const size_t counts[SB_VERDICT_KINDS])
{
  const char *separator = "";
  for (sb_verdict_kind kind = 0; kind < SB_VERDICT_KINDS; ++kind) {
    if (counts[kind] == 0) continue;
    fprintf(out, "%s**%s %zu %s**", separator, sb_verdict_sign(kind), counts[kind], sb_verdict_word(kind));
    separator = " ";
  }
}

/* "12 cases: 9 ok, 2 timeout, 1 not run **✗ 3 without a result**" */
static void put_status(sb_arena *arena, FILE *out, const sb_results *results)
{
  const sb_tally  tally = sb_tally_of(results->rows, NULL);
  const size_t    without = tally.failed + tally.missing;
  sb_arena_writer w;
  sb_tally_write(&tally, sb_arena_write(&w, arena));
  fprintf(out, "%zu case%s: ", tally.cases, tally.cases == 1 ? "" : "s");
  say(out, "%s", sb_arena_text(&w));
  if (without > 0) fprintf(out, " **✗ %zu without a result**", without);
}

static const char *word_of(const sb_results *results, size_t row, const char *column)
{
  const sb_value value = sb_rows_get_named(results->rows, row, column);
  return value.kind == SB_WORD ? value.word : "";
}

/* The options that vary, as this case has them: "h = 0.01 s, grid = 10". */
static void put_case_words(const writer *w, size_t row)
{
  const sb_rows *rows = w->results->rows;
  const char    *separator = "";
  for (size_t c = 0; c < sb_rows_column_count(rows); ++c) {
    const sb_rows_column *column = sb_rows_column_at(rows, c);
    const sb_value        value = sb_rows_get(rows, row, c);
    if (!column->is_option || value.kind == SB_BLANK) continue;
    say(w->out, "%m%s = %s%m%s", separator, column->name, sb_value_text(w->arena, value), *column->unit ? " " : "",
        column->unit);
    separator = ", ";
  }
}

/* The claims of each verdict in a line; their text only where they were tested. Then how the cases ended. */
static void put_answer(const writer *w)
{
  const sb_sweep   *sweep = w->results->sweep;
  const sb_verdict *verdicts = sb_results_verdicts(w->results);
  const sb_tally    tally = sb_tally_of(w->results->rows, NULL);
  size_t            counts[SB_VERDICT_KINDS] = {0};
  sb_verdicts_count(w->results, counts);
  if (sweep->claim_count == 0) fputs("> This sweep makes no claim; its tables and figures answer.\n", w->out);
  for (sb_verdict_kind kind = 0; kind < SB_VERDICT_KINDS; ++kind) {
    const char *separator = " ";
    if (counts[kind] == 0) continue;
    fprintf(w->out, "> **%s %s**", sb_verdict_sign(kind), sb_verdict_word(kind));
    if (kind == SB_NOT_TESTED) fprintf(w->out, " %zu claim%s", counts[kind], counts[kind] == 1 ? "" : "s");
    for (size_t i = 0; kind != SB_NOT_TESTED && i < sweep->claim_count; ++i) {
      if (verdicts[i].kind != kind) continue;
      say(w->out, "%m%s", separator, sweep->claims[i].claim);
      separator = "; ";
    }
    fputs(".\n>\n", w->out);
  }
  fputs(w->results->quick ? "\nA quick run. " : "\n", w->out);
  put_status(w->arena, w->out, w->results);
  const char *noise = sweep->timed ? sb_noise_note(w->arena, tally.noisy, tally.cases) : NULL;
  say(w->out, ".%m%s%m\n\n", noise ? " " : "", noise, noise ? "." : "");
}

static void put_failures(const writer *w)
{
  const size_t failures = sb_tally_of(w->results->rows, NULL).failed;
  size_t       shown = 0;
  if (failures == 0) return;
  fprintf(w->out, "**✗ %zu case%s failed**\n\n", failures, failures == 1 ? "" : "s");
  for (size_t row = 0; row < sb_rows_count(w->results->rows) && shown < FAILURES_SHOWN; ++row) {
    if (sb_row_state(w->results->rows, row) != SB_STATE_FAILED) continue;
    const char *key = word_of(w->results, row, "key");
    say(w->out, "- [%c](#%m) %s — ", key, place_of(w->arena, "case", key), word_of(w->results, row, "status"));
    put_case_words(w, row);
    say(w->out, ": %s\n", word_of(w->results, row, "reason"));
    shown++;
  }
  if (failures > shown) fprintf(w->out, "- and %zu more, in the list of cases\n", failures - shown);
  fputc('\n', w->out);
}

static bool answered_before(const sb_claim *claims, size_t claim)
{
  for (size_t i = 0; i < claim; ++i)
    if (claims[i].finding && strcmp(claims[i].finding, claims[claim].finding) == 0) return true;
  return false;
}

/* The words that were published, with the first claim that answers them. */
static void put_finding(const writer *w, size_t claim)
{
  const char *id = w->results->sweep->claims[claim].finding;
  if (!id || !w->findings || answered_before(w->results->sweep->claims, claim)) return;
  for (size_t i = 0; i < w->findings->count; ++i) {
    const sb_finding *finding = &w->findings->each[i];
    if (strcmp(finding->id, id) == 0) say(w->out, "\\\n  *Published:* %s (%s)", finding->finding, finding->source);
  }
}

static void put_claims(const writer *w)
{
  static const char *const meaning[] = {[SB_CLAIM_EXACT] = "exact: it must hold",
                                        [SB_CLAIM_SHAPE] = "shape: the trend must hold",
                                        [SB_CLAIM_TIME] = "time: on this machine"};
  const sb_sweep          *sweep = w->results->sweep;
  const sb_verdict        *verdicts = sb_results_verdicts(w->results);
  if (sweep->claim_count > 0) fputs("## Claims\n\n", w->out);
  for (size_t i = 0; i < sweep->claim_count; ++i) {
    const sb_claim  *claim = &sweep->claims[i];
    const sb_verdict v = verdicts[i];
    say(w->out, "- **%m %s** %s", sb_verdict_sign(v.kind), sb_verdict_word(v.kind), claim->claim);
    if (*v.told) say(w->out, "\\\n  *%m:* %s", v.kind == SB_NOT_TESTED ? "Why" : "Here", v.told);
    put_finding(w, i);
    say(w->out, "\\\n  <small>%m", meaning[claim->kind]);
    if (claim->finding) say(w->out, " · finding %c", claim->finding);
    if (claim->test) say(w->out, " · tested: %c", sb_expression_text(claim->test));
    if (claim->where) say(w->out, " of cases with %c", sb_expression_text(claim->where));
    fputs("</small>\n", w->out);
  }
  if (sweep->claim_count > 0) fputc('\n', w->out);
}

/* The picture that a page shows: vectors, where there are any that it can hold. */
static const char *figure_picture(const writer *w, const char *id)
{
  static const char *const forms[] = {"svg", "png"};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) {
    struct stat about = {0};
    char       *name = sb_arena_format(w->arena, "figures/%s.%s", id, forms[i]);
    const char *path = sb_arena_format(w->arena, "%s/%s", w->results->directory, name);
    if (stat(path, &about) == 0 && about.st_size > 0 && about.st_size <= SB_PAGE_PICTURE_BYTES_MAX) return name;
  }
  return NULL;
}

static void put_figure(const writer *w, const sb_figure_spec *spec)
{
  static const char *const forms[] = {"svg", "pdf", "png", "gp", "dat", NULL};
  const char              *title = spec->title ? spec->title : spec->id;
  const bool               named = sb_text_is_safe_name(spec->id);
  const char              *picture = named ? figure_picture(w, spec->id) : NULL;
  say(w->out, "<a id=\"%m\"></a>", place_of(w->arena, "figure", spec->id));
  if (picture) {
    say(w->out, "![%s](%a)\n\n**%s** ", title, picture, title);
  } else {
    /* Why, as figure.c stored it. */
    const char *path = sb_arena_format(w->arena, "%s/figures/%s.why", w->results->directory, spec->id);
    const char *why = named ? sb_arena_adopt(w->arena, sb_read_file(path, NULL)) : NULL;
    say(w->out, "**%s** This figure has not been drawn%m%s. ", title, why ? ": " : "; springbench plot draws it", why);
  }
  say(w->out, "%s\n", spec->note);
  if (named) put_forms(w, "figures", spec->id, forms);
  fputc('\n', w->out);
}

static void put_figures(const writer *w)
{
  if (w->results->sweep->figure_count == 0) return;
  fputs("## Figures\n\n", w->out);
  for (size_t i = 0; i < w->results->sweep->figure_count; ++i) put_figure(w, &w->results->sweep->figures[i]);
}

static int is_film(const struct dirent *entry)
{
  const size_t length = strlen(entry->d_name);
  return length > 4 && entry->d_name[0] != '.' && strcmp(entry->d_name + length - 4, ".gif") == 0;
}

/* The title that the sweep gives it, else the case it shows, else the file's name. */
static void put_film_title(const writer *w, const char *stem)
{
  const sb_sweep *sweep = w->results->sweep;
  for (size_t i = 0; i < sweep->animation_count; ++i)
    if (strcmp(sweep->animations[i].id, stem) == 0 && sweep->animations[i].title) {
      say(w->out, "%s", sweep->animations[i].title);
      return;
    }
  for (size_t row = 0; row < sb_rows_count(w->results->rows); ++row)
    if (strcmp(word_of(w->results, row, "key"), stem) == 0) {
      put_case_words(w, row);
      return;
    }
  say(w->out, "%s", stem);
}

/* A film stands above its stills, which are all that a printed page shows. */
static void put_films(const writer *w)
{
  static const char *const forms[] = {"gif", "png", NULL};
  struct dirent          **entries = NULL;
  const char              *folder = sb_arena_format(w->arena, "%s/animations", w->results->directory);
  const int                count = scandir(folder, &entries, is_film, alphasort);
  if (count > 0) fputs("## Animations\n\n", w->out);
  for (int i = 0; i < count; ++i) {
    const char *stem = sb_arena_copy_span(w->arena, entries[i]->d_name, strlen(entries[i]->d_name) - 4);
    const char *stills = sb_arena_format(w->arena, "animations/%s.png", stem);
    say(w->out, "![the motion, animated](animations/%a.gif)\n", stem);
    if (is_there(w, stills)) say(w->out, "![stills of the motion](%a)\n", stills);
    fputs("\n**", w->out);
    put_film_title(w, stem);
    fputs("** ", w->out);
    put_forms(w, "animations", stem, forms);
    free(entries[i]);
  }
  free(entries);
}

/* The marks and the prose of a table, in small print below it; what the page has said before is left out. */
static void put_remarks(const writer *w, sb_table *table)
{
  static const char *const signs[SB_MARK_KINDS] = {"Bold:", "†:", "‡:"};
  const unsigned           used = sb_table_marks(table);
  for (unsigned i = 0; i < SB_MARK_KINDS; ++i)
    if (used & 1U << i) sb_table_add_note(table, SB_NOTE_BELOW, signs[i], table->means[i]);
  for (size_t i = 0; i < table->note_count; ++i) {
    const sb_table_note *note = &table->notes[i];
    if (note->place <= SB_NOTE_ABOVE || strcmp(note->lead, "Source:") == 0) continue;
    say(w->out, "<small>%m%m%s</small>\\\n", note->lead, *note->lead ? " " : "", note->text);
  }
}

/* Values lead to their cases: of neighbours of one case the first does. */
static void put_table(const writer *w, sb_table *table)
{
  sb_table grid = *table;
  for (size_t row = 0; row < table->row_count; ++row)
    for (size_t column = table->stub_count; column < table->column_count; ++column) {
      sb_cell        *cell = sb_table_cell(table, row, column);
      const char     *before = column > table->stub_count ? sb_table_cell(table, row, column - 1)->source : NULL;
      sb_arena_writer text;
      if (!cell->source || !cell->text || (before && strcmp(before, cell->source) == 0)) continue;
      say(sb_arena_write(&text, w->arena), "[%s](#%m)", cell->text, place_of(w->arena, "case", cell->source));
      cell->markdown = sb_arena_text(&text);
    }
  grid.note_count = 0;
  memset(grid.means, 0, sizeof grid.means);
  sb_table_print(&grid, SB_TABLE_MARKDOWN, w->out);
  put_remarks(w, table);
}

static void put_tables(const writer *w)
{
  static const char *const forms[] = {"csv", "md", "tex", "txt", NULL};
  const sb_sweep          *sweep = w->results->sweep;
  if (sweep->table_count > 0) fputs("## Tables\n\n", w->out);
  for (size_t i = 0; i < sweep->table_count; ++i) {
    const sb_table_spec *spec = &sweep->tables[i];
    sb_diagnostics      *diagnostics = sb_diagnostics_create();
    sb_table            *table = sb_sweep_table(w->results, spec, w->arena, diagnostics);
    say(w->out, "### <a id=\"%m\"></a>%s\n\n", place_of(w->arena, "table", spec->id),
        spec->title ? spec->title : spec->id);
    if (table)
      put_table(w, table);
    else
      say(w->out, "This table cannot be made: %s\n\n", sb_diagnostics_first_error(diagnostics));
    put_forms(w, "tables", spec->id, forms);
    sb_diagnostics_destroy(&diagnostics);
  }
}

/* Distinct values in the order of the plan. */
static void put_values(const writer *w, size_t column)
{
  const sb_rows *rows = w->results->rows;
  sb_value       seen[VALUES_SHOWN];
  size_t         shown = 0;
  for (size_t row = 0; row < sb_rows_count(rows); ++row) {
    const sb_value value = sb_rows_get(rows, row, column);
    bool           known = value.kind == SB_BLANK || (value.kind == SB_WORD && !*value.word);
    for (size_t i = 0; i < shown && !known; ++i) known = sb_value_same(seen[i], value);
    if (known) continue;
    if (shown == VALUES_SHOWN) {
      fputs(", …", w->out);
      return;
    }
    say(w->out, "%m%s", shown > 0 ? ", " : "", sb_value_text(w->arena, value));
    seen[shown++] = value;
  }
}

static void put_axes(const writer *w)
{
  const sb_rows *rows = w->results->rows;
  const char    *lead = "What varies between the cases:\n\n";
  for (size_t c = 0; c < sb_rows_column_count(rows); ++c) {
    const sb_rows_column *column = sb_rows_column_at(rows, c);
    const sb_option_id    id = sb_option_find(column->name);
    if (!column->is_option) continue;
    say(w->out, "%m- %c: ", lead, column->name);
    if (id != SB_OPT_COUNT) say(w->out, "%s: ", sb_option_at(id)->sentence);
    put_values(w, c);
    say(w->out, "%m%s\n", *column->unit ? " " : "", column->unit);
    lead = "";
  }
  if (!*lead) fputc('\n', w->out);
}

static void put_measured(const writer *w)
{
  const sb_driver_list *drivers = w->results->session.drivers;
  const sb_driver      *driver = drivers ? sb_driver_find(drivers, w->results->sweep->driver) : NULL;
  if (!driver) return;
  say(w->out, "What is measured: driver %c, %s.\n\n<details>\n<summary>What each measured column means</summary>\n\n",
      driver->name, driver->summary);
  for (size_t i = 0; i < driver->column_count; ++i) {
    const sb_column *column = &driver->columns[i];
    const bool       unit = *column->unit != '\0';
    say(w->out, "- %c: %s%m%s%m\n", column->name, column->sentence, unit ? " (" : "", column->unit, unit ? ")" : "");
  }
  fputs("\n</details>\n\n", w->out);
}

static void put_notes(const writer *w)
{
  const sb_sweep *sweep = w->results->sweep;
  fputs("## How to read this\n\n", w->out);
  if (sweep->source) say(w->out, "Source: %s.\n\n", sweep->source);
  put_axes(w);
  put_measured(w);
  if (sweep->exclusion_count > 0) fputs("Left out on purpose, and shown as *skipped*:\n\n", w->out);
  for (size_t i = 0; i < sweep->exclusion_count; ++i) {
    const sb_exclusion *exclusion = &sweep->exclusions[i];
    say(w->out, "- %c: %s\n%m", exclusion->when ? sb_expression_text(exclusion->when) : "", exclusion->because,
        i + 1 == sweep->exclusion_count ? "\n" : "");
  }
  fputs("A case that did not come to a number keeps its place: *diverged* left its bounds, *not conv.* did not reach "
        "its tolerance, *not SPD* met a matrix that is not positive definite; *timeout*, *memory*, *crashed* and "
        "*error* are failures of the run. In a table over two axes *ok* says that the case ended well and has no such "
        "value (it never blew up); – that there is no such case. Numbers show the digits that their repetitions "
        "support; links in a line lead to its cases.\n\n",
        w->out);
  if (w->results->quick)
    fputs("This was a quick run, of a part of the sweep: claims that need cases which are not here, or more "
          "repetitions, are not tested.\n\n",
          w->out);
}

static void put_case(const writer *w, sb_table *table, size_t row)
{
  const sb_rows  *rows = w->results->rows;
  const sb_value  took = sb_rows_get_named(rows, row, "wall_s");
  const char     *key = word_of(w->results, row, "key"), *status = word_of(w->results, row, "status");
  const char     *command = word_of(w->results, row, "command"), *noisy = word_of(w->results, row, "noisy");
  sb_arena_writer text;
  sb_table_add_row(table);
  sb_table_put(table, key)->markdown =
      sb_arena_format(w->arena, "<a id=\"%s\"></a>`%s`", place_of(w->arena, "case", key), key);
  sb_cell *cell = sb_table_put(table, *status ? status : "not run");
  if (sb_row_state(rows, row) == SB_STATE_FAILED || !*status)
    cell->markdown = sb_arena_format(w->arena, "**✗ %s**", cell->text);
  for (size_t c = 0; c < sb_rows_column_count(rows); ++c) {
    if (!sb_rows_column_at(rows, c)->is_option) continue;
    const char *value = sb_value_text(w->arena, sb_rows_get(rows, row, c));
    sb_table_put(table, *value ? value : NULL);
  }
  if (took.kind == SB_NUMBER)
    sb_table_put_number(table, took.number, SB_DIGITS);
  else
    sb_table_put(table, NULL);
  cell = sb_table_put(table, command);
  if (*command) {
    put_code(sb_arena_write(&text, w->arena), command);
    cell->markdown = sb_arena_text(&text);
  }
  sb_table_put_format(table, "%s%s%s", word_of(w->results, row, "reason"), *noisy ? "noisy: " : "", noisy);
}

static bool is_numeric(const sb_rows *rows, size_t column)
{
  for (size_t row = 0; row < sb_rows_count(rows); ++row)
    if (sb_rows_get(rows, row, column).kind == SB_WORD) return false;
  return true;
}

static void put_cases(const writer *w)
{
  static const char *const files[] = {"csv", "h5", NULL};
  const sb_rows           *rows = w->results->rows;
  sb_table                *table = sb_table_create(w->arena);
  sb_table_add_column(table, "case", "", false);
  sb_table_add_column(table, "status", "", false);
  for (size_t c = 0; c < sb_rows_column_count(rows); ++c) {
    const sb_rows_column *column = sb_rows_column_at(rows, c);
    if (column->is_option) sb_table_add_column(table, column->name, column->unit, is_numeric(rows, c));
  }
  sb_table_add_column(table, "took", "s", true);
  sb_table_add_column(table, "repeat it", "", false);
  sb_table_add_column(table, "said", "", false);
  for (size_t row = 0; row < sb_rows_count(rows); ++row) put_case(w, table, row);
  fputs("## Cases\n\n", w->out);
  put_status(w->arena, w->out, w->results);
  fputs(". All their numbers, one row a case: ", w->out);
  put_forms(w, ".", "results", files);
  fputs("<details>\n<summary>Every case, and the command that repeats it</summary>\n\n", w->out);
  sb_table_print(table, SB_TABLE_MARKDOWN, w->out);
  fputs("</details>\n\n", w->out);
}

static void put_term(const writer *w, const char *term, const char *text)
{
  if (text && *text) say(w->out, "- *%m:* %s\n", term, text);
}

/* Each machine or build that the journal names, once. */
static void put_distinct(const writer *w, const json_t *runs, const char *member)
{
  for (size_t i = 0; i < json_array_size(runs); ++i) {
    const json_t *text = json_object_get(json_array_get(runs, i), member);
    bool          said = false;
    for (size_t j = 0; j < i && !said; ++j) said = json_equal(json_object_get(json_array_get(runs, j), member), text);
    if (!said) put_term(w, member, json_string_value(text));
  }
}

static void put_runs(const writer *w)
{
  const json_t *runs = w->results->journal.runs;
  const size_t  count = json_array_size(runs);
  put_distinct(w, runs, "machine");
  put_distinct(w, runs, "build");
  if (count > 0)
    put_term(w, count == 1 ? "run" : "last run",
             json_string_value(json_object_get(json_array_get(runs, count - 1), "at")));
}

/* As the first whole case file says; HDF5 believes what it reads, so the checksum comes first. NULL: none says. */
static json_t *first_provenance(const sb_results *results)
{
  json_t *provenance = NULL;
  char    error[SB_ERROR_SIZE] = "";
  for (size_t row = 0; !provenance && results->plan && row < sb_rows_count(results->rows); ++row) {
    const char *key = word_of(results, row, "key");
    if (!*key || !sb_results_case_is_whole(results, key, error)) continue;
    char       *path = sb_results_case_path(results, key);
    const hid_t file = sb_case_file_open(path, error);
    provenance = file >= 0 ? sb_case_file_provenance(file) : NULL;
    if (!sb_case_file_close(file, provenance != NULL, error)) {
      json_decref(provenance);
      provenance = NULL;
    }
    free(path);
  }
  return provenance;
}

static void put_provenance(const writer *w)
{
  static const char *const shown[][2] = {{"processor", "cpu"},
                                         {"processors", "cores"},
                                         {"usable by a case", "cores_usable"},
                                         {"frequency governor", "governor"},
                                         {"kernel", "kernel"},
                                         {"load average at the start", "load_average"},
                                         {"program", "git_describe"},
                                         {"compiler", "compiler"},
                                         {"flags", "compiler_flags"},
                                         {"PETSc", "petsc_version"},
                                         {"CHOLMOD", "cholmod_version"},
                                         {"BLAS", "blas"},
                                         {"BLAS threads", "blas_threads"},
                                         {"HDF5", "hdf5_version"},
                                         {"MPI", "mpi_version"},
                                         {"PETSc options", "petsc_options"},
                                         {"PETSC_OPTIONS", "petsc_options_environment"}};
  json_t                  *provenance = first_provenance(w->results);
  for (size_t i = 0; i < sizeof shown / sizeof *shown; ++i) {
    const json_t *value = json_object_get(provenance, shown[i][1]);
    char         *text = NULL;
    if (value && !json_is_string(value))
      text = sb_arena_adopt(w->arena, json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(4)));
    put_term(w, shown[i][0], text ? text : json_string_value(value));
  }
  fputs(provenance ? "\n" : "\nNo stored case says more about libraries and flags.\n\n", w->out);
  json_decref(provenance);
}

static void put_machine(const writer *w)
{
  const sb_results *results = w->results;
  const char       *slash = strrchr(results->directory, '/'), *name = slash ? slash + 1 : results->directory;
  sb_arena_writer   word;
  size_t            all = 0;
  fputs("## Machine and provenance\n\n", w->out);
  put_runs(w);
  put_provenance(w);
  fputs("To run all of it again, in the folder that holds this sweep's:\n\n", w->out);
  sb_text_put_word(sb_arena_write(&word, w->arena), name);
  put_code_block(w->out, "sh",
                 sb_arena_format(w->arena, "springbench run %s --rerun all%s", sb_arena_text(&word),
                                 results->quick ? " --quick" : ""));
  if (!sb_results_are_whole(results, &all))
    fprintf(w->out,
            "The sweep as it stands makes %zu cases, and these are not all of them, or others (--quick, -p, -f or "
            "--shard was given, or it was edited); each has its own command above.\n\n",
            all);
  if (!results->sweep->text) return;
  fputs("<details>\n<summary>The sweep file</summary>\n\n", w->out);
  put_code_block(w->out, "yaml", results->sweep->text);
  fputs("</details>\n", w->out);
}

/* The page of a sweep. */
static const char *sweep_page(sb_arena *arena, sb_results *results, const sb_findings *findings)
{
  sb_arena_writer text;
  const writer    w = {arena, sb_arena_write(&text, arena), results, findings};
  say(w.out, SB_PAGE_MARK "\n\n# %s\n\n%s\n\n", results->sweep->name, results->sweep->question);
  put_answer(&w);
  put_failures(&w);
  put_claims(&w);
  put_figures(&w);
  put_films(&w);
  put_tables(&w);
  put_notes(&w);
  put_cases(&w);
  put_machine(&w);
  return sb_arena_text(&text);
}

static sb_page_outcome write_markdown(sb_arena *arena, const char *directory, const char *name, const char *text)
{
  return sb_page_write(sb_arena_format(arena, "%s/%s", directory, name), text);
}

static sb_page_outcome write_html(sb_arena *arena, const char *directory, const sb_page *page)
{
  sb_arena_writer w;
  const bool      made = sb_page_put_html(page, directory, sb_arena_write(&w, arena));
  const char     *text = sb_arena_text(&w);
  return made ? sb_page_write(sb_arena_format(arena, "%s/report.html", directory), text) : SB_PAGE_FAILED;
}

/* Links to the sections of a text. */
static char *sections_of(sb_arena *arena, const char *text)
{
  static const char *const sections[][2] = {{"Claims", "claims"},
                                            {"Figures", "figures"},
                                            {"Animations", "animations"},
                                            {"Tables", "tables"},
                                            {"How to read this", "how-to-read-this"},
                                            {"Cases", "cases"},
                                            {"Machine and provenance", "machine-and-provenance"}};
  sb_arena_writer          links;
  FILE                    *out = sb_arena_write(&links, arena);
  for (size_t i = 0; i < sizeof sections / sizeof *sections; ++i)
    if (strstr(text, sb_arena_format(arena, "\n## %s\n", sections[i][0])))
      fprintf(out, "- [%s](#%s)\n", sections[i][0], sections[i][1]);
  return sb_arena_text(&links);
}

sb_page_outcome sb_page_write_sweep(sb_results *results)
{
  sb_arena          *arena = sb_arena_create();
  sb_session         session = results->session;
  sb_results_folder  folder = {.name = "", .results = results};
  sb_results_folders alone = {.parent = results->directory, .count = 1, .each = &folder};
  session.arena = arena;
  session.diagnostics = NULL; /* a sweep of one's own stands where no findings are */
  const sb_findings *findings = sb_findings_judge(&session, &alone, results->published_dir);
  sb_page_part       part = {.address = "report.md", .id = "", .title = results->sweep->name};
  sb_page            html = {.parts = &part, .count = 1};
  part.text = sweep_page(arena, results, findings);
  html.title = sb_arena_format(arena, "%s – springbench", results->sweep->name);
  html.navigation = sections_of(arena, part.text);
  const sb_page_outcome markdown = write_markdown(arena, results->directory, "report.md", part.text);
  const sb_page_outcome outcome = write_html(arena, results->directory, &html);
  sb_arena_destroy(&arena);
  return markdown == SB_PAGE_FAILED ? SB_PAGE_FAILED : outcome;
}

/* All sweeps of a folder on their way into its pages. */
typedef struct {
  sb_arena          *arena;
  size_t             count;
  sb_results_folder *each;     /* [count] by topic, then by name */
  const sb_findings *findings; /* NULL: they cannot be read, */
  bool               answered; /* else: some claim answers one */
} collection;

static const char *topic_of(const sb_results_folder *f) { return f->results ? f->results->sweep->topic : NULL; }

/* By topic, those without one last; else as they come, by name. */
static int compare_folders(const void *left, const void *right)
{
  const sb_results_folder *a = left, *b = right;
  const char              *x = topic_of(a), *y = topic_of(b);
  const int                order = !x || !y ? !x - !y : strcmp(x, y);
  return order != 0 ? order : strcmp(a->name, b->name);
}

/* Tells whether sweep `i` is the first of its topic. */
static bool begins_topic(const collection *c, size_t i)
{
  const char *topic = topic_of(&c->each[i]), *before = i > 0 ? topic_of(&c->each[i - 1]) : NULL;
  return i == 0 || (topic == NULL) != (before == NULL) || (topic && strcmp(topic, before) != 0);
}

static void count_verdicts(const sb_results_folder *f, size_t counts[SB_VERDICT_KINDS])
{
  memset(counts, 0, SB_VERDICT_KINDS * sizeof *counts);
  if (f->results) sb_verdicts_count(f->results, counts);
}

/* The sign of the worst that was found of a sweep. */
static const char *worst_sign(const sb_results_folder *f)
{
  static const sb_verdict_kind order[] = {SB_NOT_REPRODUCED, SB_CONTRADICTION_GONE, SB_CONTRADICTED, SB_REPRODUCED};
  size_t                       counts[SB_VERDICT_KINDS];
  count_verdicts(f, counts);
  for (size_t i = 0; i < sizeof order / sizeof *order; ++i)
    if (counts[order[i]] > 0) return sb_verdict_sign(order[i]);
  return sb_verdict_sign(SB_NOT_TESTED);
}

static void put_counts(const collection *c, FILE *out)
{
  size_t all[SB_VERDICT_KINDS] = {0}, of[SB_VERDICT_KINDS];
  for (sb_claim_kind kind = 0; c->answered && kind <= SB_CLAIM_TIME; ++kind) {
    sb_findings_count(c->findings, kind, of);
    for (int v = 0; v < SB_VERDICT_KINDS; ++v) all[v] += of[v];
  }
  if (c->answered) {
    fprintf(out, "> Of %zu published findings: ", c->findings->count);
    put_verdicts(out, all);
    fputs("\n>\n", out);
  }
  memset(all, 0, sizeof all);
  for (size_t i = 0; i < c->count; ++i) {
    count_verdicts(&c->each[i], of);
    for (int v = 0; v < SB_VERDICT_KINDS; ++v) all[v] += of[v];
  }
  fprintf(out, "> Claims of %zu sweep%s: ", c->count, c->count == 1 ? "" : "s");
  put_verdicts(out, all);
  fputs("\n\n", out);
  if (c->answered) fputs("What became of each published finding: [REPRODUCED.md](REPRODUCED.md).\n\n", out);
  if (!c->findings) fputs("The published findings, results/published/findings.csv, cannot be read.\n\n", out);
}

static void put_sweep_row(const collection *c, sb_table *table, const sb_results_folder *f)
{
  size_t          counts[SB_VERDICT_KINDS];
  sb_arena_writer w;
  count_verdicts(f, counts);
  say(sb_arena_write(&w, c->arena), "[%s](%a/report.md)", f->name, f->name);
  sb_table_add_row(table);
  sb_table_put(table, f->name)->markdown = sb_arena_text(&w);
  if (!f->results) {
    sb_table_put_format(table, "cannot be read: %s", f->problem);
    return;
  }
  sb_table_put(table, f->results->sweep->question);
  put_verdicts(sb_arena_write(&w, c->arena), counts);
  sb_table_put(table, "verdicts")->markdown = sb_arena_text(&w);
  put_status(c->arena, sb_arena_write(&w, c->arena), f->results);
  sb_table_put(table, "cases")->markdown = sb_arena_text(&w);
}

static const char *index_page(const collection *c)
{
  static const char *const headings[] = {"sweep", "question", "verdicts", "cases"};
  sb_arena_writer          text;
  FILE                    *out = sb_arena_write(&text, c->arena);
  sb_table                *table = NULL;
  fputs(SB_PAGE_MARK "\n\n# Results\n\n", out);
  if (c->count == 0) fputs("There are none yet.\n", out);
  if (c->count > 0) put_counts(c, out);
  for (size_t i = 0; i < c->count; ++i) {
    const char *topic = topic_of(&c->each[i]);
    if (begins_topic(c, i)) {
      say(out, "## %s\n\n", topic ? topic : "Sweeps");
      table = sb_table_create(c->arena);
      for (size_t h = 0; h < sizeof headings / sizeof *headings; ++h)
        sb_table_add_column(table, headings[h], "", false);
    }
    put_sweep_row(c, table, &c->each[i]);
    if (i + 1 == c->count || begins_topic(c, i + 1)) sb_table_print(table, SB_TABLE_MARKDOWN, out);
  }
  return sb_arena_text(&text);
}

static const char *findings_page(sb_arena *arena, const sb_findings *findings)
{
  sb_arena_writer text;
  FILE           *out = sb_arena_write(&text, arena);
  fputs(SB_PAGE_MARK "\n\n# What was published, and what came out here\n\n"
                     "Written by `springbench run` and `springbench verify` of this folder from the claims of the "
                     "sweeps. The findings are those of `results/published/findings.csv`.\n\n",
        out);
  sb_findings_write_markdown(findings, out);
  return sb_arena_text(&text);
}

sb_page_outcome sb_page_write_findings(const sb_findings *findings)
{
  sb_arena             *arena = sb_arena_create();
  const sb_page_outcome outcome =
      write_markdown(arena, findings->folders->parent, "REPRODUCED.md", findings_page(arena, findings));
  sb_arena_destroy(&arena);
  return outcome;
}

static const char *navigation_of(const collection *c)
{
  sb_arena_writer text;
  FILE           *out = sb_arena_write(&text, c->arena);
  fputs("- [All sweeps](index.md)\n", out);
  if (c->answered) fputs("- [Published findings](REPRODUCED.md)\n", out);
  for (size_t i = 0; i < c->count; ++i) {
    const sb_results_folder *f = &c->each[i];
    if (begins_topic(c, i) && topic_of(f)) say(out, "- %s\n", topic_of(f));
    say(out, "- **%m** [%s](%a/report.md)\n", worst_sign(f), f->name, f->name);
  }
  return sb_arena_text(&text);
}

static sb_page_part part_of_sweep(const collection *c, const sb_results_folder *f)
{
  size_t          counts[SB_VERDICT_KINDS];
  sb_arena_writer w;
  sb_page_part    part = {.address = sb_arena_format(c->arena, "%s/report.md", f->name), .title = f->name};
  count_verdicts(f, counts);
  sb_html_put_id(sb_arena_write(&w, c->arena), f->name);
  part.id = sb_arena_text(&w);
  put_verdicts(sb_arena_write(&w, c->arena), counts);
  part.summary = sb_arena_text(&w);
  if (f->results) {
    part.text = sweep_page(c->arena, f->results, c->findings);
    /* Links lead to it; `run` writes it anew. */
    if (access(sb_arena_format(c->arena, "%s/report.md", f->results->directory), F_OK) != 0)
      write_markdown(c->arena, f->results->directory, "report.md", part.text);
  } else {
    say(sb_arena_write(&w, c->arena), "**✗ This directory cannot be read:** %s\n", f->problem);
    part.text = sb_arena_text(&w);
  }
  return part;
}

sb_page_outcome sb_pages_write(const sb_results_folders *folders, const sb_findings *findings)
{
  const char     *parent = folders->parent;
  sb_arena       *arena = sb_arena_create();
  collection      c = {.arena = arena, .count = folders->count, .findings = findings};
  sb_page_part   *parts = sb_arena_take(arena, c.count + 2, sizeof *parts);
  sb_page         html = {.title = "Results – springbench", .parts = parts};
  sb_page_outcome other = SB_PAGE_WRITTEN;
  c.answered = findings && findings->answered > 0;
  c.each = sb_arena_take(arena, c.count, sizeof *c.each);
  for (size_t i = 0; i < c.count; ++i) c.each[i] = folders->each[i];
  qsort(c.each, c.count, sizeof *c.each, compare_folders);
  parts[html.count++] =
      (sb_page_part){.address = "index.md", .id = "index.md", .title = "Results", .text = index_page(&c)};
  const sb_page_outcome index = write_markdown(arena, parent, "index.md", parts[0].text);
  if (c.answered) {
    const char *text = findings_page(arena, findings);
    parts[html.count++] = (sb_page_part){.address = "REPRODUCED.md", .id = "REPRODUCED.md", .title = "", .text = text};
    other = write_markdown(arena, parent, "REPRODUCED.md", text);
  }
  for (size_t i = 0; i < c.count; ++i) parts[html.count++] = part_of_sweep(&c, &c.each[i]);
  html.navigation = navigation_of(&c);
  const sb_page_outcome outcome = write_html(arena, parent, &html);
  sb_arena_destroy(&arena);
  return index == SB_PAGE_FAILED || other == SB_PAGE_FAILED ? SB_PAGE_FAILED : outcome;
}

bool sb_pages_are_wanted(const char *parent)
{
  const char *slash = strrchr(parent, '/');
  char       *path = sb_format("%s/index.md", parent);
  const bool  wanted = strcmp(slash ? slash + 1 : parent, "results") == 0 || sb_page_is_ours(path);
  free(path);
  return wanted;
}
