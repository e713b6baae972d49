/* The data files of figures: rows, curves, published numbers; see figure_data.h. */
#include "harness/report/figure_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/figure_data_cells.h"
#include "harness/report/report_text.h"
#include "harness/store/case_file.h"

bool sb_figure_data_rows(const sb_results *results, const sb_figure_spec *spec, const sb_name_list *wanted,
                         FILE *stream, char error[256])
{
  bool *selected = sb_report_select(results, spec->where, error);
  if (!selected) return false;
  sb_name_list list = {0};
  for (size_t i = 0; i < sb_rows_column_count(results->rows); ++i)
    sb_names_add(&list, sb_rows_column_at(results->rows, i)->name);
  sb_names_add_settings(&list, results->sweep);
  sb_names_add_options(&list, wanted);
  sb_names_put(stream, &list);
  fputc('\n', stream);
  for (size_t i = 0; i < sb_rows_count(results->rows); ++i) {
    if (!selected[i]) continue;
    sb_cells_put(stream, results, &list, i);
    fputc('\n', stream);
  }
  sb_names_clear(&list);
  return true;
}

/* Every file is read three times: which runs there are decides which have columns to name. */
typedef enum { FIND_MEANS, COLLECT_NAMES, WRITE } curve_pass;

typedef struct {
  const sb_results *results;
  FILE             *stream;
  sb_name_list      settings, curves;
  bool             *has_mean; /* [rows] */
  curve_pass        pass;
  bool              some;  /* a run has been written */
  bool              drawn; /* this case has had one */
  size_t            row;
} curve_work;

static const double *curve_named(const sb_curve_run *run, const char *name)
{
  for (size_t i = 0; i < run->columns; ++i)
    if (strcmp(run->names[i], name) == 0) return run->values[i];
  return NULL;
}

/* `run` NULL: the case has none. */
static void put_point(const curve_work *w, const sb_curve_run *run, size_t point)
{
  sb_cells_put(w->stream, w->results, &w->settings, w->row);
  fputc('\t', w->stream);
  sb_cell_put_word(w->stream, run ? run->run : "");
  for (size_t i = 0; i < w->curves.count; ++i) {
    const double *values = run ? curve_named(run, w->curves.names[i]) : NULL;
    fputc('\t', w->stream);
    sb_cell_put_number(w->stream, values ? values[point] : (double)NAN);
  }
  fputs(!run || point + 1 == run->count ? "\t1\n" : "\t0\n", w->stream);
}

static void begin_block(curve_work *w)
{
  if (w->some) fputs("\n\n", w->stream);
  w->some = w->drawn = true;
}

static bool visit_run(void *context, const sb_curve_run *run)
{
  curve_work *w = context;
  const bool  mean = strcmp(run->run, "mean") == 0;
  if (w->pass == FIND_MEANS && mean) w->has_mean[w->row] = true;
  if (w->pass == FIND_MEANS || run->count == 0 || (w->has_mean[w->row] && !mean)) return true;
  for (size_t i = 0; i < run->columns; ++i) sb_names_add(&w->curves, run->names[i]);
  if (w->pass == COLLECT_NAMES) return true;
  begin_block(w);
  for (size_t i = 0; i < run->count; ++i) put_point(w, run, i);
  return true;
}

static bool visit_case(curve_work *w, char error[256])
{
  char *path = NULL;
  bool  done = sb_figure_case_path(w->results, w->row, &path, error);
  w->drawn = false;
  if (path) done = sb_case_file_curves(path, visit_run, w, error);
  free(path);
  if (done && w->pass == WRITE && !w->drawn) {
    begin_block(w);
    put_point(w, NULL, 0);
  }
  return done;
}

static bool visit_cases(curve_work *w, const bool *selected, curve_pass pass, char error[256])
{
  w->pass = pass;
  for (w->row = 0; w->row < sb_rows_count(w->results->rows); ++w->row)
    if (selected[w->row] && !visit_case(w, error)) return false;
  return true;
}

bool sb_figure_data_curves(const sb_results *results, const sb_figure_spec *spec, const sb_name_list *wanted,
                           FILE *stream, char error[256])
{
  bool *selected = sb_report_select(results, spec->where, error);
  if (!selected) return false;
  curve_work w = {.results = results, .stream = stream};
  w.has_mean = sb_allocate(sb_rows_count(results->rows) + 1, sizeof *w.has_mean);
  sb_names_add(&w.settings, "key");
  sb_names_add(&w.settings, "status");
  sb_names_add_settings(&w.settings, results->sweep);
  sb_names_add_options(&w.settings, wanted);
  bool done = visit_cases(&w, selected, FIND_MEANS, error) && visit_cases(&w, selected, COLLECT_NAMES, error);
  if (done) {
    sb_names_put(stream, &w.settings);
    fputs("\trun", stream);
    for (size_t i = 0; i < w.curves.count; ++i) fprintf(stream, "\t%s", w.curves.names[i]);
    fputs("\tlast\n", stream);
    done = visit_cases(&w, selected, WRITE, error);
  }
  sb_names_clear(&w.settings);
  sb_names_clear(&w.curves);
  free(w.has_mean);
  return done;
}

/* One record of RFC 4180 (quoted cells stay on their line in these files) as tab-separated cells. */
static void put_record(FILE *stream, const char *line)
{
  bool quoted = false, empty = true;
  for (const char *c = line; *c && *c != '\n' && *c != '\r'; ++c) {
    if (*c == '"' && quoted && c[1] == '"')
      ++c;
    else if (*c == '"') {
      quoted = !quoted;
      continue;
    }
    const bool separator = *c == ',' && !quoted;
    if (separator && empty) fputc('?', stream);
    empty = separator;
    fputc(separator ? '\t' : *c == '"' ? '\'' : (unsigned char)*c < 0x20 ? ' ' : *c, stream);
  }
  fputs(empty ? "?\n" : "\n", stream);
}

bool sb_figure_data_published(FILE *csv, FILE *stream)
{
  char  *line = NULL;
  size_t room = 0;
  while (getline(&line, &room, csv) > 0)
    if (line[0] != '#') put_record(stream, line);
  free(line);
  return !ferror(csv);
}
