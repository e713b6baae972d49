/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The minimum along the direction of the quadratic model of g at z:
 *
 *     a = G^T p / p^T K p
 *
 * with K = H, without the negative part of springs under compression (option curvature=hessian; Shen, Cai, Li et al.
 * 2024). Or K = M/h^2 + L >= H (curvature=laplacian), whose steps are too short: conjugate gradients then lose their
 * advantage (Wang 2015, algorithm 2). If g does not fall enough, the step is halved as by armijo. */
#include <math.h>

#include "solvers/minimize/line_search.h"

typedef struct {
  sb_line_search search; /* first: the state that armijo's functions expect */
  Vec            full;   /* p on all vertices, 0 on pinned ones */
  sb_curvature   kind;
} along;

static PetscErrorCode prepare(void *state, const sb_descent *descent, const sb_options *options)
{
  along *a = state;

  PetscFunctionBeginUser;
  PetscCall(sb_line_search_prepare(&a->search, descent));
  PetscCall(sb_system_create_full(descent->system, &a->full));
  a->kind = SB_IS(options, curvature, "laplacian") ? SB_CURVATURE_MAJORANT : SB_CURVATURE_PROJECTED;
  PetscFunctionReturn(0);
}

static PetscErrorCode begin(void *state, const sb_descent *descent)
{
  (void)descent;
  sb_line_search_begin(&((along *)state)->search);
  return 0;
}

static PetscErrorCode take(void *state, sb_descent *descent)
{
  along *a = state;
  double slope, curvature;

  PetscFunctionBeginUser;
  PetscCall(sb_system_set_unknowns(descent->system, descent->direction, a->full));
  PetscCall(VecDot(descent->gradient, descent->direction, &slope));
  PetscCall(sb_potential_curvature(descent->potential, a->kind, descent->z, a->full, &curvature));
  const double length = slope / curvature; /* 0/0 at the minimum, to the last bit: the search then ends */
  PetscCall(sb_line_search_take(&a->search, descent, isfinite(length) ? length : 1));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *state)
{
  along *a = state;

  PetscFunctionBeginUser;
  PetscCall(VecDestroy(&a->full));
  PetscCall(sb_line_search_destroy(&a->search));
  PetscFunctionReturn(0);
}

const sb_step_rule sb_step_rule_along = {
    .name = "along",
    .summary = "to the minimum along the direction of the local quadratic model, halved until g falls",
    .uses = "curvature",
    .descends = true,
    .state_bytes = sizeof(along),
    .prepare = prepare,
    .begin = begin,
    .take = take,
    .destroy = destroy};
