/* Largest eigenvalues of M^-1/2 A M^-1/2: a standard symmetric problem with the spectrum of the generalised one, since
 * M is diagonal (SLEPc would factorise M, which on several ranks costs seconds). */
#include "experiments/frequency.h"

#include <slepceps.h>

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

/* Largest eigenvalue of the symmetric M^-1/2 A M^-1/2; A is scaled in place. */
static PetscErrorCode largest_eigenvalue(const sb_system *system, Mat matrix, int components, double *lambda)
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
  PetscCall(EPSSetTolerances(eps, 1e-10, 10000));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConverged(eps, &converged));
  PetscCheck(converged > 0, system->comm, PETSC_ERR_CONV_FAILED, "the largest frequency was not found");
  PetscCall(EPSGetEigenvalue(eps, 0, lambda, NULL));
  PetscCall(EPSDestroy(&eps));
  PetscCall(VecDestroy(&scaling));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_frequency_max(sb_system *system, Vec x, double *omega)
{
  Mat    matrix = NULL;
  double lambda = 0;

  PetscFunctionBeginUser;
  PetscCall(SlepcInitialize(NULL, NULL, NULL, NULL));
  PetscCall(sb_system_create_block_matrix(system, &matrix));
  PetscCall(sb_system_assemble_hessian(system, SB_HESSIAN_EXACT, 0, x, matrix));
  PetscCall(largest_eigenvalue(system, matrix, 3, &lambda));
  *omega = PetscSqrtReal(PetscMax(0.0, lambda));
  PetscCall(MatDestroy(&matrix));
  PetscCall(SlepcFinalize());
  PetscFunctionReturn(0);
}

PetscErrorCode sb_frequency_any_stretch(sb_system *system, double *omega)
{
  Mat    matrix = NULL;
  double lambda = 0;

  PetscFunctionBeginUser;
  PetscCall(SlepcInitialize(NULL, NULL, NULL, NULL));
  /* M + h^2 L with h = 1: its scaled spectrum is that of I + M^-1/2 L M^-1/2. */
  PetscCall(sb_system_create_scalar_matrix(system, 1, &matrix));
  PetscCall(largest_eigenvalue(system, matrix, 1, &lambda));
  *omega = PetscSqrtReal(PetscMax(0.0, lambda - 1));
  PetscCall(MatDestroy(&matrix));
  PetscCall(SlepcFinalize());
  PetscFunctionReturn(0);
}
