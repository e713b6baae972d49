/* SPDX-License-Identifier: GPL-3.0-or-later */
/* P = W = M/h^2 + L, L = sum k A A^T, by any linear backend: the constant scalar matrix M + h^2 L of local-global,
 * factored once, with three right-hand sides. It majorises g, since k I - H_s = k (l/r) (I - u u^T) is positive
 * semi-definite: a whole step lowers g by 1/2 G^T W^-1 G at least. With contact in g, k_c is added on the diagonal
 * where a vertex is inside a collider, and W is factored again if that has changed; it majorises until the next change.
 */
#include <math.h>

#include "solvers/minimize/descent.h"
#include "solvers/minimize/on_device.h"

typedef struct {
  sb_linear_solver  *linear;
  Mat                matrix; /* M + h^2 L over unknown vertices */
  double             square; /* h^2 */
  sb_system         *system;
  Vec                diagonal; /* of M + h^2 L; NULL: contact is not part of g */
  Vec                touched;  /* the matrix with contact */
  double            *bound;    /* [owned] N/m: contact's part */
  sb_relaxation_work there;    /* on a device */
} laplacian;

static PetscErrorCode prepare(void *state, const sb_minimizer_setup *setup, sb_outcome *outcome)
{
  laplacian *l = state;

  PetscFunctionBeginUser;
  l->linear = setup->linear;
  l->square = setup->h_seconds * setup->h_seconds;
  l->system = setup->system;
  PetscCall(sb_system_create_scalar_matrix(setup->system, setup->h_seconds, &l->matrix));
  PetscCall(sb_linear_solver_set_matrix(l->linear, l->matrix, SB_NEW_PATTERN, sb_system_is_symmetric(setup->system),
                                        outcome));
  PetscCall(sb_system_create_full(l->system, &l->there.full));
  if (sb_vec_device(l->there.full)) {
    PetscCall(sb_system_create_unknowns(l->system, &l->there.step));
    PetscCall(sb_system_create_unknowns(l->system, &l->there.change));
  } else
    PetscCall(VecDestroy(&l->there.full));
  if (!setup->system->contact || !sb_contact_is_implicit(setup->system->contact)) PetscFunctionReturn(0);
  PetscCall(MatCreateVecs(l->matrix, &l->diagonal, &l->touched));
  PetscCall(MatGetDiagonal(l->matrix, l->diagonal));
  PetscCall(PetscCalloc1(setup->system->owned, &l->bound));
  PetscFunctionReturn(0);
}

/* The matrix with contact at z, factored again if contact has changed. */
static PetscErrorCode touch(laplacian *l, const sb_potential *potential, Vec z, sb_solve_report *report)
{
  const sb_system *system = l->system;
  double          *diagonal;
  bool             changed;

  PetscFunctionBeginUser;
  PetscCall(sb_potential_renew_contact_bound(potential, z, l->bound, &changed));
  if (!changed) PetscFunctionReturn(0);
  PetscCall(VecCopy(l->diagonal, l->touched));
  PetscCall(VecGetArray(l->touched, &diagonal));
  for (PetscInt f = 0; f < system->owned_unknown; ++f) diagonal[f] += l->square * l->bound[system->unknown_vertex[f]];
  PetscCall(VecRestoreArray(l->touched, &diagonal));
  PetscCall(MatDiagonalSet(l->matrix, l->touched, INSERT_VALUES));
  PetscCall(sb_linear_solver_set_matrix(l->linear, l->matrix, SB_NEW_VALUES, sb_system_is_symmetric(system),
                                        &report->outcome));
  PetscFunctionReturn(0);
}

static PetscErrorCode apply_there(const laplacian *l, Vec in, Vec out, sb_iteration *iteration)
{
  const sb_relaxation relaxation = sb_linear_solver_relaxation(l->linear);

  PetscFunctionBeginUser;
  PetscCall(sb_on_device_relax(l->system, &relaxation, &l->there, in, out));
  iteration->linear = (sb_solve_report){.outcome = SB_TRUNCATED,
                                        .iterations = relaxation.iterations,
                                        .relative = NAN, /* its contents are never used */
                                        .reason = "ran exactly the requested iterations"};
  PetscFunctionReturn(0);
}

static PetscErrorCode apply(void *state, const sb_potential *potential, Vec z, Vec in, Vec out, sb_iteration *iteration)
{
  laplacian *l = state;

  PetscFunctionBeginUser;
  if (l->there.full) {
    PetscCall(apply_there(l, in, out, iteration));
    PetscFunctionReturn(0);
  }
  if (l->diagonal) PetscCall(touch(l, potential, z, &iteration->linear));
  PetscCall(sb_linear_solver_solve(l->linear, in, out, false, &iteration->linear));
  PetscCall(VecScale(out, l->square));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *state)
{
  laplacian *l = state;

  PetscFunctionBeginUser;
  PetscCall(MatDestroy(&l->matrix));
  PetscCall(VecDestroy(&l->there.step));
  PetscCall(VecDestroy(&l->there.change));
  PetscCall(VecDestroy(&l->there.full));
  PetscCall(VecDestroy(&l->diagonal));
  PetscCall(VecDestroy(&l->touched));
  PetscCall(PetscFree(l->bound));
  PetscFunctionReturn(0);
}

const sb_metric sb_metric_laplacian = {.name = "laplacian",
                                       .summary =
                                           "M/h^2 + L of local-global, constant and an upper bound of every Hessian",
                                       .uses = "linear contact_implicit",
                                       .traits = SB_MAJORISES | SB_CONSTANT_MATRIX | SB_IMPLICIT_CONTACT | SB_ON_DEVICE,
                                       .columns = 3,
                                       .state_bytes = sizeof(laplacian),
                                       .prepare = prepare,
                                       .apply = apply,
                                       .destroy = destroy};
