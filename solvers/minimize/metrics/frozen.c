/* SPDX-License-Identifier: GPL-3.0-or-later */
/* P = H+(z_0) = M/h^2 + sum of the H_s at the first iterate of a step, without their negative parts, factored once per
 * step. A later Hessian differs from it by the turns and stretches of the step, which an accelerator makes up for. With
 * contact in g, it is made again at an iterate where vertices have entered or left colliders. P need not bound a later
 * Hessian: whole steps may rise, and did so without end under Anderson's acceleration with step guard. */
#include "solvers/minimize/descent.h"

typedef struct {
  sb_system        *system;
  sb_linear_solver *linear;
  Mat               matrix;
  double *bound; /* [owned] N/m: contact's part of the matrix when it was made; NULL: contact is not part of g */
  bool    stale;
} frozen;

static PetscErrorCode prepare(void *state, const sb_minimizer_setup *setup, sb_outcome *outcome)
{
  frozen *f = state;

  PetscFunctionBeginUser;
  f->system = setup->system;
  f->linear = setup->linear;
  PetscCall(sb_hessian_matrix_create(setup, sb_system_is_symmetric(f->system), &f->matrix, outcome));
  if (!f->system->contact || !sb_contact_is_implicit(f->system->contact)) PetscFunctionReturn(0);
  PetscCall(PetscCalloc1(f->system->owned, &f->bound));
  PetscFunctionReturn(0);
}

static PetscErrorCode begin(void *state, const sb_potential *potential, Vec z)
{
  (void)potential;
  (void)z;
  ((frozen *)state)->stale = true;
  return 0;
}

static PetscErrorCode apply(void *state, const sb_potential *potential, Vec z, Vec in, Vec out, sb_iteration *iteration)
{
  frozen *f = state;
  bool    changed = false;

  PetscFunctionBeginUser;
  if (f->bound) PetscCall(sb_potential_renew_contact_bound(potential, z, f->bound, &changed));
  if (f->stale || changed) {
    PetscCall(sb_potential_hessian(potential, SB_HESSIAN_PROJECTED, z, f->matrix));
    PetscCall(sb_linear_solver_set_matrix(f->linear, f->matrix, SB_NEW_VALUES, sb_system_is_symmetric(f->system),
                                          &iteration->linear.outcome));
  }
  f->stale = false;
  PetscCall(sb_linear_solver_solve(f->linear, in, out, false, &iteration->linear));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *state)
{
  frozen *f = state;

  PetscFunctionBeginUser;
  PetscCall(MatDestroy(&f->matrix));
  PetscCall(PetscFree(f->bound));
  PetscFunctionReturn(0);
}

const sb_metric sb_metric_frozen = {.name = "frozen",
                                    .summary = "the projected Hessian of the step's first iterate, factored once",
                                    .uses = "linear contact_implicit",
                                    .traits = SB_STEP_MATRIX | SB_IMPLICIT_CONTACT,
                                    .columns = 1,
                                    .steps = "armijo along",
                                    .reason = "it does not bound later Hessians, so that whole steps may rise",
                                    .state_bytes = sizeof(frozen),
                                    .prepare = prepare,
                                    .begin = begin,
                                    .apply = apply,
                                    .destroy = destroy};
