/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sparse LU by UMFPACK (Davis 2004), which borrows a Mat's arrays: the rows of A are the columns of A^T, so A^T is
 * factored, and its transposed system solved.
 *
 * UMFPACK would refine every solution twice, at the price of two products and two solves, and only to reduce the error
 * of the first solve. That is switched off (UMFPACK_IRSTEP), so that a factorisation and its solves are measured. The
 * front's recomputed residual is their accuracy. The analysis depends only on the pattern and serves all matrices that
 * have it. Options make it order symmetrically and prefer diagonal pivots, since these matrices have a symmetric
 * pattern except for a few rows. By default, without values, it chooses unsymmetric ordering, whose weaker pivots leave
 * residuals above 1e-13 at some sizes of a sheet, and more entries. Singular is a zero pivot, or pivots of the
 * row-scaled matrix whose ratio is below working precision. */
#include "solvers/linear/lu_umfpack.h"

#include <limits.h>
#include <stdlib.h>

#include "solvers/linear/csr.h"

_Static_assert(sizeof(PetscInt) == sizeof(int) && INT_MAX == PETSC_MAX_INT, "UMFPACK's int borrows arrays of PetscInt");

enum { COLUMNS = 3 };

static PetscErrorCode configure(void *half, int columns)
{
  sb_umfpack *u = half;
  (void)columns;
  PetscFunctionBeginUser;
  umfpack_di_defaults(u->control);
  u->control[UMFPACK_STRATEGY] = UMFPACK_STRATEGY_SYMMETRIC;
  u->control[UMFPACK_IRSTEP] = 0;
  u->control[UMFPACK_PRL] = 0;
  PetscFunctionReturn(0);
}

static void release(sb_umfpack *u)
{
  umfpack_di_free_symbolic(&u->symbolic);
  umfpack_di_free_numeric(&u->numeric);
  free(u->integers);
  free(u->reals);
  free(u->by_column);
  u->integers = NULL;
  u->reals = u->by_column = NULL;
}

static PetscErrorCode analyze(void *half, Mat A)
{
  sb_umfpack *u = half;
  sb_csr      csr;

  PetscFunctionBeginUser;
  release(u);
  PetscCall(sb_csr_open(A, &csr));
  u->rows = csr.rows;
  const int status =
      umfpack_di_symbolic(csr.rows, csr.rows, csr.start, csr.column, NULL, &u->symbolic, u->control, NULL);
  PetscCall(sb_csr_close(A, &csr));
  PetscCheck(status != UMFPACK_ERROR_out_of_memory, PETSC_COMM_SELF, PETSC_ERR_MEM,
             "UMFPACK ran out of memory while it analysed a matrix of %d rows", u->rows);
  PetscCheck(status == UMFPACK_OK, PETSC_COMM_SELF, PETSC_ERR_LIB,
             "UMFPACK cannot analyse a matrix of %d rows: it reports an error", u->rows);
  const size_t rows = (size_t)u->rows;
  u->integers = calloc(rows + 1, sizeof *u->integers);
  u->reals = calloc(rows + 1, sizeof *u->reals);
  u->by_column = calloc(2 * rows + 1, sizeof *u->by_column);
  PetscCheck(u->integers && u->reals && u->by_column, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory to solve %d rows",
             u->rows);
  PetscFunctionReturn(0);
}

static sb_outcome examine(int status, double pivot_ratio, const char **reason)
{
  if (status < UMFPACK_OK) {
    *reason = "UMFPACK reported an error";
    return SB_FAILED;
  }
  if (status == UMFPACK_WARNING_singular_matrix) {
    *reason = "a pivot of the factorisation is zero";
    return SB_SINGULAR;
  }
  if (!(pivot_ratio >= SB_PIVOT_RATIO_MIN)) {
    *reason = "the pivots differ by more than working precision";
    return SB_SINGULAR;
  }
  return SB_SOLVED;
}

static PetscErrorCode factorize(void *half, Mat A, sb_outcome *outcome, sb_factor_facts *facts)
{
  sb_umfpack *u = half;
  double      info[UMFPACK_INFO] = {0.0};
  sb_csr      csr;

  PetscFunctionBeginUser;
  umfpack_di_free_numeric(&u->numeric);
  PetscCall(sb_csr_open(A, &csr));
  const int status = umfpack_di_numeric(csr.start, csr.column, csr.value, u->symbolic, &u->numeric, u->control, info);
  PetscCall(sb_csr_close(A, &csr));
  PetscCheck(status != UMFPACK_ERROR_out_of_memory, PETSC_COMM_SELF, PETSC_ERR_MEM,
             "UMFPACK ran out of memory while it factored a matrix of %d rows", u->rows);
  *outcome = examine(status, info[UMFPACK_RCOND], &facts->reason);
  facts->nonzeros_factor = info[UMFPACK_LNZ] + info[UMFPACK_UNZ];
  facts->flops_factor = info[UMFPACK_FLOPS];
  PetscFunctionReturn(0);
}

static void solve_array(sb_umfpack *u, const double *b, double *x, sb_solve_report *report)
{
  const int status =
      umfpack_di_wsolve(UMFPACK_Aat, NULL, NULL, NULL, x, b, u->numeric, u->control, NULL, u->integers, u->reals);
  report->outcome = status == UMFPACK_OK ? SB_SOLVED : SB_FAILED;
  report->reason = status == UMFPACK_OK ? "solved by a factorisation" : "UMFPACK reported an error in a solve";
}

static PetscErrorCode solve(void *half, Vec b, Vec x, sb_solve_report *report)
{
  sb_umfpack        *u = half;
  const PetscScalar *rhs;
  PetscScalar       *solution;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(b, &rhs));
  PetscCall(VecGetArrayWrite(x, &solution));
  solve_array(u, rhs, solution, report);
  PetscCall(VecRestoreArrayWrite(x, &solution));
  PetscCall(VecRestoreArrayRead(b, &rhs));
  PetscFunctionReturn(0);
}

/* UMFPACK solves one right-hand side a call. */
static PetscErrorCode solve_columns(void *half, Vec b, Vec x, sb_solve_report *report)
{
  sb_umfpack        *u = half;
  double            *rhs_column = u->by_column, *solution_column = u->by_column + u->rows;
  const PetscScalar *rhs;
  PetscScalar       *solution;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(b, &rhs));
  PetscCall(VecGetArrayWrite(x, &solution));
  for (int column = 0; column < COLUMNS; ++column) {
    for (int i = 0; i < u->rows; ++i) rhs_column[i] = rhs[COLUMNS * i + column];
    solve_array(u, rhs_column, solution_column, report);
    for (int i = 0; i < u->rows; ++i) solution[COLUMNS * i + column] = solution_column[i];
    if (!sb_outcome_accepted(report->outcome)) break;
  }
  PetscCall(VecRestoreArrayWrite(x, &solution));
  PetscCall(VecRestoreArrayRead(b, &rhs));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *half)
{
  sb_umfpack *u = half;
  PetscFunctionBeginUser;
  release(u);
  PetscFunctionReturn(0);
}

const sb_direct_half sb_umfpack_half = {
    .configure = configure,
    .analyze = analyze,
    .factorize = factorize,
    .solve = solve,
    .solve_columns = solve_columns,
    .destroy = destroy,
};
