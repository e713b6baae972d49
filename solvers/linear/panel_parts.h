/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributes the panels of backend `panel` over threads. */
#pragma once

#include <stdbool.h>

#include "solvers/linear/panel_plan.h"

/* Fills parts, ranges and rows above of a plan that has its panels. There are as many parts as threads, or one if the
 * work is below `work_least` or threads would save too little. Work is the number of operations of a factorisation if
 * there is one per solve, else the number of entries of L. */
PetscErrorCode sb_panel_plan_parts(sb_panel_plan *plan, bool factorized_each_time, int threads, double work_least);
