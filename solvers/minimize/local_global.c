/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Local-global iteration (projective dynamics; Liu, Bargteil, O'Brien, Kavan 2013):
 *
 *     local    d_s = l_s u_s for every spring
 *     global   (M + h^2 L) z = h^2 J d + M y
 *
 * Both halves minimise the same g over d and over z, so g never rises. L = sum k A A^T is n x n and scalar: one matrix,
 * factored once, three right-hand sides. The contribution of pinned vertices to the right-hand side is, like M y,
 * constant during a step. So is that of contact, which acts through y: implicit penalty contact would change the
 * matrix. */
#include <math.h>

#include "solvers/minimize/minimizer_method.h"

typedef struct {
  sb_system        *system;
  sb_linear_solver *linear;
  Mat               matrix;   /* M + h^2 L over unknown vertices */
  Vec               constant; /* unknowns: the constant part of the right-hand side of a step */
  Vec               rhs, unknown;
} local_global;

static PetscErrorCode prepare(void *state, const sb_minimizer_setup *setup, sb_outcome *outcome)
{
  local_global *lg = state;

  PetscFunctionBeginUser;
  lg->system = setup->system;
  lg->linear = setup->linear;
  PetscCall(sb_system_create_unknowns(lg->system, &lg->constant));
  PetscCall(sb_system_create_unknowns(lg->system, &lg->rhs));
  PetscCall(sb_system_create_unknowns(lg->system, &lg->unknown));
  PetscCall(sb_system_create_scalar_matrix(lg->system, setup->h_seconds, &lg->matrix));
  PetscCall(
      sb_linear_solver_set_matrix(lg->linear, lg->matrix, SB_NEW_PATTERN, sb_system_is_symmetric(lg->system), outcome));
  PetscFunctionReturn(0);
}

static PetscErrorCode begin(void *state, const sb_potential *potential, Vec z)
{
  local_global *lg = state;

  PetscFunctionBeginUser;
  PetscCall(sb_potential_constant_right_hand_side(potential, z, lg->constant));
  /* From here on `unknown` follows z: each solution is the guess of the next solve. */
  PetscCall(sb_system_restrict(lg->system, z, lg->unknown));
  PetscFunctionReturn(0);
}

static PetscErrorCode iterate(void *state, const sb_potential *potential, Vec z, sb_iteration *iteration)
{
  local_global *lg = state;

  PetscFunctionBeginUser;
  PetscCall(sb_potential_local_right_hand_side(potential, lg->constant, z, lg->rhs));
  PetscCall(sb_linear_solver_solve(lg->linear, lg->rhs, lg->unknown, true, &iteration->linear));
  if (sb_outcome_accepted(iteration->linear.outcome)) PetscCall(sb_system_set_unknowns(lg->system, lg->unknown, z));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *state)
{
  local_global *lg = state;

  PetscFunctionBeginUser;
  PetscCall(MatDestroy(&lg->matrix));
  PetscCall(VecDestroy(&lg->constant));
  PetscCall(VecDestroy(&lg->rhs));
  PetscCall(VecDestroy(&lg->unknown));
  PetscFunctionReturn(0);
}

static const char *refuses_law(const sb_options *options)
{
  return isfinite(sb_law_bounds_of(options).most) ? NULL
                                                  : "its constant matrix needs an upper bound of E'', which the law "
                                                    "does not have; choose newton_cg or lbfgs";
}

const sb_minimizer_method sb_minimizer_local_global = {
    .name = "local_global",
    .spelled = "local-global",
    .summary = "local-global iteration of projective dynamics: one constant scalar matrix, three right-hand sides",
    .aliases = (const sb_alias[]){{"pd", NULL}, {"projective_dynamics", NULL}, {NULL, NULL}},
    .uses = "linear",
    .traits = SB_DESCENDS | SB_CONSTANT_MATRIX,
    .columns = 3,
    .refuses_law = refuses_law,
    .state_bytes = sizeof(local_global),
    .prepare = prepare,
    .begin = begin,
    .iterate = iterate,
    .destroy = destroy,
};
