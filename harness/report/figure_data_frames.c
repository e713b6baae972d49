/* Observables over time as data of a figure: every recorded frame of the selected cases; see figure_data.h.
 *
 * Files are read twice: which observables there are decides the columns. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/figure_data.h"
#include "harness/report/report_text.h"
#include "harness/store/case_file.h"

typedef struct {
  const sb_results *results;
  FILE             *stream;
  sb_name_list      settings, observables;
  bool              some; /* a case has been written */
} frame_work;

static const double *column_named(const sb_columns *columns, const char *name)
{
  for (size_t i = 0; i < columns->columns; ++i)
    if (strcmp(columns->names[i], name) == 0) return columns->values[i];
  return NULL;
}

/* A case without frames has one line, too. */
static void put_frame(const frame_work *w, size_t row, const sb_columns *columns, size_t frame)
{
  sb_cells_put(w->stream, w->results, &w->settings, row);
  for (size_t i = 0; i < w->observables.count; ++i) {
    const double *values = column_named(columns, w->observables.names[i]);
    fputc('\t', w->stream);
    sb_cell_put_number(w->stream, values && frame < columns->count ? values[frame] : (double)NAN);
  }
  fputs(frame + 1 >= columns->count ? "\t1\n" : "\t0\n", w->stream);
}

static void put_case(frame_work *w, size_t row, const sb_columns *columns)
{
  if (w->some) fputs("\n\n", w->stream);
  w->some = true;
  put_frame(w, row, columns, 0);
  for (size_t frame = 1; frame < columns->count; ++frame) put_frame(w, row, columns, frame);
}

/* Leaves `columns` empty where the case has no file. */
static bool read_frames(const sb_results *results, size_t row, sb_columns *columns, char error[256])
{
  char *path = NULL;
  if (!sb_figure_case_path(results, row, &path, error)) return false;
  if (!path) return true;
  const hid_t file = sb_case_file_open(path, error);
  const bool  read = file >= 0 && sb_case_file_observables(file, columns);
  free(path);
  return sb_case_file_close(file, read, error);
}

static bool visit_cases(frame_work *w, const bool *selected, bool writing, char error[256])
{
  for (size_t row = 0; row < sb_rows_count(w->results->rows); ++row) {
    if (!selected[row]) continue;
    sb_columns columns = {.arena = sb_arena_create()};
    const bool read = read_frames(w->results, row, &columns, error);
    for (size_t i = 0; read && !writing && i < columns.columns; ++i) sb_names_add(&w->observables, columns.names[i]);
    if (read && writing) put_case(w, row, &columns);
    sb_arena_destroy(&columns.arena);
    if (!read) return false;
  }
  return true;
}

bool sb_figure_data_frames(const sb_results *results, const sb_figure_spec *spec, const sb_name_list *wanted,
                           FILE *stream, char error[256])
{
  bool *selected = sb_report_select(results, spec->where, error);
  if (!selected) return false;
  frame_work w = {.results = results, .stream = stream};
  sb_names_add(&w.settings, "key");
  sb_names_add(&w.settings, "status");
  sb_names_add_settings(&w.settings, results->sweep);
  sb_names_add_options(&w.settings, wanted);
  bool done = visit_cases(&w, selected, false, error);
  if (done) {
    sb_names_put(stream, &w.settings);
    for (size_t i = 0; i < w.observables.count; ++i) fprintf(stream, "\t%s", w.observables.names[i]);
    fputs("\tlast\n", stream);
    done = visit_cases(&w, selected, true, error);
  }
  sb_names_clear(&w.settings);
  sb_names_clear(&w.observables);
  return done;
}
