/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inverses of diagonal blocks; see block_diagonal.h. */
#include "solvers/linear/block_diagonal.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "solvers/linear/csr.h"

#define PIVOT_MIN (4.0 * DBL_EPSILON) /* of a diagonal block, relative to its largest entry */

PetscErrorCode sb_vertex_rows(Mat A, int columns, int *block)
{
  PetscInt size;

  PetscFunctionBeginUser;
  PetscCall(MatGetBlockSize(A, &size));
  *block = columns == 1 && size == SB_VERTEX ? SB_VERTEX : 1;
  PetscFunctionReturn(0);
}

/* The diagonal block that starts at `first`, [block][block] row-major. */
static void read_block(const sb_csr *csr, PetscInt first, int block, double *D)
{
  for (int i = 0; i < block * block; ++i) D[i] = 0.0;
  for (PetscInt row = first; row < first + block; ++row) {
    for (PetscInt k = csr->start[row]; k < csr->start[row + 1]; ++k) {
      const PetscInt column = csr->column[k] - first;
      if (column >= 0 && column < block) D[(row - first) * block + column] = csr->value[k];
    }
  }
}

/* Row `to` of the n by n pair [D | E] minus `factor` times row `from`. */
static void subtract_row(int n, int to, int from, double factor, double *D, double *E)
{
  for (int j = 0; j < n; ++j) {
    D[to * n + j] -= factor * D[from * n + j];
    E[to * n + j] -= factor * E[from * n + j];
  }
}

static void swap_rows(int n, int a, int b, double *D)
{
  for (int j = 0; j < n; ++j) {
    const double kept = D[a * n + j];
    D[a * n + j] = D[b * n + j];
    D[b * n + j] = kept;
  }
}

bool sb_block_invert(int n, double *D)
{
  double E[SB_VERTEX * SB_VERTEX] = {0.0}, largest = 0.0;
  for (int i = 0; i < n * n; ++i) largest = fmax(largest, fabs(D[i]));
  for (int i = 0; i < n; ++i) E[i * n + i] = 1.0;
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i) pivot = fabs(D[i * n + k]) > fabs(D[pivot * n + k]) ? i : pivot;
    swap_rows(n, k, pivot, D);
    swap_rows(n, k, pivot, E);
    if (!(fabs(D[k * n + k]) >= fmax(DBL_MIN, PIVOT_MIN * largest))) return false;
    for (int i = 0; i < n; ++i) {
      if (i != k) subtract_row(n, i, k, D[i * n + k] / D[k * n + k], D, E);
    }
  }
  for (int i = 0; i < n * n; ++i) E[i] /= D[i / n * n + i / n];
  for (int i = 0; i < n * n; ++i) D[i] = E[i];
  return true;
}

PetscErrorCode sb_block_diagonal_create(Mat A, int block, sb_block_diagonal *diagonal)
{
  PetscFunctionBeginUser;
  diagonal->block = block;
  PetscCall(MatGetLocalSize(A, &diagonal->rows, NULL));
  PetscCheck(diagonal->rows % block == 0, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "diagonal blocks of 3 need whole vertices on each rank, not %d rows", (int)diagonal->rows);
  diagonal->inverse = calloc((size_t)diagonal->rows * (size_t)block + 1, sizeof *diagonal->inverse);
  PetscCheck(diagonal->inverse, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for %d diagonal blocks",
             (int)diagonal->rows);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_block_diagonal_destroy(sb_block_diagonal *diagonal)
{
  PetscFunctionBeginUser;
  free(diagonal->inverse);
  diagonal->inverse = NULL;
  PetscFunctionReturn(0);
}

PetscErrorCode sb_block_diagonal_factor(sb_block_diagonal *diagonal, Mat A, bool *singular)
{
  const int   block = diagonal->block;
  Mat         part, off_part;
  sb_csr      csr;
  PetscMPIInt found = 0;

  PetscFunctionBeginUser;
  PetscCall(sb_csr_parts(A, &part, &off_part));
  PetscCall(sb_csr_open(part, &csr));
  for (PetscInt row = 0; row < diagonal->rows; row += block) {
    double *D = diagonal->inverse + row * block;
    read_block(&csr, row, block, D);
    if (!sb_block_invert(block, D)) found = 1;
  }
  PetscCall(sb_csr_close(part, &csr));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &found, 1, MPI_INT, MPI_MAX, PetscObjectComm((PetscObject)A)));
  *singular = found != 0;
  PetscFunctionReturn(0);
}

PetscErrorCode sb_block_diagonal_apply(const sb_block_diagonal *diagonal, int columns, Vec r, Vec z)
{
  const int     block = diagonal->block;
  const double *in;
  double       *out;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(r, &in));
  PetscCall(VecGetArrayWrite(z, &out));
  for (PetscInt i = 0; i < diagonal->rows; ++i) {
    const double *row = diagonal->inverse + block * i, *part = in + (i - i % block) * columns;
    for (int c = 0; c < columns; ++c) {
      double sum = 0;
      for (int j = 0; j < block; ++j) sum += row[j] * part[j * columns + c];
      out[i * columns + c] = sum;
    }
  }
  PetscCall(VecRestoreArrayWrite(z, &out));
  PetscCall(VecRestoreArrayRead(r, &in));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_block_diagonal_precondition(void *diagonal, Vec r, Vec z)
{
  PetscFunctionBeginUser;
  PetscCall(sb_block_diagonal_apply(diagonal, 1, r, z));
  PetscFunctionReturn(0);
}
