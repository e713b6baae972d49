/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PETSc's converged reasons, preconditioner failures and error codes as outcomes; see ksp_outcome.h. */
#include "solvers/linear/ksp_outcome.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  int         verdict;
  sb_outcome  outcome;
  const char *text;
} row;

static const row ksp_rows[] = {
    {KSP_CONVERGED_RTOL_NORMAL, SB_SOLVED, "CONVERGED_RTOL_NORMAL: the normal equations are within tolerance"},
    {KSP_CONVERGED_ATOL_NORMAL, SB_SOLVED, "CONVERGED_ATOL_NORMAL: the normal equations are below atol"},
    {KSP_CONVERGED_RTOL, SB_SOLVED, "CONVERGED_RTOL: the residual is within tolerance"},
    {KSP_CONVERGED_ATOL, SB_SOLVED, "CONVERGED_ATOL: the residual is below atol"},
    {KSP_CONVERGED_ITS, SB_SOLVED, "CONVERGED_ITS: ran the requested iterations"},
#if PETSC_VERSION_LT(3, 19, 0)
    {KSP_CONVERGED_CG_NEG_CURVE, SB_NOT_SPD, "CONVERGED_CG_NEG_CURVE: a direction of negative curvature"},
    {KSP_CONVERGED_CG_CONSTRAINED, SB_STALLED, "CONVERGED_CG_CONSTRAINED: stopped at a trust region"},
#else
    {KSP_CONVERGED_NEG_CURVE, SB_NOT_SPD, "CONVERGED_NEG_CURVE: a direction of negative curvature"},
#endif
    {KSP_CONVERGED_STEP_LENGTH, SB_STALLED, "CONVERGED_STEP_LENGTH: stopped at a step length"},
    {KSP_CONVERGED_HAPPY_BREAKDOWN, SB_SOLVED, "CONVERGED_HAPPY_BREAKDOWN: the Krylov space holds the solution"},
    {KSP_CONVERGED_ITERATING, SB_FAILED, "CONVERGED_ITERATING: stopped without a verdict"},
    {KSP_DIVERGED_NULL, SB_FAILED, "DIVERGED_NULL: stopped without a verdict"},
    {KSP_DIVERGED_ITS, SB_STALLED, "DIVERGED_ITS: ran out of iterations"},
    {KSP_DIVERGED_DTOL, SB_DIVERGED, "DIVERGED_DTOL: the residual grew"},
    {KSP_DIVERGED_BREAKDOWN, SB_STALLED, "DIVERGED_BREAKDOWN: the Krylov space cannot grow"},
    {KSP_DIVERGED_BREAKDOWN_BICG, SB_STALLED, "DIVERGED_BREAKDOWN_BICG: the Krylov space cannot grow"},
    {KSP_DIVERGED_NONSYMMETRIC, SB_STALLED, "DIVERGED_NONSYMMETRIC: matrix or preconditioner is not symmetric"},
    {KSP_DIVERGED_INDEFINITE_PC, SB_STALLED, "DIVERGED_INDEFINITE_PC: the preconditioner is not positive definite"},
    {KSP_DIVERGED_NANORINF, SB_NOT_FINITE, "DIVERGED_NANORINF: a norm is not finite"},
    {KSP_DIVERGED_INDEFINITE_MAT, SB_NOT_SPD, "DIVERGED_INDEFINITE_MAT: the matrix is not positive definite"},
    {KSP_DIVERGED_PC_FAILED, SB_FAILED, "DIVERGED_PC_FAILED: the preconditioner could not be built or applied"},
};

static const row pc_rows[] = {
    {PC_NOERROR, SB_FAILED, "DIVERGED_PC_FAILED: the preconditioner could not be built or applied"},
    {PC_SETUP_ERROR, SB_FAILED, "DIVERGED_PC_FAILED: the preconditioner could not be built"},
    {PC_FACTOR_STRUCT_ZEROPIVOT, SB_SINGULAR, "DIVERGED_PC_FAILED: a pivot is missing from the pattern"},
    {PC_FACTOR_NUMERIC_ZEROPIVOT, SB_SINGULAR, "DIVERGED_PC_FAILED: a pivot is zero"},
    {PC_FACTOR_OUTMEMORY, SB_FAILED, "DIVERGED_PC_FAILED: a factorisation ran out of memory"},
    {PC_FACTOR_OTHER, SB_FAILED, "DIVERGED_PC_FAILED: a factorisation failed"},
    {PC_INCONSISTENT_RHS, SB_SINGULAR, "DIVERGED_PC_FAILED: singular, and the right-hand side is not in its range"},
    {PC_SUBPC_ERROR, SB_FAILED, "DIVERGED_PC_FAILED: the preconditioner of a block failed"},
};

static const row error_rows[] = {
    {PETSC_ERR_MEM, SB_FAILED, "PETSc error: out of memory"},
    {PETSC_ERR_SUP, SB_FAILED, "PETSc error: no support for this combination of method, preconditioner and matrix"},
    {PETSC_ERR_LIB, SB_FAILED, "PETSc error: a library that it calls failed"},
    {PETSC_ERR_FP, SB_NOT_FINITE, "PETSc error: a number is not finite"},
    {PETSC_ERR_MAT_LU_ZRPVT, SB_SINGULAR, "PETSc error: zero pivot in LU"},
    {PETSC_ERR_MAT_CH_ZRPVT, SB_SINGULAR, "PETSc error: zero pivot in Cholesky"},
    {PETSC_ERR_ARG_WRONGSTATE, SB_FAILED, "PETSc error: an object is in the wrong state"},
};

/* NULL: no such row. */
static const row *find(const row *rows, size_t count, int verdict)
{
  for (size_t i = 0; i < count; ++i) {
    if (rows[i].verdict == verdict) return &rows[i];
  }
  return NULL;
}

static sb_outcome read_row(const row *found, const char **text)
{
  *text = found ? found->text : "PETSc returned an unknown verdict";
  return found ? found->outcome : SB_FAILED;
}

sb_outcome sb_ksp_outcome(KSPConvergedReason reason, bool truncated, const char **text)
{
  const sb_outcome outcome = read_row(find(ksp_rows, sizeof ksp_rows / sizeof ksp_rows[0], (int)reason), text);
  return outcome == SB_SOLVED && truncated ? SB_TRUNCATED : outcome;
}

sb_outcome sb_pc_outcome(PCFailedReason reason, const char **text)
{
  return read_row(find(pc_rows, sizeof pc_rows / sizeof pc_rows[0], (int)reason), text);
}

sb_outcome sb_petsc_error_outcome(PetscErrorCode code, const char **text)
{
  const row *found = find(error_rows, sizeof error_rows / sizeof error_rows[0], (int)code);
  if (found) return read_row(found, text);
  if (PetscErrorMessage((int)code, text, NULL) || !*text) *text = "PETSc reported an error";
  return SB_FAILED;
}

/* PETSc 3.18's allocator returns its caller's line as its error code. MUMPS reports failures of its allocator (-7, -13)
 * as errors of a library. */
PetscErrorCode sb_petsc_error_code(PetscErrorCode code, PetscErrorType type, const char *function, const char *message)
{
  static const char verdict[] = "MUMPS in ", number[] = "INFOG(1)=";
  const char *of_mumps = code == PETSC_ERR_LIB && message && strstr(message, verdict) ? strstr(message, number) : NULL;
  const int   said = of_mumps ? atoi(of_mumps + strlen(number)) : 0;
  const bool  petsc = strncmp(function, "PetscMalloc", 11) == 0 || strncmp(function, "PetscRealloc", 12) == 0;
  return type == PETSC_ERROR_INITIAL && (petsc || said == -7 || said == -13) ? PETSC_ERR_MEM : code;
}

/* NOLINTNEXTLINE(readability-function-size): an error handler of PETSc's has these parameters. */
PetscErrorCode sb_petsc_return_error(MPI_Comm comm, int line, const char *function, const char *file,
                                     PetscErrorCode code, PetscErrorType type, const char *message, void *context)
{
  (void)comm;
  (void)line;
  (void)file;
  (void)context;
  return sb_petsc_error_code(code, type, function, message);
}
