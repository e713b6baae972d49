/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sparse factorisations by MUMPS (Amestoy, Duff, L'Excellent, Koster 2001) through PETSc's factor matrices.
 *
 * Cholesky is L D L^T with pivoting, also if A is known to be definite: that costs no more than its L L^T mode, which
 * does not find null pivots. MUMPS solves indefinite systems without a warning. The number of negative pivots,
 * INFOG(12), shows them; for it the manual requires the root front on one rank (ICNTL(13) = 1). Pivots that are null to
 * working precision are to be detected (ICNTL(24) = 1, CNTL(3)) instead of divided by, in the unscaled matrix: scaling
 * (ICNTL(8)) would hide them. */
#include "solvers/linear/mumps.h"

#include "solvers/linear/ksp_outcome.h"

enum { ICNTL_SCALING = 8, ICNTL_ROOT = 13, ICNTL_NULL_PIVOTS = 24, CNTL_NULL_SIZE = 3 };
enum { INFOG_STATUS = 1, INFOG_NEGATIVE = 12, INFOG_MEGABYTES = 17, INFOG_NULL = 28, INFOG_ENTRIES = 29 };
enum { RINFOG_PREDICTED = 1, RINFOG_FLOPS = 3 };
enum {
  STATUS_SINGULAR_STRUCTURE = -6,
  STATUS_NO_MEMORY_TO_ANALYSE = -7,
  STATUS_SINGULAR = -10,
  STATUS_NO_MEMORY = -13
};

static PetscErrorCode create_factor(sb_mumps *m, Mat A)
{
  MatFactorInfo info;

  PetscFunctionBeginUser;
  PetscCall(MatGetFactor(A, MATSOLVERMUMPS, m->kind, &m->factor));
  PetscCall(MatMumpsSetIcntl(m->factor, ICNTL_SCALING, 0));
  PetscCall(MatMumpsSetIcntl(m->factor, ICNTL_ROOT, 1));
  PetscCall(MatMumpsSetIcntl(m->factor, ICNTL_NULL_PIVOTS, 1));
  PetscCall(MatMumpsSetCntl(m->factor, CNTL_NULL_SIZE, SB_PIVOT_RATIO_MIN));
  PetscCall(MatFactorInfoInitialize(&info));
  if (m->kind == MAT_FACTOR_LU)
    PetscCall(MatLUFactorSymbolic(m->factor, A, NULL, NULL, &info));
  else
    PetscCall(MatCholeskyFactorSymbolic(m->factor, A, NULL, &info));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_mumps_analyze(sb_mumps *m, Mat A)
{
  PetscFunctionBeginUser;
  PetscCall(sb_mumps_destroy(m));
  PetscCall(create_factor(m, A));
  PetscCall(sb_columns_create(A, &m->one_column));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_mumps_predict(const sb_mumps *m, sb_factor_forecast *price)
{
  PetscInt megabytes;

  PetscFunctionBeginUser;
  PetscCall(MatMumpsGetInfog(m->factor, INFOG_MEGABYTES, &megabytes));
  price->bytes = 1e6 * megabytes;
  PetscCall(MatMumpsGetRinfog(m->factor, RINFOG_PREDICTED, &price->flops));
  PetscFunctionReturn(0);
}

static PetscErrorCode examine(const sb_mumps *m, sb_outcome *outcome, const char **reason)
{
  Mat      factor = m->factor;
  PetscInt status, negative, null;

  PetscFunctionBeginUser;
  PetscCall(MatMumpsGetInfog(factor, INFOG_STATUS, &status));
  PetscCall(MatMumpsGetInfog(factor, INFOG_NEGATIVE, &negative));
  PetscCall(MatMumpsGetInfog(factor, INFOG_NULL, &null));
  PetscCheck(status != STATUS_NO_MEMORY && status != STATUS_NO_MEMORY_TO_ANALYSE, PetscObjectComm((PetscObject)factor),
             PETSC_ERR_MEM, "MUMPS ran out of memory");
  *outcome = SB_SOLVED;
  if (status == STATUS_SINGULAR || status == STATUS_SINGULAR_STRUCTURE) {
    *outcome = SB_SINGULAR;
    *reason = "MUMPS found the matrix singular";
  } else if (status < 0) {
    *outcome = SB_FAILED;
    *reason = "MUMPS reported an error";
  } else if (negative > 0 && m->kind == MAT_FACTOR_CHOLESKY) {
    *outcome = SB_NOT_SPD;
    *reason = "the factorisation has negative pivots";
  } else if (null > 0) {
    *outcome = SB_SINGULAR;
    *reason = "the factorisation has null pivots";
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode read_facts(Mat factor, sb_factor_facts *facts)
{
  PetscInt entries;

  PetscFunctionBeginUser;
  PetscCall(MatMumpsGetInfog(factor, INFOG_ENTRIES, &entries));
  PetscCall(MatMumpsGetRinfog(factor, RINFOG_FLOPS, &facts->flops_factor));
  facts->nonzeros_factor = entries < 0 ? -1e6 * entries : entries; /* negative: in millions */
  PetscFunctionReturn(0);
}

PetscErrorCode sb_mumps_factorize(sb_mumps *m, Mat A, sb_outcome *outcome, sb_factor_facts *facts)
{
  MatFactorInfo info;

  PetscFunctionBeginUser;
  facts->package = "MUMPS";
  PetscCall(MatFactorInfoInitialize(&info));
  PetscCall(PetscPushErrorHandler(sb_petsc_return_error, NULL));
  const PetscErrorCode failed = m->kind == MAT_FACTOR_LU ? MatLUFactorNumeric(m->factor, A, &info)
                                                         : MatCholeskyFactorNumeric(m->factor, A, &info);
  PetscCall(PetscPopErrorHandler());
  PetscCheck(failed != PETSC_ERR_MEM, PetscObjectComm((PetscObject)A), PETSC_ERR_MEM, "MUMPS ran out of memory");
  if (failed) {
    /* After an error a factor is not to be trusted again. */
    PetscCall(MatDestroy(&m->factor));
    PetscCall(create_factor(m, A));
    *outcome = SB_FAILED;
    PetscCall(PetscErrorMessage(failed, &facts->reason, NULL));
    PetscFunctionReturn(0);
  }
  PetscCall(examine(m, outcome, &facts->reason));
  PetscCall(read_facts(m->factor, facts));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_mumps_solve(sb_mumps *m, Vec b, Vec x, sb_solve_report *report)
{
  PetscFunctionBeginUser;
  PetscCall(PetscPushErrorHandler(sb_petsc_return_error, NULL));
  const PetscErrorCode failed = MatSolve(m->factor, b, x);
  PetscCall(PetscPopErrorHandler());
  PetscCheck(failed != PETSC_ERR_MEM, PetscObjectComm((PetscObject)b), PETSC_ERR_MEM,
             "MUMPS ran out of memory in a solve");
  report->outcome = failed ? SB_FAILED : SB_SOLVED;
  report->reason = "solved by a factorisation";
  if (failed) PetscCall(PetscErrorMessage(failed, &report->reason, NULL));
  PetscFunctionReturn(0);
}

static PetscErrorCode solve_column(void *state, Vec b, Vec x, const sb_goal *goal, sb_solve_report *report)
{
  (void)goal;
  return sb_mumps_solve(state, b, x, report);
}

PetscErrorCode sb_mumps_solve_columns(sb_mumps *m, Vec b, Vec x, const sb_goal *goal, sb_solve_report *report)
{
  PetscFunctionBeginUser;
  PetscCall(sb_columns_solve(&m->one_column, &(sb_column_solver){solve_column, m}, b, x, goal, report));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_mumps_destroy(sb_mumps *m)
{
  PetscFunctionBeginUser;
  PetscCall(MatDestroy(&m->factor));
  PetscCall(sb_columns_destroy(&m->one_column));
  PetscFunctionReturn(0);
}
