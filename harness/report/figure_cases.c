/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cases of a figure, with the points of their curves or frames, read from their files. */
#include <string.h>

#include "cases/store/case_file.h"
#include "harness/report/figure_cases.h"

typedef struct {
  sb_arena       *arena;
  size_t          row, count, first; /* first: of the row's own cases */
  sb_figure_case *cases;
} reading;

static void add_case(reading *r, const char *run, const sb_stored_columns *of)
{
  *SB_NEW_ITEM(r->arena, r->cases, r->count) =
      (sb_figure_case){r->row, run, of->count, of->columns, of->names, of->units, of->values};
}

/* If there is a run "mean", the others are not used. */
static bool visit_run(void *context, const char *run, const sb_stored_columns *from)
{
  reading *r = context;
  if (from->count == 0 || (r->count > r->first && strcmp(r->cases[r->first].run, "mean") == 0)) return true;
  if (strcmp(run, "mean") == 0) r->count = r->first;
  add_case(r, sb_arena_copy(r->arena, run), from);
  return true;
}

static bool read_frames(reading *r, const char *path, char *error)
{
  sb_stored_columns read = {.arena = r->arena};
  const hid_t       file = sb_case_file_open(path, error);
  const bool        good = file >= 0 && sb_case_file_observables(file, &read);
  if (good && read.count > 0) add_case(r, NULL, &read);
  return sb_case_file_close(file, good, error);
}

sb_figure_case *sb_figure_cases(const sb_results *results, const sb_figure_spec *spec, sb_arena *arena, size_t *count)
{
  const sb_scope scope = sb_results_scope(results, arena);
  const bool    *selected = sb_expression_select(spec->where, &scope, results->session.diagnostics);
  const bool     rows = strcmp(spec->data, "rows") == 0, curves = strcmp(spec->data, "curves") == 0;
  reading        r = {.arena = arena, .cases = sb_arena_take(arena, 0, sizeof *r.cases)};
  if (!selected) return NULL;
  /* Series, bars and panels have the order of the plan; cases that the sweep excludes come last. */
  const size_t all = sb_rows_count(results->rows);
  for (size_t i = 0; i < 2 * all; ++i) {
    r.row = i % all;
    const bool excluded = results->plan && results->plan->cases[r.row].skipped;
    if (!selected[r.row] || excluded != (i >= all)) continue;
    char        error[SB_ERROR_SIZE] = "";
    const char *path = NULL;
    r.first = r.count;
    /* A case has no file when it has not run, or failed. */
    if (!rows && results->checksums && results->checksums[r.row] &&
        !(sb_results_case_file(results, r.row, arena, &path, error) &&
          (curves ? sb_case_file_curves(path, arena, visit_run, &r, error) : read_frames(&r, path, error)))) {
      sb_error_at(results->session.diagnostics, (sb_location){path, 0, 0}, "E110", "%s", error);
      return NULL;
    }
    if (r.count == r.first) add_case(&r, NULL, &(sb_stored_columns){0});
  }
  *count = r.count;
  return r.cases;
}
