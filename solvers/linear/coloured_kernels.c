/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Passes of successive over-relaxation; see coloured_kernels.h. This file is compiled once for each instruction set.
 *
 * Neighbouring rows have one colour, so that none waits for the previous one. */
#include "solvers/linear/coloured_kernels.h"

#include "base/lanes.h"

typedef double four __attribute__((vector_size(32), aligned(8)));

#define FOUR_AT(at) (*(const four *)(at))

static void scalars(const sb_coloured_rows *rows, double omega, bool downwards, const double *b, double *x)
{
  for (PetscInt n = 0; n < rows->vertices; ++n) {
    const PetscInt i = downwards ? rows->vertices - 1 - n : n;
    double        *own = x + 4 * (long)i;
    four           sum = FOUR_AT(b + 4 * (long)i);
    for (PetscInt k = rows->start[i]; k < rows->start[i + 1]; ++k)
      sum -= rows->value[k] * FOUR_AT(x + 4 * (long)rows->column[k]);
    *(four *)own = (1 - omega) * FOUR_AT(own) + omega * rows->inverse[i] * sum;
  }
}

/* A column of a block is read with one more number, whose products are never used. */
static void blocks(const sb_coloured_rows *rows, double omega, bool downwards, const double *b, double *x)
{
  for (PetscInt n = 0; n < rows->vertices; ++n) {
    const PetscInt i = downwards ? rows->vertices - 1 - n : n;
    const double  *inverse = rows->inverse + 9 * (long)i;
    double        *own = x + 4 * (long)i;
    four           sum = FOUR_AT(b + 4 * (long)i);
    for (PetscInt k = rows->start[i]; k < rows->start[i + 1]; ++k) {
      const double *A = rows->value + 9 * (long)k, *y = x + 4 * (long)rows->column[k];
      sum -= FOUR_AT(A) * y[0] + FOUR_AT(A + 3) * y[1] + FOUR_AT(A + 6) * y[2];
    }
    const four step = FOUR_AT(inverse) * sum[0] + FOUR_AT(inverse + 3) * sum[1] + FOUR_AT(inverse + 6) * sum[2];
    four       next = (1 - omega) * FOUR_AT(own) + omega * step;
    next[3] = 0;
    *(four *)own = next;
  }
}

const sb_coloured_kernels SB_OF_SET(sb_coloured) = {scalars, blocks};
