/* Tables of a sweep: from a specification and the results to a grid, and to files. Local; no PETSc. */
#pragma once

#include "harness/report/table.h"
#include "harness/results/results.h"

/* One table of the sweep, in the arena. NULL and a diagnostic when its clause cannot be evaluated or two cases share a
 * cell. */
sb_table *sb_sweep_table(const sb_results *results, const sb_table_spec *spec, sb_arena *arena,
                         sb_diagnostics *diagnostics);
/* All tables in all forms into <directory>/tables/. False and diagnostics where one cannot be made. */
bool sb_sweep_tables_write(const sb_results *results, sb_diagnostics *diagnostics);
