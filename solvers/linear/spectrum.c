/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ends of spectra from Krylov iterations; see spectrum.h. */
#include "solvers/linear/spectrum.h"

#include <math.h>

#include "base/random.h"

enum { RITZ_ITERATIONS = 16 };

/* Residual over the first at which the Krylov space is exhausted. Beyond it conjugate gradients divide by 0, and PETSc
 * counts the iteration that stops there, although it wrote no coefficients. Only values far below rounding do that, so
 * that no other estimate stops. The basis of GMRES is rounding as soon as the residual is. */
#define EXHAUSTED_CG    1e-30
#define EXHAUSTED_GMRES 1e-13

static PetscErrorCode apply_inverse(PC pc, Vec r, Vec z)
{
  sb_spectrum *s;

  PetscFunctionBeginUser;
  PetscCall(PCShellGetContext(pc, &s));
  PetscCall(s->apply(s->context, r, z));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_spectrum_create(Mat A, bool symmetric, sb_spectrum *spectrum)
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)A), &spectrum->ksp));
  PetscCall(KSPSetType(spectrum->ksp, symmetric ? KSPCG : KSPGMRES));
  PetscCall(KSPSetOperators(spectrum->ksp, A, A));
  PetscCall(KSPSetComputeSingularValues(spectrum->ksp, PETSC_TRUE));
  PetscCall(
      KSPSetTolerances(spectrum->ksp, symmetric ? EXHAUSTED_CG : EXHAUSTED_GMRES, 0, PETSC_MAX_REAL, RITZ_ITERATIONS));
  PetscCall(KSPGetPC(spectrum->ksp, &pc));
  PetscCall(PCSetType(pc, PCSHELL));
  PetscCall(PCShellSetContext(pc, spectrum));
  PetscCall(PCShellSetApply(pc, apply_inverse));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_spectrum_destroy(sb_spectrum *spectrum)
{
  PetscFunctionBeginUser;
  PetscCall(KSPDestroy(&spectrum->ksp));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_spectrum_measure(sb_spectrum *spectrum, Mat A, sb_spectrum_ends *ends)
{
  KSPConvergedReason reason;
  PetscReal          largest = 0, smallest = 0;
  PetscInt           first, end;
  Vec                b, x;
  double            *value;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecGetOwnershipRange(b, &first, &end));
  PetscCall(VecGetArrayWrite(b, &value));
  for (PetscInt i = first; i < end; ++i) value[i - first] = 2 * sb_random_unit(1, (uint64_t)i) - 1;
  PetscCall(VecRestoreArrayWrite(b, &value));
  PetscCall(KSPSetOperators(spectrum->ksp, A, A));
  PetscCall(KSPSolve(spectrum->ksp, b, x));
  PetscCall(KSPGetConvergedReason(spectrum->ksp, &reason));
  ends->definite = reason != KSP_DIVERGED_INDEFINITE_MAT && reason != KSP_DIVERGED_INDEFINITE_PC;
  /* PETSc has not written all coefficients of an iteration that broke off. */
  if (ends->definite) PetscCall(KSPComputeExtremeSingularValues(spectrum->ksp, &largest, &smallest));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  ends->low = fmax(smallest, 0);
  ends->high = SB_SPECTRUM_MARGIN * largest;
  PetscFunctionReturn(0);
}
