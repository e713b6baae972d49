/* Figures: <directory>/figures/<id>.gp and its data, and gnuplot run on it.
 *
 * The script stands alone: what the sweep says (single-quoted, so that gnuplot expands nothing in it), plots/style.gp,
 * then the figure's own script. gnuplot is executed without a shell and without start-up files (-d), in
 * figures/, as a reader would by hand. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/common/data_directory.h"
#include "harness/common/gnuplot.h"
#include "harness/report/figure_data.h"
#include "harness/report/figure_needs.h"
#include "harness/report/report_text.h"
#include "harness/sweep/sweep_files.h"

static bool complain(const char *what, const char *why)
{
  fprintf(stderr, "springbench: %s: %s\n", what, why);
  return false;
}

static bool check_names(const sb_figure_spec *spec)
{
  static const char rule[] = "a name has at most 64 of A-Z a-z 0-9 . _ + - and begins with neither . nor -";
  if (!sb_text_is_safe_name(spec->id)) return complain("figure id", rule);
  if (!spec->script || !sb_text_is_safe_name(spec->script)) return complain("script of a figure", rule);
  for (size_t i = 0; i < spec->published_count; ++i)
    if (!sb_text_is_safe_name(spec->published[i])) return complain("published file of a figure", rule);
  return true;
}

static void put_variable(FILE *stream, const char *name, const char *text)
{
  fprintf(stream, "%s = ", name);
  sb_gnuplot_put_text(stream, text ? text : "");
  fputc('\n', stream);
}

/* Takes the path; NULL: there is no such file. */
static bool put_file(FILE *stream, char *path, const char *name)
{
  FILE *file = path ? fopen(path, "r") : NULL;
  char  block[4096];
  if (!file) complain(path ? path : name, path ? strerror(errno) : "neither beside the sweep file nor in plots/");
  fprintf(stream, "\n# %s\n", name);
  for (size_t got = 0; file && (got = fread(block, 1, sizeof block, file)) > 0;) fwrite(block, 1, got, stream);
  if (file) fclose(file);
  free(path);
  return file != NULL;
}

/* "liu2013_curves.csv" -> "liu2013_curves" */
static char *stem_of(const char *name)
{
  const size_t length = strlen(name), cut = length > 4 && strcmp(name + length - 4, ".csv") == 0 ? 4 : 0;
  return sb_format("%.*s", (int)(length - cut), name);
}

static void put_published_variable(FILE *stream, const char *name)
{
  char *stem = stem_of(name), *file = sb_format("published_%s.dat", stem), *variable = sb_format("published_%s", stem);
  for (char *c = variable; *c; ++c)
    if (strchr(".+-", *c)) *c = '_';
  put_variable(stream, variable, file);
  free(stem);
  free(file);
  free(variable);
}

static void put_head(FILE *stream, const sb_results *results, const sb_figure_spec *spec)
{
  char *data = sb_format("%s.dat", spec->id);
  fprintf(stream, "# Draws %s.svg from %s in this folder: gnuplot %s.gp\n", spec->id, data, spec->id);
  fprintf(stream, "# Other forms (pdf, png, tex, dumb): gnuplot -e \"term='pdf'\" %s.gp\n", spec->id);
  fputs("if (!exists('term')) term = 'svg'\n", stream);
  put_variable(stream, "id", spec->id);
  put_variable(stream, "sweep", results->sweep->name);
  put_variable(stream, "figure_title", spec->title);
  put_variable(stream, "question", results->sweep->question);
  put_variable(stream, "source", results->sweep->source);
  put_variable(stream, "data", data);
  for (size_t i = 0; i < spec->published_count; ++i) put_published_variable(stream, spec->published[i]);
  sb_figure_put_words(results->sweep, stream);
  free(data);
}

/* Opens <directory>/figures/<stem><suffix>; *path is the caller's to free, on failure too. */
static FILE *open_figure_file(const sb_results *results, const char *stem, const char *suffix, char **path)
{
  *path = sb_report_path(results->directory, "figures", stem, suffix);
  FILE *stream = *path ? sb_report_open(*path) : NULL;
  if (*path && !stream) complain(*path, strerror(errno));
  return stream;
}

static bool write_script(const sb_results *results, const sb_figure_spec *spec)
{
  char *path = NULL, *plots = sb_data_directory("plots");
  FILE *stream = open_figure_file(results, spec->id, ".gp", &path);
  bool  done = stream != NULL;
  if (stream) {
    put_head(stream, results, spec);
    done = put_file(stream, sb_format("%s/style.gp", plots), "style.gp") &&
           put_file(stream, sb_sweep_script(results->sweep, spec->script), spec->script);
    if (!sb_report_close(stream, path)) done = false;
  }
  free(path);
  free(plots);
  return done;
}

static bool put_data(const sb_results *results, const sb_figure_spec *spec, const sb_name_list *wanted, FILE *stream,
                     char error[SB_ERROR_SIZE])
{
  const char *data = spec->data ? spec->data : "rows";
  if (strcmp(data, "curves") == 0) return sb_figure_data_curves(results, spec, wanted, stream, error);
  if (strcmp(data, "frames") == 0) return sb_figure_data_frames(results, spec, wanted, stream, error);
  return sb_figure_data_rows(results, spec, wanted, stream, error);
}

static bool write_data(const sb_results *results, const sb_figure_spec *spec, const sb_name_list *wanted)
{
  char  error[SB_ERROR_SIZE] = "", *path = NULL;
  FILE *stream = open_figure_file(results, spec->id, ".dat", &path);
  bool  done = stream != NULL;
  if (stream) {
    done = put_data(results, spec, wanted, stream, error);
    if (!done) complain(path, error);
    if (!sb_report_close(stream, path)) done = false;
  }
  free(path);
  return done;
}

static bool write_published(const sb_results *results, const char *name)
{
  char *stem = stem_of(name), *from = sb_format("%s/%s.csv", results->published_dir, stem), *path = NULL;
  char *target = sb_format("published_%s", stem);
  FILE *csv = fopen(from, "r");
  FILE *stream = csv ? open_figure_file(results, target, ".dat", &path) : NULL;
  bool  done = stream != NULL;
  if (!csv) complain(from, strerror(errno));
  if (stream && !sb_figure_data_published(csv, stream)) done = complain(from, strerror(errno));
  if (stream && !sb_report_close(stream, path)) done = false;
  if (csv) fclose(csv);
  free(stem);
  free(from);
  free(path);
  free(target);
  return done;
}

/* Names reach file names: each is one of these. */
static bool is_terminal(const char *name)
{
  static const char *const names[] = {"svg", "pdf", "png", "tex", "dumb"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (strcmp(name, names[i]) == 0) return true;
  return complain(name, "not a form of figures; there are svg, pdf, png, tex, dumb");
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

static outcome leave_out(const sb_results *results, const sb_figure_spec *spec, const char *why, outcome end)
{
  fprintf(stderr, "springbench: %sfigure '%s' is left out: %s\n", end == FAILED ? "error: " : "note: ", spec->id, why);
  store_reason(results, spec, why);
  return end;
}

/* gnuplot can draw some figures only of the whole sweep: of a part that is no failure. */
static outcome cannot_draw(const sb_results *results, const sb_figure_spec *spec, const char *why)
{
  size_t all = 0;
  if (sb_results_are_whole(results, &all)) return leave_out(results, spec, why, FAILED);
  return leave_out(results, spec, "gnuplot cannot draw it of these cases, which are not all those of the sweep",
                   NOTHING_TO_DRAW);
}

static outcome drew_nothing(const sb_results *results, const sb_figure_spec *spec)
{
  char   error[SB_ERROR_SIZE] = "";
  size_t rows = 0;
  bool  *selected = sb_report_select(results, spec->where, error);
  for (size_t i = 0; selected && i < sb_rows_count(results->rows); ++i) rows += selected[i];
  const bool    absent = rows == 0 && results->quick;
  char         *why = absent ? sb_copy_text("a quick run has no case of this")
                             : sb_format("none of %zu row%s was drawn", rows, rows == 1 ? "" : "s");
  const outcome end = leave_out(results, spec, why, NOTHING_TO_DRAW);
  free(why);
  return end;
}

/* What gnuplot wrote becomes what it is to be. */
static bool finish(const sb_figure_spec *spec, const char *terminal, const char *output)
{
  struct stat made = {0};
  if (strcmp(terminal, "dumb") == 0) return true;
  if (stat(output, &made) != 0 || made.st_size == 0)
    return complain(output, "gnuplot drew nothing; a script begins its picture by `eval page(WIDTH, HEIGHT)`, in cm");
  if (strcmp(terminal, "tex") == 0) return sb_figure_latex(output);
  return strcmp(terminal, "svg") != 0 || sb_figure_svg(output, spec->title ? spec->title : spec->id);
}

/* malloc'ed */
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

static outcome draw(const sb_results *results, const sb_figure_spec *spec, const sb_figure_needs *needs,
                    const char *terminal)
{
  char *folder = sb_format("%s/figures", results->directory), *script = sb_format("%s.gp", spec->id);
  char *output = picture_of(results, spec, terminal);
  char *why = sb_gnuplot_run(folder, script, terminal);

  outcome end = DRAWN;
  if (why)
    end = cannot_draw(results, spec, why);
  else if (!finish(spec, terminal, output))
    end = FAILED;
  else if (strcmp(terminal, "svg") == 0 && needs->shows_values && !sb_figure_svg_has_values(output))
    end = drew_nothing(results, spec);
  free(why);
  free(folder);
  free(script);
  free(output);
  return end;
}

/* Nothing where the script lacks what it says it needs. */
static outcome draw_all(const sb_results *results, const sb_figure_spec *spec, const sb_figure_needs *needs,
                        const char *const *terminals)
{
  bool    fault = false;
  outcome end = DRAWN;
  char   *data = sb_format("%s/figures/%s.dat", results->directory, spec->id);
  char   *why = *terminals ? sb_figure_lacks(results, spec, needs, data, &fault) : NULL;
  if (why) end = leave_out(results, spec, why, fault ? FAILED : NOTHING_TO_DRAW);
  for (const char *const *t = terminals; *t && end == DRAWN; ++t) end = draw(results, spec, needs, *t);
  free(why);
  free(data);
  return end;
}

static outcome write_figure(const sb_results *results, const sb_figure_spec *spec, const char *const *terminals)
{
  if (!check_names(spec)) return FAILED;
  for (const char *const *t = terminals; *t; ++t)
    if (!is_terminal(*t)) return FAILED;
  bool done = write_script(results, spec);
  for (size_t i = 0; i < spec->published_count && done; ++i) done = write_published(results, spec->published[i]);
  char           *script = sb_format("%s/figures/%s.gp", results->directory, spec->id);
  sb_figure_needs needs;
  sb_figure_needs_read(script, &needs);
  done = done && write_data(results, spec, &needs.columns);
  remove_pictures(results, spec, terminals);
  store_reason(results, spec, "");
  const outcome end = done ? draw_all(results, spec, &needs, terminals) : FAILED;
  if (end != DRAWN) remove_pictures(results, spec, terminals);
  sb_figure_needs_clear(&needs);
  free(script);
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
