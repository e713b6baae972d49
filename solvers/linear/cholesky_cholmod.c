/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sparse Cholesky by CHOLMOD (Chen, Davis, Hager, Rajamanickam 2008), which borrows a Mat's arrays: the rows of a
 * symmetric matrix are its columns.
 *
 * One column (Newton's block matrix, factored again and again, one solve each): P A P^T = L L^T, supernodal where
 * CHOLMOD's rule finds enough flops per nonzero, refactored in place.
 *
 * Three columns (local-global's scalar matrix, factored once, solved often): the same analysis, but the factor is then
 * rewritten as simplicial L D L^T without the zeros of supernodes. Its solves take half the time of the supernodal ones
 * with three right-hand sides. CHOLMOD accepts negative D, so their signs are read here.
 *
 * cholmod_factorize returns TRUE for matrices that are not positive definite; its status must be read at once.
 *
 * A counts as singular if a pivot is the rounding of its row's diagonal entry, l_jj^2 < 8 eps a_jj. Heavy masses next
 * to light ones do not change that, unlike the ratio of the largest pivot to the least (CHOLMOD's rcond). */
#include "solvers/linear/cholesky_cholmod.h"

#include <float.h>
#include <limits.h>
#include <stdlib.h>

#include "solvers/linear/csr.h"

_Static_assert(sizeof(PetscInt) == sizeof(int) && INT_MAX == PETSC_MAX_INT, "CHOLMOD's int borrows arrays of PetscInt");

enum { COLUMNS = 3, SIMPLICIAL_COLUMNS = 4 }; /* ours; the columns that CHOLMOD's simplicial solve handles at once */

static PetscErrorCode configure(void *half, int columns)
{
  sb_cholmod *c = half;
  PetscFunctionBeginUser;
  PetscCheck(cholmod_start(&c->common), PETSC_COMM_SELF, PETSC_ERR_LIB, "CHOLMOD does not start");
  c->started = true;
  c->columns = columns;
  c->common.print = 0;
  c->common.supernodal = CHOLMOD_AUTO;
  c->common.final_asis = columns == 1;
  c->common.final_super = 0;
  c->common.final_ll = columns == 1;
  c->common.final_pack = 1;
  c->common.final_monotonic = 1;
  c->common.final_resymbol = 1;
  PetscFunctionReturn(0);
}

/* The lower half (by CHOLMOD's columns) of a symmetric matrix, on arrays that stay PETSc's. */
static cholmod_sparse borrowed(const sb_csr *csr)
{
  const size_t n = (size_t)csr->rows;
  return (cholmod_sparse){.nrow = n,
                          .ncol = n,
                          .nzmax = (size_t)csr->start[csr->rows],
                          .p = (void *)csr->start,
                          .i = (void *)csr->column,
                          .x = (void *)csr->value,
                          .stype = -1,
                          .itype = CHOLMOD_INT,
                          .xtype = CHOLMOD_REAL,
                          .dtype = CHOLMOD_DOUBLE,
                          .sorted = 1,
                          .packed = 1};
}

static void release_factors(sb_cholmod *c)
{
  cholmod_free_factor(&c->symbolic, &c->common);
  cholmod_free_factor(&c->factor, &c->common);
  cholmod_free_dense(&c->work_y, &c->common);
  cholmod_free_dense(&c->work_e, &c->common);
  free(c->by_columns);
  free(c->diagonal);
  c->by_columns = NULL;
  c->diagonal = NULL;
}

/* The position of each row's diagonal entry in the values, -1: absent. */
static PetscErrorCode find_diagonal(sb_cholmod *c, const sb_csr *csr)
{
  PetscFunctionBeginUser;
  c->diagonal = calloc((size_t)csr->rows + 1, sizeof *c->diagonal);
  PetscCheck(c->diagonal, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for a diagonal of %d rows", (int)csr->rows);
  for (PetscInt row = 0; row < csr->rows; ++row) {
    c->diagonal[row] = -1;
    for (PetscInt k = csr->start[row]; k < csr->start[row + 1]; ++k)
      if (csr->column[k] == row) c->diagonal[row] = k;
  }
  PetscFunctionReturn(0);
}

/* Faults that no other matrix of this pattern could mend are errors, not outcomes: no memory, or a factor beyond
 * CHOLMOD's integers. */
static PetscErrorCode check_size(const sb_cholmod *c, size_t rows)
{
  PetscFunctionBeginUser;
  PetscCheck(c->common.status != CHOLMOD_OUT_OF_MEMORY, PETSC_COMM_SELF, PETSC_ERR_MEM,
             "CHOLMOD ran out of memory with a matrix of %zu rows", rows);
  PetscCheck(c->common.status != CHOLMOD_TOO_LARGE, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "the factor of a matrix of %zu rows has more than 2^31 - 1 entries, too many for CHOLMOD; an iterative "
             "linear=petsc needs no factor [E215]",
             rows);
  PetscFunctionReturn(0);
}

static PetscErrorCode analyze(void *half, Mat A)
{
  sb_cholmod *c = half;
  sb_csr      csr;

  PetscFunctionBeginUser;
  release_factors(c);
  PetscCall(sb_csr_open(A, &csr));
  cholmod_sparse  view = borrowed(&csr);
  cholmod_factor *symbolic = cholmod_analyze(&view, &c->common);
  PetscCall(find_diagonal(c, &csr));
  PetscCall(sb_csr_close(A, &csr));
  PetscCall(check_size(c, view.nrow));
  PetscCheck(symbolic, PETSC_COMM_SELF, PETSC_ERR_LIB,
             "CHOLMOD cannot analyse a matrix of %zu rows: it reports error %d", view.nrow, c->common.status);
  c->nonzeros = c->common.lnz;
  c->flops = c->common.fl;
  if (c->columns == 1) {
    c->factor = symbolic;
  } else {
    c->symbolic = symbolic;
    c->by_columns = calloc(2 * COLUMNS * view.nrow, sizeof *c->by_columns);
    PetscCheck(c->by_columns, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for three columns");
  }
  PetscFunctionReturn(0);
}

/* The factor's values, with the zeros that supernodes have, and 4 bytes of index per nonzero if it is simplicial.
 * CHOLMOD's working memory during factorisation is not included. */
static sb_factor_forecast predict(const void *half)
{
  const sb_cholmod     *c = half;
  const cholmod_factor *L = c->columns == 1 ? c->factor : c->symbolic;
  const double          reals = L->is_super && (double)L->xsize > c->nonzeros ? (double)L->xsize : c->nonzeros;
  return (sb_factor_forecast){sizeof(double) * reals + (L->is_super ? 0 : sizeof(int) * c->nonzeros), c->flops};
}

/* True if a simplicial L D L^T has a negative or zero pivot: by Sylvester's law, A is then not positive definite. */
static bool has_bad_pivot(const cholmod_factor *L)
{
  if (L->is_super || L->is_ll) return false;
  const int    *start = L->p;
  const double *value = L->x;
  for (size_t j = 0; j < L->n; ++j) {
    if (!(value[start[j]] > 0.0)) return true;
  }
  return false;
}

/* The pivot of column j of P A P^T. */
static double pivot(const cholmod_factor *L, size_t j)
{
  const double value = ((const double *)L->x)[((const int *)L->p)[j]];
  return L->is_ll ? value * value : value;
}

static bool is_lost(const sb_cholmod *c, const sb_csr *csr, size_t j, double pivot)
{
  const PetscInt at = c->diagonal[((const int *)c->factor->Perm)[j]];
  return at < 0 || !(pivot >= SB_PIVOT_RATIO_MIN * csr->value[at]) || pivot < DBL_MIN;
}

static bool has_lost_pivot(const sb_cholmod *c, const sb_csr *csr)
{
  const cholmod_factor *L = c->factor;
  const int            *super = L->super, *row_start = L->pi, *value_start = L->px;
  for (size_t j = 0; !L->is_super && j < L->n; ++j)
    if (is_lost(c, csr, j, pivot(L, j))) return true;
  for (size_t s = 0; L->is_super && s < L->nsuper; ++s) {
    const double *block = (const double *)L->x + value_start[s];
    const size_t  rows = (size_t)(row_start[s + 1] - row_start[s]), columns = (size_t)(super[s + 1] - super[s]);
    for (size_t k = 0; k < columns; ++k)
      if (is_lost(c, csr, (size_t)super[s] + k, block[k * rows + k] * block[k * rows + k])) return true;
  }
  return false;
}

static sb_outcome examine(const sb_cholmod *c, const sb_csr *csr, int status, const char **reason)
{
  if (status < CHOLMOD_OK) {
    *reason = "CHOLMOD reported an error";
    return SB_FAILED;
  }
  if (status == CHOLMOD_NOT_POSDEF || c->factor->minor < c->factor->n || has_bad_pivot(c->factor)) {
    *reason = "a pivot of the factorisation is not positive";
    return SB_NOT_SPD;
  }
  if (has_lost_pivot(c, csr)) {
    *reason = "a pivot of the factorisation is only rounding error of its row";
    return SB_SINGULAR;
  }
  return SB_SOLVED;
}

/* The factorisation for three columns ends in another form than its analysis, so it starts from a copy of that. */
static void renew_factor(sb_cholmod *c)
{
  if (c->columns == 1) return;
  cholmod_free_factor(&c->factor, &c->common);
  c->factor = cholmod_copy_factor(c->symbolic, &c->common);
}

static PetscErrorCode factorize(void *half, Mat A, sb_outcome *outcome, sb_factor_facts *facts)
{
  sb_cholmod *c = half;
  sb_csr      csr;

  PetscFunctionBeginUser;
  renew_factor(c);
  PetscCheck(c->factor, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for a factor");
  PetscCall(sb_csr_open(A, &csr));
  cholmod_sparse view = borrowed(&csr);
  cholmod_factorize(&view, c->factor, &c->common);
  PetscCall(check_size(c, view.nrow));
  *outcome = examine(c, &csr, c->common.status, &facts->reason);
  PetscCall(sb_csr_close(A, &csr));
  facts->nonzeros_factor = c->nonzeros;
  facts->flops_factor = c->flops;
  PetscFunctionReturn(0);
}

static cholmod_dense dense(size_t rows, size_t columns, const double *values)
{
  return (cholmod_dense){.nrow = rows,
                         .ncol = columns,
                         .nzmax = rows * columns,
                         .d = rows,
                         .x = (void *)values,
                         .xtype = CHOLMOD_REAL,
                         .dtype = CHOLMOD_DOUBLE};
}

/* A simplicial solve leaves its workspace in the shape of the current columns and would allocate it again, so the shape
 * of its allocation is restored. */
static void restore_workspace(cholmod_dense *work, const cholmod_factor *L)
{
  if (!work || L->is_super || work->nzmax != SIMPLICIAL_COLUMNS * L->n) return;
  work->nrow = work->d = SIMPLICIAL_COLUMNS;
  work->ncol = L->n;
}

/* x = A^-1 b on column-major arrays. CHOLMOD writes into x, whose header has the shape it would allocate. */
static PetscErrorCode solve_dense(sb_cholmod *c, size_t columns, const double *b, double *x, sb_solve_report *report)
{
  cholmod_dense  rhs = dense(c->factor->n, columns, b);
  cholmod_dense  solution = dense(c->factor->n, columns, x);
  cholmod_dense *target = &solution;

  PetscFunctionBeginUser;
  restore_workspace(c->work_y, c->factor);
  const int done = cholmod_solve2(CHOLMOD_A, c->factor, &rhs, NULL, &target, NULL, &c->work_y, &c->work_e, &c->common);
  PetscCheck(done || c->common.status != CHOLMOD_OUT_OF_MEMORY, PETSC_COMM_SELF, PETSC_ERR_MEM,
             "CHOLMOD ran out of memory in a solve of %d rows", (int)rhs.nrow);
  report->outcome = done ? SB_SOLVED : SB_FAILED;
  report->reason = done ? "solved by a factorisation" : "CHOLMOD reported an error in a solve";
  PetscFunctionReturn(0);
}

static PetscErrorCode solve(void *half, Vec b, Vec x, sb_solve_report *report)
{
  sb_cholmod        *c = half;
  const PetscScalar *rhs;
  PetscScalar       *solution;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(b, &rhs));
  PetscCall(VecGetArrayWrite(x, &solution));
  PetscCall(solve_dense(c, 1, rhs, solution, report));
  PetscCall(VecRestoreArrayWrite(x, &solution));
  PetscCall(VecRestoreArrayRead(b, &rhs));
  PetscFunctionReturn(0);
}

static void split(size_t rows, const double *restrict interleaved, double *restrict by_columns)
{
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < COLUMNS; ++j) by_columns[j * rows + i] = interleaved[COLUMNS * i + j];
  }
}

static void interleave(size_t rows, const double *restrict by_columns, double *restrict interleaved)
{
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < COLUMNS; ++j) interleaved[COLUMNS * i + j] = by_columns[j * rows + i];
  }
}

static PetscErrorCode solve_columns(void *half, Vec b, Vec x, sb_solve_report *report)
{
  sb_cholmod        *c = half;
  const size_t       rows = c->factor->n;
  double            *rhs_columns = c->by_columns, *solution_columns = c->by_columns + COLUMNS * rows;
  const PetscScalar *rhs;
  PetscScalar       *solution;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(b, &rhs));
  split(rows, rhs, rhs_columns);
  PetscCall(VecRestoreArrayRead(b, &rhs));
  PetscCall(solve_dense(c, COLUMNS, rhs_columns, solution_columns, report));
  PetscCall(VecGetArrayWrite(x, &solution));
  interleave(rows, solution_columns, solution);
  PetscCall(VecRestoreArrayWrite(x, &solution));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *half)
{
  sb_cholmod *c = half;
  PetscFunctionBeginUser;
  if (!c->started) PetscFunctionReturn(0);
  release_factors(c);
  cholmod_finish(&c->common);
  c->started = false;
  PetscFunctionReturn(0);
}

const sb_direct_half sb_cholmod_half = {
    .configure = configure,
    .analyze = analyze,
    .predict = predict,
    .factorize = factorize,
    .solve = solve,
    .solve_columns = solve_columns,
    .destroy = destroy,
};
