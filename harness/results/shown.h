/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cases of a results directory that tables, figures and films show. `run SWEEP -p KEY=V` without -o stores its
 * cases beside the sweep's own. If KEY is an axis, they are further rows and curves of the same tables and figures.
 * Otherwise nothing there distinguishes them from the sweep's own, and they are left out as long as the directory has
 * some of these. Axes are those of the sweep file, the options that its methods set, and the options to which -p gave
 * several values at once. Local; no PETSc. */
#pragma once

#include "harness/results/results.h"

/* The results of the cases that are shown; `results` itself if those are all. Lives as long as `results`. */
const sb_results *sb_results_shown(const sb_results *results);
/* "2 of 4 cases are not the sweep's own and in no table, figure or film"; NULL if all cases are shown. */
const char *sb_results_hidden(const sb_results *results);
