/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The whole accelerated step if it does not raise g, else the whole step without acceleration (Peng, Deng, Zhang, Geng,
 * Qin, Liu 2018, algorithm 1, which evaluates g one iteration later, at the same cost). If no metric bounds the
 * Hessians of the case's law, that step is halved until g falls. */
#include <math.h>

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

static PetscErrorCode take(void *state, sb_descent *descent)
{
  const sb_law *law = descent->system->law;
  bool          descends;

  PetscFunctionBeginUser;
  PetscCall(sb_line_search_try(state, descent, &descends));
  descent->length = 1;
  if (descends) PetscFunctionReturn(0);
  PetscCall(VecCopy(descent->plain, descent->direction));
  if (law && !isfinite(law->bounds.most)) {
    PetscCall(sb_line_search_take(state, descent, 1));
    PetscFunctionReturn(0);
  }
  PetscCall(sb_system_add_unknowns(descent->system, -1, descent->direction, descent->z));
  sb_line_search_begin(state);
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *state) { return sb_line_search_destroy(state); }

const sb_step_rule sb_step_rule_guard = {
    .name = "guard",
    .summary = "the whole accelerated step if it does not raise g, else the whole step of the metric",
    .compares = true,
    .state_bytes = sizeof(sb_line_search),
    .prepare = prepare,
    .begin = begin,
    .take = take,
    .destroy = destroy};
