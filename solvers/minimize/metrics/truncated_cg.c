/* SPDX-License-Identifier: GPL-3.0-or-later */
/* P^-1 G by truncated conjugate gradients on H s = G (Dembo, Steihaug 1983; Nocedal, Wright 2006, algorithm 7.1),
 * without a matrix: products H p go over the springs. They end when the residual is below eta |G| in the norm of the
 * preconditioner, sqrt(r^T Q^-1 r). The forcing term is eta = min(1/2, sqrt(|G|/|G_0|)), with which the outer iteration
 * converges superlinearly. They also end before a direction of negative curvature: the step so far descends, and is the
 * preconditioned gradient if there is none. */
#include <math.h>

#include "solvers/minimize/descent.h"

typedef struct {
  const sb_metric *inner; /* Q */
  void            *state;
  double           negative;
  PetscInt         most;  /* iterations */
  double           first; /* |G_0| of this minimisation; 0: not yet known */
  Vec              residual, scaled, product;
  Vec              direction; /* unknowns */
  Vec              full;      /* direction on all vertices, 0 on pinned ones */
  sb_system       *system;
} truncated_cg;

static PetscErrorCode prepare(void *state, const sb_minimizer_setup *setup, sb_outcome *outcome)
{
  truncated_cg *t = state;

  PetscFunctionBeginUser;
  t->system = setup->system;
  t->inner = sb_metric_find(SB_TEXT(setup->options, preconditioner));
  t->negative = SB_IS(setup->options, cg_hessian, "exact") ? SB_HESSIAN_EXACT : SB_HESSIAN_PROJECTED;
  t->most = (PetscInt)SB_INTEGER(setup->options, cg_max_iterations);
  PetscCall(PetscCalloc(t->inner->state_bytes, &t->state));
  PetscCall(t->inner->prepare(t->state, setup, outcome));
  PetscCall(sb_system_create_unknowns(t->system, &t->residual));
  PetscCall(sb_system_create_unknowns(t->system, &t->scaled));
  PetscCall(sb_system_create_unknowns(t->system, &t->product));
  PetscCall(sb_system_create_unknowns(t->system, &t->direction));
  PetscCall(sb_system_create_full(t->system, &t->full));
  PetscFunctionReturn(0);
}

static PetscErrorCode begin(void *state, const sb_potential *potential, Vec z)
{
  truncated_cg *t = state;

  PetscFunctionBeginUser;
  t->first = 0;
  if (t->inner->begin) PetscCall(t->inner->begin(t->state, potential, z));
  PetscFunctionReturn(0);
}

static PetscErrorCode refresh(void *state, const sb_potential *potential, Vec z)
{
  truncated_cg *t = state;

  PetscFunctionBeginUser;
  if (t->inner->refresh) PetscCall(t->inner->refresh(t->state, potential, z));
  PetscFunctionReturn(0);
}

/* One iteration from (out, residual, direction); *square = r^T Q^-1 r, before and after. */
static PetscErrorCode iterate(truncated_cg *t, const sb_potential *potential, Vec z, Vec out, sb_iteration *iteration,
                              double *square, bool *ends)
{
  PetscScalar curvature, next;

  PetscFunctionBeginUser;
  PetscCall(sb_system_set_unknowns(t->system, t->direction, t->full));
  PetscCall(sb_potential_hessian_product(potential, t->negative, z, t->full, t->product));
  PetscCall(VecDot(t->direction, t->product, &curvature));
  *ends = !(curvature > 0);
  if (*ends) PetscFunctionReturn(0);
  PetscCall(VecAXPY(out, *square / curvature, t->direction));
  PetscCall(VecAXPY(t->residual, -*square / curvature, t->product));
  PetscCall(t->inner->apply(t->state, potential, z, t->residual, t->scaled, iteration));
  PetscCall(VecDot(t->residual, t->scaled, &next));
  PetscCall(VecAYPX(t->direction, next / *square, t->scaled));
  *square = next;
  PetscFunctionReturn(0);
}

static PetscErrorCode apply(void *state, const sb_potential *potential, Vec z, Vec in, Vec out, sb_iteration *iteration)
{
  truncated_cg *t = state;
  double        square, norm, most;
  PetscInt      count = 0;
  bool          ends = false;

  PetscFunctionBeginUser;
  PetscCall(VecZeroEntries(out));
  PetscCall(VecCopy(in, t->residual));
  PetscCall(t->inner->apply(t->state, potential, z, t->residual, t->scaled, iteration));
  PetscCall(VecCopy(t->scaled, t->direction));
  PetscCall(VecDot(t->residual, t->scaled, &square));
  PetscCall(VecNorm(in, NORM_2, &norm));
  if (t->first == 0) t->first = norm;
  const double forcing = fmin(0.5, sqrt(norm / t->first));
  most = forcing * forcing * square;
  while (!ends && square > most && count < t->most && sb_outcome_accepted(iteration->linear.outcome)) {
    PetscCall(iterate(t, potential, z, out, iteration, &square, &ends));
    count += !ends;
  }
  if (count == 0) PetscCall(VecCopy(t->direction, out));
  iteration->linear.iterations = count;
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *state)
{
  truncated_cg *t = state;

  PetscFunctionBeginUser;
  if (t->state) PetscCall(t->inner->destroy(t->state));
  PetscCall(PetscFree(t->state));
  PetscCall(VecDestroy(&t->residual));
  PetscCall(VecDestroy(&t->scaled));
  PetscCall(VecDestroy(&t->product));
  PetscCall(VecDestroy(&t->direction));
  PetscCall(VecDestroy(&t->full));
  PetscFunctionReturn(0);
}

const sb_metric sb_metric_truncated_cg = {.name = "truncated_cg",
                                          .summary = "the Hessian without a matrix, by truncated conjugate gradients",
                                          .uses = "preconditioner cg_hessian cg_max_iterations contact_implicit",
                                          .traits = SB_IMPLICIT_CONTACT,
                                          .state_bytes = sizeof(truncated_cg),
                                          .prepare = prepare,
                                          .begin = begin,
                                          .refresh = refresh,
                                          .apply = apply,
                                          .destroy = destroy};
