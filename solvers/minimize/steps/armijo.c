/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Backtracking from the whole step; line_search.h. */
#include "solvers/minimize/line_search.h"

static PetscErrorCode prepare(void *state, const sb_descent *descent, const sb_options *options)
{
  (void)options;
  return sb_line_search_prepare(state, descent);
}

static PetscErrorCode begin(void *state, const sb_descent *descent)
{
  (void)descent;
  sb_line_search_begin(state);
  return 0;
}

static PetscErrorCode take(void *state, sb_descent *descent) { return sb_line_search_take(state, descent, 1); }

static PetscErrorCode destroy(void *state) { return sb_line_search_destroy(state); }

const sb_step_rule sb_step_rule_armijo = {
    .name = "armijo",
    .summary = "the whole step, halved until g falls by 1e-4 of the prediction of its slope",
    .descends = true,
    .state_bytes = sizeof(sb_line_search),
    .prepare = prepare,
    .begin = begin,
    .take = take,
    .destroy = destroy};
