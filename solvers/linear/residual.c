/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recomputed residual that decides whether a solution is accepted:
 *
 *     scaled   = |b - A x|_inf / (|A|_inf |x|_inf + |b|_inf)     normwise backward error (Rigal and Gaches 1967)
 *     relative = |b - A x|_2 / |b|_2                             what iterative methods stop by
 *
 * and the one test of a matrix that finds NaN, Inf and empty rows before a backend gets them: direct solvers report
 * success on them. */
#include "solvers/linear/residual.h"

#include <float.h>
#include <math.h>

#include "solvers/linear/csr.h"
#include "solvers/linear/residual_kernels.h"

static const sb_residual_kernels *kernels(void)
{
  static const sb_residual_kernels *const tables[] = SB_TABLES(sb_residual);
  return tables[sb_instruction_set_best()];
}

enum { DEFECT_NOT_FINITE, DEFECT_EMPTY_ROW, NORM, FACT_COUNT };

/* Uses four sums, as a single one waits for each addition. */
static double row_sum(const sb_csr *csr, PetscInt row)
{
  const PetscInt end = csr->start[row + 1];
  double         sum[4] = {0.0};
  PetscInt       k = csr->start[row];
  for (; k + 4 <= end; k += 4)
    for (int i = 0; i < 4; ++i) sum[i] += fabs(csr->value[k + i]);
  for (; k < end; ++k) sum[0] += fabs(csr->value[k]);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static void inspect_rows(const sb_csr *diagonal, const sb_csr *off_diagonal, double worst[FACT_COUNT])
{
  for (PetscInt i = 0; i < diagonal->rows; ++i) {
    const double sum = row_sum(diagonal, i) + (off_diagonal ? row_sum(off_diagonal, i) : 0.0);
    if (!(sum <= DBL_MAX)) worst[DEFECT_NOT_FINITE] = 1.0;
    if (sum == 0.0) worst[DEFECT_EMPTY_ROW] = 1.0;
    if (sum > worst[NORM]) worst[NORM] = sum;
  }
}

static PetscErrorCode reduce(MPI_Comm comm, double *values, int count, MPI_Op operation)
{
  PetscMPIInt ranks;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  if (ranks > 1) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, operation, comm));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_matrix_inspect(Mat A, sb_matrix_facts *facts)
{
  Mat    part, off_part;
  sb_csr diagonal, off_diagonal;
  double worst[FACT_COUNT] = {0.0};

  PetscFunctionBeginUser;
  PetscCall(sb_csr_parts(A, &part, &off_part));
  PetscCall(sb_csr_open(part, &diagonal));
  if (off_part) PetscCall(sb_csr_open(off_part, &off_diagonal));
  inspect_rows(&diagonal, off_part ? &off_diagonal : NULL, worst);
  if (off_part) PetscCall(sb_csr_close(off_part, &off_diagonal));
  PetscCall(sb_csr_close(part, &diagonal));
  PetscCall(reduce(PetscObjectComm((PetscObject)A), worst, FACT_COUNT, MPI_MAX));
  facts->norm_inf = worst[NORM];
  facts->finite = worst[DEFECT_NOT_FINITE] == 0.0;
  facts->empty_row = worst[DEFECT_EMPTY_ROW] != 0.0;
  PetscFunctionReturn(0);
}

PetscErrorCode sb_product_create(Mat A, int columns, Mat *product)
{
  PetscFunctionBeginUser;
  if (columns == 1) {
    PetscCall(PetscObjectReference((PetscObject)A));
    *product = A;
  } else {
    PetscCall(MatCreateMAIJ(A, columns, product));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode sb_magnitude(Vec b, double *largest, bool *finite)
{
  const PetscScalar *value;
  PetscInt           count;
  double             worst;

  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(b, &count));
  PetscCall(VecGetArrayRead(b, &value));
  worst = kernels()->magnitude(value, count); /* Inf if one is not finite, so that a maximum keeps it */
  PetscCall(VecRestoreArrayRead(b, &value));
  PetscCall(reduce(PetscObjectComm((PetscObject)b), &worst, 1, MPI_MAX));
  *largest = worst;
  *finite = worst <= DBL_MAX;
  PetscFunctionReturn(0);
}

/* image = A x. PETSc multiplies three columns one by one, number by number. */
static PetscErrorCode multiply(Mat product, Vec x, Vec image)
{
  const PetscScalar *from;
  PetscScalar       *to;
  PetscBool          three;
  sb_csr             csr;
  Mat                A;

  PetscFunctionBeginUser;
  PetscCall(PetscObjectTypeCompare((PetscObject)product, MATSEQMAIJ, &three));
  if (!three) {
    PetscCall(MatMult(product, x, image));
    PetscFunctionReturn(0);
  }
  PetscCall(MatMAIJGetAIJ(product, &A));
  PetscCall(sb_csr_open(A, &csr));
  PetscCall(VecGetArrayRead(x, &from));
  PetscCall(VecGetArrayWrite(image, &to));
  kernels()->product_of_three(&csr, from, to);
  PetscCall(VecRestoreArrayWrite(image, &to));
  PetscCall(VecRestoreArrayRead(x, &from));
  PetscCall(sb_csr_close(A, &csr));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_residual_measure(Mat product, sb_residual_scale scale, Vec b, Vec x, Vec work, sb_residual *residual)
{
  const MPI_Comm     comm = PetscObjectComm((PetscObject)b);
  const PetscScalar *rhs, *solution, *image;
  PetscInt           count;

  PetscFunctionBeginUser;
  PetscCall(multiply(product, x, work));
  PetscCall(VecGetLocalSize(b, &count));
  PetscCall(VecGetArrayRead(b, &rhs));
  PetscCall(VecGetArrayRead(x, &solution));
  PetscCall(VecGetArrayRead(work, &image));
  const sb_residual_sums p = kernels()->sums(rhs, solution, image, 1.0 / fmax(scale.magnitude, DBL_MIN), count);
  PetscCall(VecRestoreArrayRead(work, &image));
  PetscCall(VecRestoreArrayRead(x, &solution));
  PetscCall(VecRestoreArrayRead(b, &rhs));
  double largest[2] = {p.residual_largest, p.x_largest};
  double sums[3] = {p.residual_squares, p.b_squares, p.poison};
  PetscCall(reduce(comm, largest, 2, MPI_MAX));
  PetscCall(reduce(comm, sums, 3, MPI_SUM));
  residual->finite = isfinite(sums[0]) && isfinite(sums[2]);
  residual->scaled = residual->finite ? largest[0] / (scale.norm_inf * largest[1] + scale.magnitude) : INFINITY;
  residual->relative = residual->finite ? sqrt(sums[0] / sums[1]) : INFINITY;
  PetscFunctionReturn(0);
}
