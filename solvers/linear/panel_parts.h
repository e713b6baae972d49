/* Deals out the panels of backend `panel` to threads. */
#pragma once

#include <stdbool.h>

#include "solvers/linear/panel_plan.h"

/* Fills parts, ranges and rows above of a plan whose panels are cut: as many parts as threads, or one where there is
 * less than `work_least` to be done, or where threads would spare too little. Work is counted in operations of a
 * factorisation when there is one for each solve, else in entries of L. */
PetscErrorCode sb_panel_plan_parts(sb_panel_plan *plan, bool factorized_each_time, int threads, double work_least);
