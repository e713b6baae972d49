/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures: <directory>/figures/<id>.gp and its data, and gnuplot run on it.
 *
 * The script needs no other file but the data. It has the sweep's texts (single-quoted, so that gnuplot expands nothing
 * in them), plots/style.gp, then the commands of the figure's kind, or the user's own script. A gnuplot process is
 * executed without a shell and without start-up files (-d), in figures/, as a reader would by hand. Names that reach
 * file names are those that the reader of sweeps let pass. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cases/common/digest.h"
#include "cases/common/durable.h"
#include "harness/report/figure_cases.h"
#include "harness/report/figure_kind.h"
#include "harness/report/figure_names.h"
#include "harness/report/figure_text.h"
#include "harness/report/gnuplot.h"
#include "harness/report/report.h"
#include "harness/report/report_text.h"
#include "harness/results/conclusion.h"
#include "harness/results/timing_notes.h"

static const sb_entry *const kinds[] = {
#define SB_ENTRY(name) &sb_figure_##name.entry,
#include "harness/report/figures.def"
#undef SB_ENTRY
};
static const sb_list figure_kinds = {.family = "figures", SB_LIST_ENTRIES(kinds)};

/* Reports a key that the kind needs in every layer, or does not have. */
static bool check_keys(const sb_figure_kind *kind, const sb_figure_spec *spec, sb_diagnostics *diagnostics)
{
  const sb_figure_panel *panels = spec->panel_count > 0 ? spec->panels : &spec->all;
  for (size_t p = 0; p == 0 || p < spec->panel_count; ++p)
    for (const sb_figure_layer *layer = panels[p].layers; layer < panels[p].layers + panels[p].layer_count; ++layer) {
      const char *missing = !layer->x                                             ? "x"
                            : !layer->y && !(kind->traits & SB_FIGURE_X_ALONE)    ? "y"
                            : !layer->value && (kind->traits & SB_FIGURE_NUMBERS) ? "value"
                                                                                  : NULL;
      if (missing)
        return sb_error_at(diagnostics, spec->kind_where, "E101", "a layer of the kind %s needs the key '%s'",
                           kind->name, missing);
    }
  return spec->leaders == 0 || kind->choose_leaders ||
         sb_error_at(diagnostics, spec->kind_where, "E101", "a figure of the kind %s has no key 'leaders'", kind->name);
}

/* NULL after a diagnostic if no figure has that name, or its keys do not fit. */
static const sb_figure_kind *find_kind(const sb_figure_spec *spec, sb_arena *arena, sb_diagnostics *diagnostics)
{
  const sb_entry *kind = sb_list_find(&figure_kinds, spec->kind);
  if (kind) return check_keys((const void *)kind, spec, diagnostics) ? (const void *)kind : NULL;
  const char *suggestion = sb_list_suggestion(&figure_kinds, spec->kind, arena);
  sb_error_at(diagnostics, spec->kind_where, "E106", "unknown kind of figure '%s'%s%s", spec->kind,
              *suggestion ? suggestion : "; there are ", *suggestion ? "" : sb_list_names(&figure_kinds, ", ", arena));
  return NULL;
}

const char *sb_figure_name(const sb_results *results, const sb_figure_spec *spec)
{
  return spec->title && *spec->title ? sb_results_text(results, spec->title) : spec->id;
}

bool sb_figures_check(const sb_sweep *sweep, sb_diagnostics *diagnostics)
{
  bool good = true;
  for (size_t i = 0; i < sweep->figure_count; ++i)
    if (sweep->figures[i].kind && !find_kind(&sweep->figures[i], sweep->arena, diagnostics)) good = false;
  return good;
}

/* Holds the inputs of a figure, and the part of them that is stored. */
typedef struct {
  const sb_results     *results;
  const sb_figure_spec *spec;
  sb_arena             *arena;
  const char           *why;    /* it cannot be drawn: why; NULL: it can */
  const bool           *timed;  /* [rows] cases whose times it shows; NULL: it shows no times */
  const char           *head;   /* the beginning of its scripts */
  const sb_figure      *figure; /* NULL: a script of the user's own draws it */
  bool                  stale;  /* the pictures that exist are of other results */
} making;

/* ---- scripts that a reader has edited ----
 *
 * The last line of a script is a digest of the lines before it. A script that does not fit its digest was edited, and
 * is kept under another name. Scripts of earlier versions have no digest: one that is newer than its data was edited.
 */

static const char digest_mark[] = "# springbench wrote the lines above; their digest is ";

static const char *with_digest(sb_arena *arena, const char *script)
{
  char hex[SB_DIGEST_LENGTH + 1];
  sb_digest_of_text(script, hex);
  return sb_arena_format(arena, "%s%s%s\n", script, digest_mark, hex);
}

static bool is_edited(const making *m, const char *path, const char *data)
{
  enum { SECONDS = 2 };
  const char *text = sb_arena_adopt(m->arena, sb_read_file(path, NULL)), *mark = NULL;
  struct stat script = {0}, numbers = {0};
  if (!text) return false;
  for (const char *at = text; (at = strstr(at, digest_mark)); ++at) mark = at;
  if (mark) return strcmp(with_digest(m->arena, sb_arena_copy_span(m->arena, text, (size_t)(mark - text))), text) != 0;
  return stat(path, &script) == 0 && stat(data, &numbers) == 0 && script.st_mtime > numbers.st_mtime + SECONDS;
}

/* Renames an edited script to <id>.edited.gp, or with a number added if that exists. False after a message. */
static bool keep_edited(const making *m)
{
  const char *stem = sb_arena_format(m->arena, "%s/figures/%s", m->results->directory, m->spec->id);
  const char *path = sb_arena_format(m->arena, "%s.gp", stem), *kept = sb_arena_format(m->arena, "%s.edited.gp", stem);
  if (!is_edited(m, path, sb_arena_format(m->arena, "%s.dat", stem))) return true;
  for (int i = 2; access(kept, F_OK) == 0; ++i) kept = sb_arena_format(m->arena, "%s.edited-%d.gp", stem, i);
  if (rename(path, kept) != 0)
    return sb_error_at(m->results->session.diagnostics, (sb_location){path, 0, 0}, "E116",
                       "it was edited, and cannot be kept as %s: %s", kept, strerror(errno));
  sb_warning_at(m->results->session.diagnostics, (sb_location){path, 0, 0}, "W123",
                "it was edited; your script is kept as %s, and the figure is drawn by a new one", kept);
  return true;
}

/* <directory>/figures/<stem><suffix> */
static bool store(const making *m, const char *stem, const char *suffix, const char *text)
{
  const char *path = sb_arena_adopt(m->arena, sb_report_path(m->results->directory, "figures", stem, suffix));
  return path && sb_report_write(path, text);
}

/* ---- figures by a script of the user's own ----
 *
 * A script states its needs in its comments, a full stop at the end of each; words in brackets are remarks:
 *   # Data: rows; columns method, grid, step_median_s (of a frame).
 * Tables are tab-separated, with one header line, and `?` for a missing value; tabs and double quotes, which gnuplot
 * would read as syntax, do not occur inside a cell. */

/* The columns that a script needs, up to a full stop; "# " begins a further line of the comment. */
static sb_names read_needs(sb_arena *arena, const char *script)
{
  sb_names    needs = {0};
  const char *data = strstr(script, " Data: "), *at = data ? strstr(data, "columns ") : NULL;
  int         depth = 0;
  for (at = at ? at + strlen("columns ") : ""; *at && (*at != '.' || depth > 0);) {
    const size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789_");
    depth += (*at == '(') - (*at == ')');
    if (length > 0 && depth == 0 && islower((unsigned char)*at))
      sb_names_add(arena, &needs, sb_arena_copy_span(arena, at, length));
    if (*at == '\n' && at[1] != '#') break;
    at += length > 0 ? length : 1;
  }
  return needs;
}

void sb_figure_put_word(FILE *stream, const char *word)
{
  if (!*word) fputc('?', stream);
  for (; *word; ++word) {
    const unsigned char c = (unsigned char)*word;
    fputc(c < 0x20 || c == 0x7f ? ' ' : c == '"' ? '\'' : c, stream);
  }
}

static void put_value(FILE *stream, sb_value value)
{
  char number[32] = "";
  if (value.kind == SB_NUMBER && isfinite(value.number)) sb_format_real(value.number, number);
  sb_figure_put_word(stream, value.kind == SB_WORD    ? value.word
                             : value.kind == SB_TRUTH ? (value.truth ? "1" : "0")
                                                      : number);
}

/* Names the columns of a point of a curve or of the motion, in addition to the row of its case. */
static sb_value value_of_point(const sb_figure_case *c, size_t point, const char *name)
{
  if (strcmp(name, "run") == 0) return (sb_value){.kind = c->run ? SB_WORD : SB_BLANK, .word = c->run};
  if (strcmp(name, "last") == 0) return (sb_value){.kind = SB_NUMBER, .number = point + 1 >= c->count};
  for (size_t i = 0; i < c->columns; ++i)
    if (strcmp(c->names[i], name) == 0 && point < c->count)
      return (sb_value){.kind = SB_NUMBER, .number = c->values[i][point]};
  return (sb_value){.kind = SB_BLANK};
}

/* A script shows times if it needs such a column: of the index, or of curves, of which no others are seconds. */
static const bool *timed_cases(const making *m, const sb_names *needs, const sb_figure_case *cases, size_t count)
{
  const sb_rows *rows = m->results->rows;
  bool          *timed = sb_arena_take(m->arena, sb_rows_count(rows), sizeof *timed), shows = false;
  for (size_t i = 0; i < needs->count; ++i) {
    const size_t column = sb_rows_column_find(rows, needs->names[i]);
    shows = shows || (column != (size_t)-1 && sb_rows_column_is_time(sb_rows_column_at(rows, column)));
    for (size_t c = 0; c < count; ++c)
      for (size_t k = 0; k < cases[c].columns && cases[c].run; ++k)
        shows = shows || (strcmp(cases[c].names[k], needs->names[i]) == 0 && strcmp(cases[c].units[k], "s") == 0);
  }
  for (size_t c = 0; c < count; ++c) timed[cases[c].row] = true;
  return shows ? timed : NULL;
}

/* The columns of a case's row: with `all` those of the index, then the options that define it, and options that are
 * needed. */
static sb_names row_columns(const making *m, const sb_names *needs, bool all)
{
  const sb_rows *rows = m->results->rows;
  const sb_names set = sb_report_settings(m->results->sweep, SB_SET_BY_ANY);
  sb_names       head = {0};
  for (size_t i = 0; all && i < sb_rows_column_count(rows); ++i)
    sb_names_add(m->arena, &head, sb_rows_column_at(rows, i)->name);
  sb_names_add(m->arena, &head, "key");
  sb_names_add(m->arena, &head, "status");
  for (size_t i = 0; i < set.count; ++i) sb_names_add(m->arena, &head, set.names[i]);
  for (size_t i = 0; i < needs->count; ++i)
    if (sb_option_find(needs->names[i]) != sb_option_count) sb_names_add(m->arena, &head, needs->names[i]);
  return head;
}

/* One line per case, or per point of its curves or motion. Then `last` is 1 in the last line of each, and two blank
 * lines separate them. A case without points has one line with the way it ended. `needs` are included as far as they
 * exist; a missing one is the reason why the figure cannot be drawn. */
static bool put_table(making *m, const sb_names *needs, FILE *stream)
{
  const bool            points = strcmp(m->spec->data, "rows") != 0;
  size_t                count = 0;
  const sb_figure_case *cases = sb_figure_cases(m->results, m->spec, m->arena, &count);
  if (!cases) return false;
  sb_names     head = row_columns(m, needs, !points);
  const size_t of_rows = head.count;
  if (strcmp(m->spec->data, "curves") == 0) sb_names_add(m->arena, &head, "run");
  for (size_t i = 0; i < count; ++i)
    for (size_t k = 0; k < cases[i].columns; ++k) sb_names_add(m->arena, &head, cases[i].names[k]);
  if (points) sb_names_add(m->arena, &head, "last");
  m->timed = timed_cases(m, needs, cases, count);
  fprintf(stream, "%s\n", sb_names_join(m->arena, &head, "\t", head.count));
  for (size_t i = 0; i < count; ++i)
    for (size_t point = 0; point == 0 || point < cases[i].count; ++point) {
      if (points && point == 0 && i > 0) fputs("\n\n", stream);
      for (size_t k = 0; k < head.count; ++k) {
        if (k > 0) fputc('\t', stream);
        put_value(stream, k < of_rows ? sb_report_value(m->results, cases[i].row, head.names[k])
                                      : value_of_point(&cases[i], point, head.names[k]));
      }
      fputc('\n', stream);
    }
  for (size_t i = 0; i < needs->count && !m->why; ++i)
    if (sb_names_find(&head, needs->names[i]) == (size_t)-1)
      m->why = sb_arena_format(m->arena, "the script %s needs the column '%s', which these results do not have",
                               m->spec->script, needs->names[i]);
  return true;
}

void sb_figure_put_published(FILE *stream, const sb_published_table *table)
{
  for (size_t i = 0; i < table->rows * table->columns; ++i) {
    sb_figure_put_word(stream, table->cells[i]);
    fputc((i + 1) % table->columns == 0 ? '\n' : '\t', stream);
  }
}

/* Stores a published table beside the figure, and passes its name to the script. */
static bool put_published(const making *m, const char *name, FILE *script)
{
  char                      error[SB_ERROR_SIZE] = "";
  const size_t              length = strlen(name), cut = length > 4 && strcmp(name + length - 4, ".csv") == 0 ? 4 : 0;
  const char               *stem = sb_arena_copy_span(m->arena, name, length - cut);
  char                     *variable = sb_arena_format(m->arena, "published_%s", stem);
  const sb_published_table *table = sb_published_read(m->arena, m->results->published_dir, stem, error);
  sb_arena_writer           writer;
  if (!table) return sb_error_at(m->results->session.diagnostics, (sb_location){0}, "E100", "%s", error);
  for (char *c = variable; *c; ++c)
    if (strchr(".+-", *c)) *c = '_';
  fprintf(script, "%s = 'published_%s.dat'\n", variable, stem); /* safe names have no quotes */
  sb_figure_put_published(sb_arena_write(&writer, m->arena), table);
  return store(m, sb_arena_format(m->arena, "published_%s", stem), ".dat", sb_arena_text(&writer));
}

/* ---- every figure ---- */

/* Why a quick run has too few points for a figure; NULL: it has enough. */
static const char *too_few(const sb_figure *f)
{
  const sb_figure_kind *kind = f->kind;
  const size_t          least = kind->least_cases > 0 ? kind->least_cases : kind->least_points;
  size_t                series = 0, points = 0, most = 0, in_view = 0;
  SB_EACH_SERIES (f, view, s) {
    const size_t layers = kind->traits & SB_FIGURE_X_ALONE ? view->spec->layer_count : 1;
    if (!s->layer || s->layer->published) continue;
    ++series;
    points += s->count;
    in_view = s == view->series || !(kind->traits & SB_FIGURE_NUMBERS) ? 0 : in_view; /* tiles: of all layers */
    in_view += s->count + s->missed_count;
    most = in_view / layers > most ? in_view / layers : most;
  }
  if (!f->results->quick || (most >= kind->least_cases && points >= kind->least_points * series)) return NULL;
  return sb_arena_format(f->arena, "a quick run has fewer than %zu %s of it; a run without --quick draws it", least,
                         kind->least_cases > 0 ? "cases" : "points per series");
}

/* Names under `colours` that no series has; a part of the sweep may lack their series. */
static void check_colours(const making *m, const sb_figure *figure)
{
  size_t all = 0;
  for (size_t i = 0; i < m->spec->colour_count && sb_results_are_whole(m->results, &all); ++i) {
    const sb_figure_colour *c = &m->spec->colours[i];
    bool                    found = false;
    SB_EACH_SERIES (figure, view, s) found = found || sb_figure_is_named(s, c->name);
    if (!found)
      sb_warning_at(m->results->session.diagnostics, c->where, "W124", "figure '%s' has no series '%s' to colour",
                    m->spec->id, c->name);
  }
}

/* The beginning of a script: the sweep's texts and the common style. NULL after a message. */
static const char *make_head(const making *m)
{
  const sb_figure_spec *spec = m->spec;
  const sb_sweep       *sweep = m->results->sweep;
  char                 *plots = sb_arena_adopt(m->arena, sb_data_directory("plots"));
  const char *style = sb_arena_adopt(m->arena, sb_read_file(sb_arena_format(m->arena, "%s/style.gp", plots), NULL));
  const char *const said[][2] = {{"id", spec->id},
                                 {"sweep", sweep->name},
                                 {"figure_title", sb_results_text(m->results, spec->title)},
                                 {"question", sweep->question},
                                 {"source", sweep->source}};
  sb_arena_writer   head;
  FILE             *script = sb_arena_write(&head, m->arena);
  bool              good = true;
  fprintf(script,
          "# Draws %s.svg from %s.dat in this folder: gnuplot %s.gp\n"
          "# Other forms (pdf, png, tex, dumb): gnuplot -e \"term='pdf'\" %s.gp\nif (!exists('term')) term = 'svg'\n",
          spec->id, spec->id, spec->id, spec->id);
  for (size_t i = 0; i < sizeof said / sizeof *said; ++i) {
    fprintf(script, "%s = ", said[i][0]);
    sb_gnuplot_put_text(script, said[i][1] ? said[i][1] : "");
    fputc('\n', script);
  }
  fprintf(script, "data = '%s.dat'\n", spec->id);
  for (size_t i = 0; i < spec->published_count && good; ++i) good = put_published(m, spec->published[i], script);
  fprintf(script, "\n# style.gp\n%s", style ? style : "");
  const char *made = sb_arena_text(&head);
  return good ? made : NULL;
}

/* Stores the script and its data. */
static bool make_texts(making *m)
{
  const sb_figure_spec *spec = m->spec;
  const char           *path = spec->kind ? NULL : sb_sweep_script(m->results->sweep, spec->script, m->arena);
  const char           *own = path ? sb_arena_adopt(m->arena, sb_read_file(path, NULL)) : NULL;
  sb_arena_writer       body, table;
  FILE                 *script = sb_arena_write(&body, m->arena), *data = sb_arena_write(&table, m->arena);
  bool                  good = (m->head = make_head(m)) != NULL;
  if (good && spec->kind) {
    const sb_figure_kind *kind = find_kind(spec, m->arena, m->results->session.diagnostics);
    const sb_figure      *figure = kind ? sb_figure_create(m->results, spec, kind, m->arena) : NULL;
    fprintf(script, "\n# A figure of the kind %s\n", spec->kind);
    m->figure = figure;
    good = figure != NULL;
    if (good) {
      check_colours(m, figure);
      sb_figure_put(figure, script, data);
      m->why = figure->why ? figure->why : too_few(figure);
      m->timed = figure->timed;
    }
  } else if (good && own) {
    const sb_names needs = read_needs(m->arena, own);
    fprintf(script, "\n# %s\n%s", spec->script, own);
    good = put_table(m, &needs, data);
  } else if (good)
    good = sb_error_at(m->results->session.diagnostics, spec->script_where, "E100",
                       "there is no script '%s', neither beside the sweep file nor in plots/", spec->script);
  const char *made = sb_arena_text(&body), *numbers = sb_arena_text(&table);
  if (!good || !keep_edited(m)) return false;
  made = with_digest(m->arena, sb_arena_format(m->arena, "%s%s", m->head, made));
  return store(m, spec->id, ".dat", numbers) && store(m, spec->id, ".gp", made);
}

/* Why a figure is not drawn, or its script not run unasked; NULL: it is. */
static const char *refusal(const making *m)
{
  const sb_results *results = m->results;
  const char       *name = m->spec->script;
  if (sb_results_conclusion(results)->kind == SB_CONCLUSION_NOT_RUN) return "no case ran";
  if (!name || results->session.trusts_scripts || !sb_sweep_script_is_strange(results->sweep, name)) return NULL;
  return sb_arena_format(
      m->arena,
      "its script '%s' is in the results directory, and gnuplot runs it as a program; read it, then give --trust",
      name);
}

/* Reports why there is no picture, and stores the reason for pages that show the figure, in
 * <directory>/figures/<id>.why. `code` is that of an error. NULL: there is nothing to draw, which is not an error. */
static sb_figure_outcome leave_out(const making *m, const char *why, const char *code)
{
  sb_diagnostics   *d = m->results->session.diagnostics;
  const sb_location where = m->spec->kind ? m->spec->kind_where : m->spec->script_where;
  if (code)
    sb_error_at(d, where, code, "figure '%s' is left out: %s", m->spec->id, why);
  else if (!m->results->quick || !m->stale) /* --quick runs a part; the page names the missing cases */
    sb_warning_at(d, where, "W119", "figure '%s' is left out: %s", m->spec->id, why);
  (void)store(m, m->spec->id, ".why", why);
  return code ? SB_FIGURE_FAILED : SB_FIGURE_LEFT_OUT;
}

/* Writes a note on the quality of its times, for the caption on pages, to <directory>/figures/<id>.note; no file if
 * there is nothing to report. */
static bool put_note(const making *m)
{
  if (!m->timed) return true;
  const sb_timing_notes times = sb_timing_notes_of(m->results, m->timed, false, m->arena);
  const char           *note = sb_markdown_format(m->arena, "{%-s. }{%-s.}{ Device: %s.}", times.noise, times.origins,
                                                  sb_devices_note(m->results, m->timed, m->arena));
  return !*note || store(m, m->spec->id, ".note", note);
}

/* An svg as gnuplot wrote it, with its own title, and fallback fonts of other machines after the one it names. Letters
 * of DejaVu Sans are wider than the room left for them, and made smaller. */
static void put_svg(FILE *stream, const char *drawn, const char *title)
{
  static const char fonts[] =
      "font-family=\"Nimbus Sans, Liberation Sans, Helvetica, Arial, DejaVu Narrow, sans-serif\"";
  static const char style[] = "<style>@font-face { font-family: \"DejaVu Narrow\"; src: local(\"DejaVu Sans\"), "
                              "local(\"DejaVuSans\"); size-adjust: 87%; }</style>";
  static const char named[] = "<title>Gnuplot</title>", font[] = "font-family=\"Nimbus Sans\"";
  const char       *at = strstr(drawn, named);
  if (at) {
    fprintf(stream, "%.*s", (int)(at - drawn), drawn);
    sb_markdown_print(stream, "<title>" SB_AS_HTML "</title>%-s", title, style);
    drawn = at + sizeof named - 1;
  }
  for (; (at = strstr(drawn, font)); drawn = at + sizeof font - 1)
    fprintf(stream, "%.*s%s", (int)(at - drawn), drawn, fonts);
  fputs(drawn, stream);
}

/* ---- the texts of a figure for LaTeX ----
 * gnuplot's terminal cairolatex copies every text unchanged, but titles, keys and axes are written for its other
 * terminals: x_{max}, 10^{-3}, ω, and plain names such as explicit_euler. The text after \strut{} in its output is
 * converted to LaTeX here; text between dollars already is LaTeX. The size of type is the one for which plots/style.gp
 * leaves room, 8 points, independent of the document's. */

static void put_latex_text(sb_arena *arena, FILE *stream, const char *text)
{
  for (size_t length; *text; text += length) {
    /* Mathematics: $…$, or superscripts and subscripts after ^ and _, {…} or one character after ^ (names have bare
     * underscores). */
    const char *end = *text == '$' ? strchr(text + 1, '$') : NULL;
    const bool  braces = (*text == '^' || *text == '_') && text[1] == '{';
    if (braces) end = strchr(text, '}');
    if (!end && !braces && *text == '^' && text[1]) end = text + 1;
    length = end ? (size_t)(end - text) + 1 : strcspn(text, "^_$");
    if (length == 0) length = 1;
    if (end && *text == '$')
      fprintf(stream, "%.*s", (int)length, text);
    else if (end)
      fprintf(stream, "\\ensuremath{%c{\\mathrm{%.*s}}}", *text, (int)length - (braces ? 3 : 1), text + 1 + braces);
    else
      sb_text_put_latex(stream, sb_arena_copy_span(arena, text, length));
  }
}

void sb_figure_put_latex(FILE *stream, const char *drawn)
{
  static const char                       mark[] = "\\strut{}", begin[] = "\\begingroup\n";
  SB_ENDED_BY(sb_arena_destroy) sb_arena *arena = sb_arena_create();
  for (size_t length; *drawn; drawn += length) {
    length = strcspn(drawn, "\n") + (strchr(drawn, '\n') != NULL);
    const char *line = sb_arena_copy_span(arena, drawn, length);
    const char *text = strstr(line, "\\put(") ? strstr(line, mark) : NULL;
    if (text) {
      const char *end = text += sizeof mark - 1;
      for (int depth = 0; *end && (*end != '}' || depth > 0); ++end) depth += (*end == '{') - (*end == '}');
      fprintf(stream, "%.*s", (int)(text - line), line);
      put_latex_text(arena, stream, sb_arena_copy_span(arena, text, (size_t)(end - text)));
      fputs(end, stream);
    } else
      fprintf(stream, "%s%s", line, strcmp(line, begin) == 0 ? "  \\fontsize{8}{9.6}\\selectfont\n" : "");
  }
}

static bool rewrite(const making *m, const char *picture, bool latex)
{
  const char     *drawn = sb_arena_adopt(m->arena, sb_read_file(picture, NULL));
  sb_arena_writer again;
  FILE           *stream = sb_arena_write(&again, m->arena);
  if (drawn && latex) sb_figure_put_latex(stream, drawn);
  if (drawn && !latex) put_svg(stream, drawn, sb_figure_name(m->results, m->spec));
  const char *rewritten = sb_arena_text(&again);
  return drawn && sb_report_write(picture, rewritten);
}

static const char *picture_of(const making *m, const char *form)
{
  return sb_arena_format(m->arena, "%s/figures/%s%s.%s", m->results->directory, m->spec->id,
                         strcmp(form, "tex") == 0 ? "-latex" : "", form);
}

/* Draws only the first panel of a figure, <id>.panel.svg, for the overview of sweeps, which has no room for all panels,
 * nor for a title. Its script and data are removed. */
static void draw_panel(const making *m)
{
  const char     *stem = sb_arena_format(m->arena, "%s.panel", m->spec->id);
  const char     *folder = sb_arena_format(m->arena, "%s/figures", m->results->directory);
  const char     *picture = picture_of(m, "panel.svg"), *why;
  sb_figure       panel = *m->figure;
  sb_arena_writer script, data;
  FILE           *stream = sb_arena_write(&script, m->arena), *numbers = sb_arena_write(&data, m->arena);
  panel.panel_only = true;
  panel.view_count = 1;
  memset(panel.feet, 0, sizeof panel.feet);
  fprintf(stream, "%sid = id.'.panel'\ndata = id.'.dat'\nheading = ''\n", m->head);
  sb_figure_put(&panel, stream, numbers);
  const char *texts[] = {sb_arena_text(&script), sb_arena_text(&data)};
  if (!store(m, stem, ".gp", texts[0]) || !store(m, stem, ".dat", texts[1])) return;
  why = sb_arena_adopt(m->arena, sb_gnuplot_run(folder, sb_arena_format(m->arena, "%s.gp", stem), "svg"));
  if (why || !rewrite(m, picture, false)) unlink(picture); /* the overview then shows the figure */
  unlink(sb_arena_format(m->arena, "%s/%s.gp", folder, stem));
  unlink(sb_arena_format(m->arena, "%s/%s.dat", folder, stem));
}

static sb_figure_outcome draw(const making *m, const char *form)
{
  const char *picture = picture_of(m, form), *why;
  const bool  tex = strcmp(form, "tex") == 0;
  struct stat made = {0};
  size_t      all = 0;
  why = sb_arena_adopt(m->arena, sb_gnuplot_run(sb_arena_format(m->arena, "%s/figures", m->results->directory),
                                                sb_arena_format(m->arena, "%s.gp", m->spec->id), form));
  if (why && sb_results_are_whole(m->results, &all)) return leave_out(m, why, "E116");
  if (why) /* some figures can be drawn only for the whole sweep; failing for a part is not an error */
    return leave_out(m, "gnuplot cannot draw it from these cases, which are only a part of the sweep", NULL);
  if (strcmp(form, "dumb") == 0) return SB_FIGURE_DRAWN;
  if (stat(picture, &made) != 0 || made.st_size == 0)
    return leave_out(m, "gnuplot drew nothing; a script must begin its picture with `eval page(WIDTH, HEIGHT)`, in cm",
                     "E116");
  if (!tex && strcmp(form, "svg") != 0) return SB_FIGURE_DRAWN;
  return rewrite(m, picture, tex) ? SB_FIGURE_DRAWN : SB_FIGURE_FAILED;
}

/* A picture of an earlier run, or half a one, must not pass for this run's. */
static void remove_pictures(const making *m, const char *const *forms)
{
  for (; *forms; ++forms) {
    unlink(picture_of(m, *forms));
    if (strcmp(*forms, "svg") == 0) unlink(picture_of(m, "panel.svg"));
  }
}

/* `stale`: the existing pictures are of other results. */
static sb_figure_outcome write_figure(const sb_results *results, const sb_figure_spec *spec, const char *const *forms,
                                      bool stale)
{
  making            m = {.results = results, .spec = spec, .stale = stale, .arena = sb_arena_create()};
  sb_figure_outcome end = SB_FIGURE_FAILED;
  const char       *refused = refusal(&m);
  if (refused && !stale) { /* an existing figure stays */
    sb_warning_at(results->session.diagnostics, spec->script_where, "W119", "figure '%s' is not drawn: %s", spec->id,
                  refused);
  } else if (sb_make_folder(results->directory, "figures")) {
    remove_pictures(&m, forms);
    unlink(picture_of(&m, "why"));
    unlink(picture_of(&m, "note"));
    if (refused) {
      end = leave_out(&m, refused, NULL);
    } else if (make_texts(&m) && put_note(&m)) {
      end = m.why && *forms ? leave_out(&m, m.why, NULL) : SB_FIGURE_DRAWN;
      for (const char *const *form = forms; *form && end == SB_FIGURE_DRAWN; ++form) end = draw(&m, *form);
      if (end != SB_FIGURE_DRAWN)
        remove_pictures(&m, forms);
      else if (m.figure && *forms && strcmp(*forms, "svg") == 0)
        draw_panel(&m);
    }
  }
  sb_arena_destroy(&m.arena);
  return end;
}

const char *const sb_figure_forms[] = {"svg", "pdf", "png", "tex", "dumb", NULL};

sb_figure_outcome sb_figure_write(const sb_results *results, const sb_figure_spec *spec, const char *const *forms)
{
  return write_figure(results, spec, forms, false);
}

bool sb_figures_write_all(const sb_results *results)
{
  static const char *const forms[] = {"svg", "pdf", "png", NULL};
  bool                     all = true;
  for (size_t i = 0; i < results->sweep->figure_count; ++i)
    all = write_figure(results, &results->sweep->figures[i], forms, true) != SB_FIGURE_FAILED && all;
  return all;
}

void sb_figure_add_files(const sb_results *results, const sb_figure_spec *spec, sb_names *files)
{
  static const char *const pictures[] = {"svg", "pdf", "png"}, *const others[] = {"dat", "note", "panel.svg"};
  sb_arena *arena = results->session.arena;
  for (size_t i = 0; i < sizeof pictures / sizeof *pictures; ++i)
    sb_names_add(arena, files, sb_arena_format(arena, "figures/%s.%s", spec->id, pictures[i]));
  for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
    const char *name = sb_arena_format(arena, "figures/%s.%s", spec->id, others[i]);
    if (sb_has_file(results->directory, name)) sb_names_add(arena, files, name);
  }
}
