/* Figures: <directory>/figures/<id>.gp and its data, and gnuplot run on it.
 *
 * The script stands alone: what the sweep says (single-quoted, so that gnuplot expands nothing in it), plots/style.gp,
 * then what the figure's kind draws, or the user's own script. gnuplot is executed without a shell and without start-up
 * files (-d), in figures/, as a reader would by hand. The texts come first: as long as they are the same, so are the
 * pictures. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/common/csv.h"
#include "harness/common/durable.h"
#include "harness/common/gnuplot.h"
#include "harness/report/figure.h"
#include "harness/report/report_text.h"
#include "harness/sweep/sweep_files.h"

static void add_text(sb_figure_texts *texts, sb_arena *arena, const char *name, const char *text)
{
  texts->files = sb_arena_grow(arena, texts->files, texts->count, sizeof *texts->files);
  texts->files[texts->count++] = (sb_figure_text){name, text};
}

/* ---- figures by a script of the user's own ----
 *
 * A script states its needs in its comments, a full stop at the end of each; words in brackets are remarks:
 *   # Data: rows; columns method, grid, step_median_s (of a frame).
 * Tables are tab-separated, with one header line, and `?` where there is no value; tabs and double quotes, which
 * gnuplot would read as syntax, do not occur inside a cell. */

typedef struct {
  sb_arena    *arena;
  size_t       count;
  const char **names; /* each once */
} name_list;

static bool has_name(const name_list *list, const char *name)
{
  for (size_t i = 0; i < list->count; ++i)
    if (strcmp(list->names[i], name) == 0) return true;
  return false;
}

static void add_name(name_list *list, const char *name)
{
  if (has_name(list, name)) return;
  list->names = sb_arena_grow(list->arena, list->names, list->count, sizeof *list->names);
  list->names[list->count++] = name;
}

/* The names behind the statement `lead`, up to a full stop; "# " begins a further line of the comment. */
static name_list read_names(sb_arena *arena, const char *data, const char *lead)
{
  name_list   list = {.arena = arena};
  const char *at = data ? strstr(data, lead) : NULL;
  int         depth = 0;
  for (at = at ? at + strlen(lead) : ""; *at && (*at != '.' || depth > 0);) {
    const size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789_");
    depth += (*at == '(') - (*at == ')');
    if (length > 0 && depth == 0 && islower((unsigned char)*at)) add_name(&list, sb_arena_copy_span(arena, at, length));
    if (*at == '\n' && at[1] != '#') break;
    at += length > 0 ? length : 1;
  }
  return list;
}

typedef struct {
  char     *text; /* of the script; NULL: it cannot be read */
  name_list columns;
} own_script;

static own_script read_script(const sb_sweep *sweep, const sb_figure_spec *spec, sb_arena *arena)
{
  char       *path = sb_sweep_script(sweep, spec->script, arena);
  own_script  s = {.text = path ? sb_arena_adopt(arena, sb_read_file(path, NULL)) : NULL};
  const char *data = s.text ? strncmp(s.text, "# Data: ", 8) == 0 ? s.text : strstr(s.text, "\n# Data: ") : NULL;
  if (!data && s.text) data = strstr(s.text, " Data: ");
  s.columns = read_names(arena, data, "columns ");
  return s;
}

void sb_figure_put_word(FILE *stream, const char *word)
{
  if (!*word) fputc('?', stream);
  for (; *word; ++word) {
    const unsigned char c = (unsigned char)*word;
    fputc(c < 0x20 || c == 0x7f ? ' ' : c == '"' ? '\'' : c, stream);
  }
}

static void put_number(FILE *stream, double number)
{
  char buffer[32];
  fputs(isfinite(number) ? sb_format_real(number, buffer) : "?", stream);
}

static void put_value(FILE *stream, sb_value value)
{
  if (value.kind == SB_NUMBER)
    put_number(stream, value.number);
  else
    sb_figure_put_word(stream, value.kind == SB_WORD    ? value.word
                               : value.kind == SB_BLANK ? ""
                               : value.truth            ? "1"
                                                        : "0");
}

static double number_named(const sb_figure_case *c, const char *name, size_t point)
{
  for (size_t i = 0; i < c->columns; ++i)
    if (strcmp(c->names[i], name) == 0 && point < c->count) return c->values[i][point];
  return NAN;
}

/* A line a case, or a point of its curves or motion; then `last` is 1 in the last line of each, and two blank lines are
 * between them. A case without points has one line that says how it ended. */
static void put_cases(FILE *stream, const sb_results *results, const sb_figure_case *cases, size_t count,
                      const name_list *settings, const name_list *points)
{
  for (size_t i = 0; i < count; ++i) {
    const sb_figure_case *c = &cases[i];
    if (points && i > 0) fputs("\n\n", stream);
    for (size_t point = 0; point == 0 || point < c->count; ++point) {
      for (size_t k = 0; k < settings->count; ++k) {
        if (k > 0) fputc('\t', stream);
        put_value(stream, strcmp(settings->names[k], "run") == 0 && points
                              ? (sb_value){.kind = c->run ? SB_WORD : SB_BLANK, .word = c->run}
                              : sb_report_value(results, c->row, settings->names[k]));
      }
      for (size_t k = 0; points && k < points->count; ++k) {
        fputc('\t', stream);
        put_number(stream, number_named(c, points->names[k], point));
      }
      if (points) fputs(point + 1 >= c->count ? "\t1" : "\t0", stream);
      fputc('\n', stream);
    }
  }
}

/* `head` gets the names of the columns. */
static bool put_table(const sb_results *results, const sb_figure_spec *spec, const name_list *wanted, name_list *head,
                      FILE *stream)
{
  sb_arena             *arena = head->arena;
  const bool            rows = strcmp(spec->data, "rows") == 0;
  size_t                count = 0, settings = 0;
  name_list             points = {.arena = arena};
  const sb_figure_case *cases = sb_figure_cases(results, spec, arena, &count);
  const char          **set = sb_report_settings(results->sweep, &settings);
  for (size_t i = 0; rows && i < sb_rows_column_count(results->rows); ++i)
    add_name(head, sb_rows_column_at(results->rows, i)->name);
  add_name(head, "key");
  add_name(head, "status");
  for (size_t i = 0; i < settings; ++i) add_name(head, set[i]);
  for (size_t i = 0; i < wanted->count; ++i)
    if (sb_option_find(wanted->names[i]) != SB_OPT_COUNT) add_name(head, wanted->names[i]);
  if (strcmp(spec->data, "curves") == 0) add_name(head, "run");
  name_list first = *head;
  for (size_t i = 0; cases && i < count; ++i)
    for (size_t k = 0; k < cases[i].columns; ++k) add_name(&points, cases[i].names[k]);
  for (size_t i = 0; i < points.count; ++i) add_name(head, points.names[i]);
  if (!rows) add_name(head, "last");
  for (size_t i = 0; i < first.count; ++i) fprintf(stream, "%s%s", i > 0 ? "\t" : "", first.names[i]);
  for (size_t i = 0; i < points.count; ++i) fprintf(stream, "\t%s", points.names[i]);
  fputs(rows ? "\n" : "\tlast\n", stream);
  if (cases) put_cases(stream, results, cases, count, &first, rows ? NULL : &points);
  return cases != NULL;
}

/* "liu2013_curves.csv" -> "liu2013_curves" */
static const char *stem_of(sb_arena *arena, const char *name)
{
  const size_t length = strlen(name), cut = length > 4 && strcmp(name + length - 4, ".csv") == 0 ? 4 : 0;
  return sb_arena_copy_span(arena, name, length - cut);
}

void sb_figure_put_published(FILE *stream, const sb_published_table *table)
{
  for (size_t i = 0; i < table->rows * table->columns; ++i) {
    sb_figure_put_word(stream, table->cells[i]);
    fputc((i + 1) % table->columns == 0 ? '\n' : '\t', stream);
  }
}

static bool add_published(const sb_results *results, const char *name, sb_arena *arena, sb_figure_texts *texts)
{
  char                error[SB_ERROR_SIZE] = "";
  sb_published_table *table = sb_published_read(arena, results->published_dir, name, error);
  sb_arena_writer     writer;
  if (!table) return sb_error_at(results->session.diagnostics, (sb_location){0}, "E100", "%s", error);
  sb_figure_put_published(sb_arena_write(&writer, arena), table);
  add_text(texts, arena, sb_arena_format(arena, "published_%s.dat", name), sb_arena_text(&writer));
  return true;
}

static bool put_script(const sb_results *results, const sb_figure_spec *spec, sb_arena *arena, sb_figure_texts *texts,
                       FILE *stream)
{
  const own_script s = read_script(results->sweep, spec, arena);
  name_list        head = {.arena = arena};
  if (!s.text)
    return sb_error_at(results->session.diagnostics, spec->script_where, "E100",
                       "there is no script '%s', neither beside the sweep file nor in plots/", spec->script);
  for (size_t i = 0; i < spec->published_count; ++i) {
    const char *stem = stem_of(arena, spec->published[i]);
    char       *variable = sb_arena_format(arena, "published_%s", stem);
    for (char *c = variable; *c; ++c)
      if (strchr(".+-", *c)) *c = '_';
    fprintf(stream, "%s = 'published_%s.dat'\n", variable, stem); /* safe names have no quotes */
    if (!add_published(results, stem, arena, texts)) return false;
  }
  sb_figure_put_style(stream);
  fprintf(stream, "\n# %s\n%s", spec->script, s.text);
  sb_arena_writer writer;
  const bool      good = put_table(results, spec, &s.columns, &head, sb_arena_write(&writer, arena));
  add_text(texts, arena, sb_arena_format(arena, "%s.dat", spec->id), sb_arena_text(&writer));
  for (size_t i = 0; i < s.columns.count && !texts->why; ++i)
    if (!has_name(&head, s.columns.names[i]))
      texts->why = sb_arena_format(arena, "the script %s needs the column '%s', of which these results have none",
                                   spec->script, s.columns.names[i]);
  return good;
}

/* ---- every figure ---- */

static sb_location place_of(const sb_figure_spec *spec) { return spec->kind ? spec->kind_where : spec->script_where; }

static void put_variable(FILE *stream, const char *name, const char *text)
{
  fprintf(stream, "%s = ", name);
  sb_gnuplot_put_text(stream, text ? text : "");
  fputc('\n', stream);
}

static void put_head(FILE *stream, const sb_results *results, const sb_figure_spec *spec)
{
  fprintf(stream, "# Draws %s.svg from %s.dat in this folder: gnuplot %s.gp\n", spec->id, spec->id, spec->id);
  fprintf(stream, "# Other forms (pdf, png, tex, dumb): gnuplot -e \"term='pdf'\" %s.gp\n", spec->id);
  fputs("if (!exists('term')) term = 'svg'\n", stream);
  put_variable(stream, "id", spec->id);
  put_variable(stream, "sweep", results->sweep->name);
  put_variable(stream, "figure_title", spec->title);
  put_variable(stream, "question", results->sweep->question);
  put_variable(stream, "source", results->sweep->source);
  fprintf(stream, "data = '%s.dat'\n", spec->id);
}

bool sb_figure_put_style(FILE *stream)
{
  char *plots = sb_data_directory("plots"), *path = sb_format("%s/style.gp", plots), *text = sb_read_file(path, NULL);
  fprintf(stream, "\n# style.gp\n%s", text ? text : "");
  const bool good = text != NULL;
  free(text);
  free(path);
  free(plots);
  return good;
}

static bool put_kind(const sb_results *results, const sb_figure_spec *spec, sb_arena *arena, sb_figure_texts *texts,
                     FILE *script)
{
  const sb_figure *figure = sb_figure_create(results, spec, arena);
  sb_arena_writer  writer;
  if (!figure) return false;
  sb_figure_put_style(script);
  fprintf(script, "\n# A figure of the kind %s\n", spec->kind);
  sb_figure_put(figure, script, sb_arena_write(&writer, arena));
  add_text(texts, arena, sb_arena_format(arena, "%s.dat", spec->id), sb_arena_text(&writer));
  if (figure->drawn == 0) {
    const size_t rows = figure->case_count;
    texts->why = rows == 0 && results->quick ? "a quick run has no case of this"
                 : *figure->reason           ? sb_arena_copy(arena, figure->reason)
                                   : sb_arena_format(arena, "none of %zu case%s was drawn", rows, rows == 1 ? "" : "s");
  } else if (figure->confused)
    texts->why =
        sb_arena_format(arena, "the cases differ by %s too, which the figure does not tell apart", figure->confused);
  return true;
}

bool sb_figure_make_texts(const sb_results *results, const sb_figure_spec *spec, sb_arena *arena,
                          sb_figure_texts *texts)
{
  sb_arena_writer writer;
  FILE           *script = sb_arena_write(&writer, arena);
  *texts = (sb_figure_texts){0};
  put_head(script, results, spec);
  const bool good =
      spec->kind ? put_kind(results, spec, arena, texts, script) : put_script(results, spec, arena, texts, script);
  add_text(texts, arena, sb_arena_format(arena, "%s.gp", spec->id), sb_arena_text(&writer));
  return good;
}

static bool write_texts(const sb_results *results, const sb_figure_texts *texts)
{
  bool good = true;
  for (size_t i = 0; i < texts->count && good; ++i) {
    char *path = sb_report_path(results->directory, "figures", texts->files[i].name, "");
    good = path && sb_report_write(path, texts->files[i].text);
    free(path);
  }
  return good;
}

typedef enum { DRAWN, NOTHING_TO_DRAW, FAILED } outcome;

/* Why there is no picture, for pages that show the figure: <directory>/figures/<id>.why. "" when there is one. */
static void store_reason(const sb_results *results, const sb_figure_spec *spec, const char *why)
{
  char *path = sb_report_path(results->directory, "figures", spec->id, ".why"), *line = sb_format("%s\n", why);
  if (path && *why)
    (void)sb_report_write(path, line);
  else if (path)
    unlink(path);
  free(line);
  free(path);
}

/* `code`: of an error. NULL: there is nothing to draw, which is none. */
static outcome leave_out(const sb_results *results, const sb_figure_spec *spec, const char *why, const char *code)
{
  if (code)
    sb_error_at(results->session.diagnostics, place_of(spec), code, "figure '%s' is left out: %s", spec->id, why);
  else
    sb_warning_at(results->session.diagnostics, place_of(spec), "W119", "figure '%s' is left out: %s", spec->id, why);
  store_reason(results, spec, why);
  return code ? FAILED : NOTHING_TO_DRAW;
}

/* gnuplot can draw some figures only of the whole sweep: of a part that is no failure. */
static outcome cannot_draw(const sb_results *results, const sb_figure_spec *spec, const char *why)
{
  size_t all = 0;
  if (sb_results_are_whole(results, &all)) return leave_out(results, spec, why, "E116");
  return leave_out(results, spec, "gnuplot cannot draw it of these cases, which are not all those of the sweep", NULL);
}

/* An svg as gnuplot wrote it, with its own title, and fonts that other machines have behind the one it names. */
static void put_svg(FILE *stream, const char *drawn, const char *title)
{
  static const char named[] = "<title>Gnuplot</title>", font[] = "font-family=\"Nimbus Sans\"";
  for (const char *next; *drawn; drawn = next) {
    const char *at_title = strstr(drawn, named), *at_font = strstr(drawn, font);
    const char *at = at_title && (!at_font || at_title < at_font) ? at_title : at_font;
    fwrite(drawn, 1, at ? (size_t)(at - drawn) : strlen(drawn), stream);
    next = at ? at + (at == at_title ? sizeof named : sizeof font) - 1 : drawn + strlen(drawn);
    if (at && at == at_title) {
      fputs("<title>", stream);
      sb_text_put_html(stream, title);
      fputs("</title>", stream);
    }
    if (at && at == at_font) fputs("font-family=\"Nimbus Sans, Helvetica, Arial, sans-serif\"", stream);
  }
}

/* Rewrites a file of gnuplot's: its title, or its texts for LaTeX. */
static bool rewrite(const char *path, const char *terminal, const char *title)
{
  sb_arena       *arena = sb_arena_create();
  sb_arena_writer again;
  const char     *text = sb_arena_adopt(arena, sb_read_file(path, NULL));
  FILE           *stream = sb_arena_write(&again, arena);
  if (text && strcmp(terminal, "tex") == 0)
    sb_figure_put_latex(stream, text);
  else if (text)
    put_svg(stream, text, title);
  const char *rewritten = sb_arena_text(&again);
  const bool  written = text && sb_report_write(path, rewritten);
  sb_arena_destroy(&arena);
  return written;
}

static char *picture_of(const sb_results *results, const sb_figure_spec *spec, const char *terminal)
{
  const char *form = strcmp(terminal, "tex") == 0 ? "-latex" : "";
  return sb_format("%s/figures/%s%s.%s", results->directory, spec->id, form, terminal);
}

/* A picture of an earlier run, or half a one, must not pass for this run's. */
static void remove_pictures(const sb_results *results, const sb_figure_spec *spec, const char *const *terminals)
{
  for (; *terminals; ++terminals) {
    char *picture = picture_of(results, spec, *terminals);
    unlink(picture);
    free(picture);
  }
}

static outcome draw(const sb_results *results, const sb_figure_spec *spec, const char *terminal)
{
  char       *folder = sb_format("%s/figures", results->directory), *script = sb_format("%s.gp", spec->id);
  char       *output = picture_of(results, spec, terminal), *why = sb_gnuplot_run(folder, script, terminal);
  struct stat made = {0};
  outcome     end = DRAWN;
  if (why)
    end = cannot_draw(results, spec, why);
  else if (strcmp(terminal, "dumb") != 0 && (stat(output, &made) != 0 || made.st_size == 0))
    end = leave_out(results, spec,
                    "gnuplot drew nothing; a script begins its picture by `eval page(WIDTH, HEIGHT)`, in cm", "E116");
  else if ((strcmp(terminal, "tex") == 0 || strcmp(terminal, "svg") == 0) &&
           !rewrite(output, terminal, spec->title ? spec->title : spec->id))
    end = FAILED;
  free(why);
  free(folder);
  free(script);
  free(output);
  return end;
}

const char *const sb_figure_forms[] = {"svg", "pdf", "png", "tex", "dumb", NULL};

static bool is_form(const char *name)
{
  for (size_t i = 0; sb_figure_forms[i]; ++i)
    if (strcmp(name, sb_figure_forms[i]) == 0) return true;
  return false;
}

/* Names reach file names: the reader of sweeps checks them, and here nothing else passes either. */
static bool is_safe(const sb_results *results, const sb_figure_spec *spec, const char *const *terminals)
{
  bool safe = sb_text_is_safe_name(spec->id) && (spec->kind ? sb_figure_kind_find(spec->kind) != NULL
                                                            : spec->script && sb_text_is_safe_name(spec->script));
  for (size_t i = 0; i < spec->published_count; ++i) safe = safe && sb_text_is_safe_name(spec->published[i]);
  for (; *terminals; ++terminals) safe = safe && is_form(*terminals);
  return safe || sb_error_at(results->session.diagnostics, place_of(spec), "E109",
                             "figure '%s': the name of a file, a kind or a form is not allowed", spec->id);
}

static outcome write_figure(const sb_results *results, const sb_figure_spec *spec, const char *const *terminals)
{
  if (!is_safe(results, spec, terminals)) return FAILED;
  sb_arena       *arena = sb_arena_create();
  sb_figure_texts texts;
  outcome         end = FAILED;
  remove_pictures(results, spec, terminals);
  store_reason(results, spec, "");
  if (sb_figure_make_texts(results, spec, arena, &texts) && write_texts(results, &texts)) {
    end = DRAWN;
    if (texts.why && *terminals) end = leave_out(results, spec, texts.why, NULL);
    for (const char *const *t = terminals; *t && end == DRAWN; ++t) end = draw(results, spec, *t);
    if (end != DRAWN) remove_pictures(results, spec, terminals);
  }
  sb_arena_destroy(&arena);
  return end;
}

bool sb_figure_write(const sb_results *results, const sb_figure_spec *spec, const char *const *terminals)
{
  return write_figure(results, spec, terminals) == DRAWN;
}

bool sb_figures_write_all(const sb_results *results)
{
  static const char *const terminals[] = {"svg", "pdf", "png", NULL};
  bool                     all = true;
  for (size_t i = 0; i < results->sweep->figure_count; ++i)
    all = write_figure(results, &results->sweep->figures[i], terminals) != FAILED && all;
  return all;
}

bool sb_figures_check(const sb_sweep *sweep, sb_diagnostics *diagnostics)
{
  const size_t before = sb_diagnostics_errors(diagnostics);
  for (size_t i = 0; i < sweep->figure_count; ++i) {
    const sb_figure_spec *spec = &sweep->figures[i];
    if (spec->kind && !sb_figure_kind_find(spec->kind)) {
      const char *near = sb_figure_kind_nearest(spec->kind);
      sb_error_at(diagnostics, spec->kind_where, "E106",
                  near ? "unknown kind of figure '%s'; did you mean '%s'?"
                       : "unknown kind of figure '%s'; there are curves, scatter, bars and map",
                  spec->kind, near);
    }
  }
  return sb_diagnostics_errors(diagnostics) == before;
}
