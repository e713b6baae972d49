/* What a figure's script says it needs, and what of it there is not. Inside the harness only. Local; no PETSc.
 *
 * A script states it in its comments, a full stop at the end of each; words in brackets are remarks:
 *   # Data: rows; columns method, grid, step_median_s (of a frame). Published: cloth_frame_cost. */
#pragma once

#include "harness/report/figure_data_cells.h"
#include "harness/report/report.h"

typedef struct {
  sb_name_list columns, published; /* published: without .csv */
  bool         shows_values;       /* its points have values that an svg shows: without any, none was drawn */
} sb_figure_needs;

/* Of the script at `path`; all empty where it states nothing. */
void sb_figure_needs_read(const char *path, sb_figure_needs *needs);
void sb_figure_needs_clear(sb_figure_needs *needs);

/* Why the script cannot draw the sweep, malloc'ed; NULL: nothing is known against it. `data` is the path of its data
 * file. *fault: the sweep file lacks something, whatever its cases. */
char *sb_figure_lacks(const sb_results *results, const sb_figure_spec *spec, const sb_figure_needs *needs,
                      const char *data, bool *fault);
/* Before anything is computed: E106 for a figure whose script draws published tables that its entry does not name. */
bool sb_figure_needs_check(const sb_sweep *sweep, sb_diagnostics *diagnostics);
