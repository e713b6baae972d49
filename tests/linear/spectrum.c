/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Eigenvalues by SLEPc, for tests; see spectrum.h. */
#include "tests/linear/spectrum.h"

#include <setjmp.h>
#include <slepceps.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define OK(call) assert_int_equal((call), 0)

double largest_eigenvalue(Mat A, int block)
{
  PetscInt first, end;
  double   value = 0;
  Mat      D;
  EPS      eps;
  ST       transformation;
  KSP      ksp;
  PC       pc;
  OK(SlepcInitializeNoArguments());
  OK(MatDuplicate(A, MAT_DO_NOT_COPY_VALUES, &D));
  OK(MatGetOwnershipRange(A, &first, &end));
  for (PetscInt i = first; i < end; ++i)
    for (PetscInt j = i - i % block; j < i - i % block + block; ++j) {
      PetscScalar entry;
      OK(MatGetValue(A, i, j, &entry));
      if (entry != 0) OK(MatSetValue(D, i, j, entry, INSERT_VALUES));
    }
  OK(MatAssemblyBegin(D, MAT_FINAL_ASSEMBLY));
  OK(MatAssemblyEnd(D, MAT_FINAL_ASSEMBLY));
  OK(EPSCreate(PETSC_COMM_WORLD, &eps));
  OK(EPSSetOperators(eps, A, D));
  OK(EPSSetProblemType(eps, EPS_GHEP));
  OK(EPSSetWhichEigenpairs(eps, EPS_LARGEST_REAL));
  OK(EPSGetST(eps, &transformation));
  OK(STGetKSP(transformation, &ksp));
  OK(KSPGetPC(ksp, &pc));
  OK(KSPSetType(ksp, KSPPREONLY)); /* D is of such blocks: applied exactly, where SLEPc would factorise it */
  OK(PCSetType(pc, block == 3 ? PCPBJACOBI : PCJACOBI));
  OK(EPSSetFromOptions(eps));
  OK(EPSSolve(eps));
  OK(EPSGetEigenvalue(eps, 0, &value, NULL));
  OK(EPSDestroy(&eps));
  OK(MatDestroy(&D));
  return value;
}
