/* The cases that a figure shows, with the points of their curves or frames, read from their files. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/report/figure.h"
#include "harness/report/report_text.h"
#include "harness/store/case_file.h"

typedef struct {
  const sb_results *results;
  sb_arena         *arena;
  size_t            row, count, first; /* first: of the row's own cases */
  sb_figure_case   *cases;
} reading;

static sb_figure_case *add_case(reading *r, const char *run)
{
  r->cases = sb_arena_grow(r->arena, r->cases, r->count, sizeof *r->cases);
  sb_figure_case *c = &r->cases[r->count++];
  *c = (sb_figure_case){.row = r->row, .run = run};
  return c;
}

static void copy_points(reading *r, sb_figure_case *c, const sb_curve_run *from)
{
  const char **names = sb_arena_take(r->arena, from->columns, sizeof *names);
  const char **units = sb_arena_take(r->arena, from->columns, sizeof *units);
  c->values = sb_arena_take(r->arena, from->columns, sizeof *c->values);
  for (size_t i = 0; i < from->columns; ++i) {
    names[i] = sb_arena_copy(r->arena, from->names[i]);
    units[i] = sb_arena_copy(r->arena, from->units[i]);
    c->values[i] = sb_arena_take(r->arena, from->count, sizeof **c->values);
    memcpy(c->values[i], from->values[i], from->count * sizeof **c->values);
  }
  c->names = names;
  c->units = units;
  c->columns = from->columns;
  c->count = from->count;
}

/* Where there is a run "mean" the others stay in the file. */
static bool visit_run(void *context, const sb_curve_run *run)
{
  reading   *r = context;
  const bool mean = strcmp(run->run, "mean") == 0;
  if (run->count == 0 || (r->count > r->first && strcmp(r->cases[r->first].run, "mean") == 0)) return true;
  if (mean) r->count = r->first;
  copy_points(r, add_case(r, sb_arena_copy(r->arena, run->run)), run);
  return true;
}

static bool read_frames(reading *r, const char *path, char *error)
{
  sb_columns  columns = {.arena = r->arena};
  const hid_t file = sb_case_file_open(path, error);
  const bool  read = file >= 0 && sb_case_file_observables(file, &columns);
  if (read && columns.count > 0) {
    const sb_curve_run run = {.count = columns.count,
                              .columns = columns.columns,
                              .names = (const char *const *)columns.names,
                              .units = (const char *const *)columns.units,
                              .values = (const double *const *)columns.values};
    copy_points(r, add_case(r, NULL), &run);
  }
  return sb_case_file_close(file, read, error);
}

/* A case has no file when it has not run, stores nothing, or failed before it could write. */
static bool read_file(reading *r, bool curves)
{
  char           error[SB_ERROR_SIZE] = "";
  const sb_value key = sb_rows_get_named(r->results->rows, r->row, "key");
  char          *path = key.kind == SB_WORD ? sb_results_case_path(r->results, key.word) : NULL;
  bool           good = true;
  r->first = r->count;
  if (path && access(path, F_OK) == 0)
    good = sb_results_case_is_whole(r->results, key.word, error) && /* HDF5 believes what it reads */
           (curves ? sb_case_file_curves(path, visit_run, r, error) : read_frames(r, path, error));
  if (!good) sb_error_at(r->results->session.diagnostics, (sb_location){path, 0, 0}, "E110", "%s", error);
  free(path);
  if (good && r->count == r->first) add_case(r, NULL);
  return good;
}

sb_figure_case *sb_figure_cases(const sb_results *results, const sb_figure_spec *spec, sb_arena *arena, size_t *count)
{
  const sb_scope scope = sb_results_scope(results, arena);
  const bool    *selected = sb_expression_select(spec->where, &scope, results->session.diagnostics);
  reading        r = {.results = results, .arena = arena};
  if (!selected) return NULL;
  r.cases = sb_arena_take(r.arena, 0, sizeof *r.cases);
  for (r.row = 0; r.row < sb_rows_count(results->rows); ++r.row) {
    if (!selected[r.row]) continue;
    if (strcmp(spec->data, "rows") == 0)
      add_case(&r, NULL);
    else if (!read_file(&r, strcmp(spec->data, "curves") == 0))
      return NULL;
  }
  *count = r.count;
  return r.cases;
}
