/* Which cases of a results directory tables, figures and films are made of. `run SWEEP -p KEY=V` without -o stores its
 * cases beside the sweep's own. If KEY is an axis, they are further rows and curves of the same tables and figures. If
 * it is not, nothing there tells them from the sweep's own. Such cases are left out as long as the directory has some
 * of the sweep's own. Axes are those of the sweep file, what its methods set, and the options to which -p gave several
 * values at once. Local; no PETSc. */
#pragma once

#include "harness/results/results.h"

/* The results of the cases that are shown; `results` itself if that is all of them. Lives as long as these. */
const sb_results *sb_results_shown(const sb_results *results);
/* "2 of 4 cases are not the sweep's own and in no table, figure or film"; NULL if all cases are shown. */
const char *sb_results_hidden(const sb_results *results);
