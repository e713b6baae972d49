/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Largest eigenvalues of M^-1/2 A M^-1/2: a standard symmetric problem with the spectrum of the generalised one, since
 * M is diagonal (SLEPc would factorise M, which on several ranks costs seconds). */
#include "drivers/frequency.h"

#include <slepceps.h>

#include "model/system/external.h"

/* One over the square root of the mass, `components` entries for each free vertex, laid out like the rows of `matrix`.
 */
static PetscErrorCode create_scaling(const sb_system *system, Mat matrix, int components, Vec *scaling)
{
  double *array = NULL;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(matrix, NULL, scaling));
  PetscCall(VecGetArray(*scaling, &array));
  for (PetscInt i = 0; i < system->owned_unknown; ++i) {
    const double value = 1 / PetscSqrtReal(system->mass[system->unknown_vertex[i]]);
    for (int c = 0; c < components; ++c) array[components * i + c] = value;
  }
  PetscCall(VecRestoreArray(*scaling, &array));
  PetscFunctionReturn(0);
}

/* Largest eigenvalue of the symmetric M^-1/2 A M^-1/2, A scaled in place; `mode`, if it is not NULL, becomes M^-1/2 of
 * its unit eigenvector, for which mode.M mode = 1. */
static PetscErrorCode largest_eigenvalue(const sb_system *system, Mat matrix, int components, double tolerance,
                                         double *lambda, Vec mode)
{
  EPS      eps = NULL;
  Vec      scaling = NULL;
  PetscInt converged = 0;

  PetscFunctionBeginUser;
  PetscCall(create_scaling(system, matrix, components, &scaling));
  PetscCall(MatDiagonalScale(matrix, scaling, scaling));
  PetscCall(EPSCreate(system->comm, &eps));
  PetscCall(EPSSetOperators(eps, matrix, NULL));
  PetscCall(EPSSetProblemType(eps, EPS_HEP));
  PetscCall(EPSSetWhichEigenpairs(eps, EPS_LARGEST_REAL));
  PetscCall(EPSSetTolerances(eps, tolerance, 10000));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConverged(eps, &converged));
  PetscCheck(converged > 0, system->comm, PETSC_ERR_CONV_FAILED, "the largest frequency was not found");
  PetscCall(EPSGetEigenpair(eps, 0, lambda, NULL, mode, NULL));
  if (mode) PetscCall(VecPointwiseMult(mode, mode, scaling));
  PetscCall(EPSDestroy(&eps));
  PetscCall(VecDestroy(&scaling));
  PetscFunctionReturn(0);
}

/* u.C u for velocities u of the unknowns: drag on every vertex, dampers along the springs at x. */
static PetscErrorCode braking(sb_system *system, Vec x, Vec unknowns, double *rate)
{
  Vec           velocity = NULL, force = NULL;
  const double *position, *speed;
  double       *array, square = 0, power = 0;

  PetscFunctionBeginUser;
  PetscCall(sb_system_create_full(system, &velocity));
  PetscCall(sb_system_create_full(system, &force));
  PetscCall(sb_system_add_unknowns(system, 1, unknowns, velocity));
  PetscCall(VecDot(velocity, velocity, &square));
  PetscCall(sb_system_begin_read(system, x, &position));
  PetscCall(sb_system_begin_read(system, velocity, &speed));
  PetscCall(VecGetArray(force, &array));
  if (system->spring_damping > 0 || system->damping_in_step > 0)
    sb_kernel_add_damping(&system->springs, system->spring_damping, system->damping_in_step, position, speed, array);
  PetscCall(VecRestoreArray(force, &array));
  PetscCall(sb_system_end_read(system, velocity, &speed));
  PetscCall(sb_system_end_read(system, x, &position));
  PetscCall(VecDot(force, velocity, &power));
  *rate = system->drag * square - power;
  PetscCall(VecDestroy(&velocity));
  PetscCall(VecDestroy(&force));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_frequency_max(sb_system *system, Vec x, sb_fastest_mode *fastest, Vec shape)
{
  Mat    matrix = NULL;
  Vec    mode = NULL;
  double lambda = 0;

  PetscFunctionBeginUser;
  PetscCall(SlepcInitialize(NULL, NULL, NULL, NULL));
  PetscCall(sb_system_create_block_matrix(system, &matrix));
  PetscCall(sb_system_assemble_hessian(system, SB_HESSIAN_EXACT, 0, x, matrix));
  PetscCall(MatCreateVecs(matrix, &mode, NULL));
  PetscCall(largest_eigenvalue(system, matrix, 3, SB_FREQUENCY_TOLERANCE, &lambda, mode));
  fastest->omega = PetscSqrtReal(PetscMax(0.0, lambda));
  PetscCall(braking(system, x, mode, &fastest->damping));
  PetscCall(VecSet(shape, 0));
  PetscCall(sb_system_add_unknowns(system, 1, mode, shape));
  PetscCall(VecDestroy(&mode));
  PetscCall(MatDestroy(&matrix));
  PetscCall(SlepcFinalize());
  PetscFunctionReturn(0);
}

PetscErrorCode sb_frequency_any_stretch(sb_system *system, double tolerance, double *omega)
{
  Mat    matrix = NULL;
  double lambda = 0;

  PetscFunctionBeginUser;
  PetscCall(SlepcInitialize(NULL, NULL, NULL, NULL));
  /* M + h^2 L with h = 1: its scaled spectrum is that of I + M^-1/2 L M^-1/2. */
  PetscCall(sb_system_create_scalar_matrix(system, 1, &matrix));
  PetscCall(largest_eigenvalue(system, matrix, 1, tolerance, &lambda, NULL));
  *omega = PetscSqrtReal(PetscMax(0.0, lambda - 1));
  PetscCall(MatDestroy(&matrix));
  PetscCall(SlepcFinalize());
  PetscFunctionReturn(0);
}
