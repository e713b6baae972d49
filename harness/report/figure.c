/* Figures: <directory>/figures/<id>.gp and its data, and gnuplot run on it.
 *
 * The script stands alone: what the sweep says (single-quoted, so that gnuplot expands nothing in it), plots/style.gp,
 * then what the figure's kind draws, or the user's own script. gnuplot is executed without a shell and without start-up
 * files (-d), in figures/, as a reader would by hand. The texts come first: as long as they are the same, so are the
 * pictures. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/common/durable.h"
#include "harness/common/gnuplot.h"
#include "harness/common/html.h"
#include "harness/report/figure.h"
#include "harness/report/report_text.h"

void sb_figure_add_text(sb_figure_texts *texts, sb_arena *arena, const char *name, const char *text)
{
  texts->files = sb_arena_grow(arena, texts->files, texts->count, sizeof *texts->files);
  texts->files[texts->count++] = (sb_figure_text){name, text};
}

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
  sb_figure_add_text(texts, arena, sb_arena_format(arena, "%s.dat", spec->id), sb_arena_text(&writer));
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
  const bool good = spec->kind ? put_kind(results, spec, arena, texts, script)
                               : sb_figure_put_script(results, spec, arena, texts, script);
  sb_figure_add_text(texts, arena, sb_arena_format(arena, "%s.gp", spec->id), sb_arena_text(&writer));
  return good;
}

static bool write_texts(const sb_results *results, const sb_figure_texts *texts)
{
  bool good = true;
  for (size_t i = 0; i < texts->count && good; ++i) {
    char *path = sb_report_path(results->directory, "figures", texts->files[i].name, "");
    FILE *stream = path ? sb_report_open(path) : NULL;
    if (path && !stream)
      sb_error_at(results->session.diagnostics, (sb_location){path, 0, 0}, "E100", "cannot write: %s", strerror(errno));
    if (stream) fputs(texts->files[i].text, stream);
    good = stream && sb_report_close(stream, path);
    free(path);
  }
  return good;
}

typedef enum { DRAWN, NOTHING_TO_DRAW, FAILED } outcome;

/* Why there is no picture, for pages that show the figure: <directory>/figures/<id>.why. "" when there is one. */
static void store_reason(const sb_results *results, const sb_figure_spec *spec, const char *why)
{
  char *path = sb_report_path(results->directory, "figures", spec->id, ".why");
  FILE *stream = path && *why ? sb_report_open(path) : NULL;
  if (path) unlink(path);
  if (stream) {
    fprintf(stream, "%s\n", why);
    (void)sb_report_close(stream, path);
  }
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
      sb_html_put(stream, title);
      fputs("</title>", stream);
    }
    if (at && at == at_font) fputs("font-family=\"Nimbus Sans, Helvetica, Arial, sans-serif\"", stream);
  }
}

/* Rewrites a file of gnuplot's: its title, or its texts for LaTeX. */
static bool rewrite(const char *path, const char *terminal, const char *title)
{
  char *text = sb_read_file(path, NULL);
  FILE *stream = text ? sb_report_open(path) : NULL;
  if (stream && strcmp(terminal, "tex") == 0)
    sb_figure_put_latex(stream, text);
  else if (stream)
    put_svg(stream, text, title);
  free(text);
  return stream && sb_report_close(stream, path);
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
