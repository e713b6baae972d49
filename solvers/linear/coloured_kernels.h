/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The arithmetic of coloured.c on plain arrays, compiled for several instruction sets. Local; allocates nothing. */
#pragma once

#include <stdbool.h>

#include "base/instruction_set.h"
#include "solvers/linear/csr.h"

/* A matrix without its diagonal, in the order of a pass, and the inverse of the diagonal. */
typedef struct {
  PetscInt        vertices;
  const PetscInt *start, *column; /* [vertices + 1], [start[vertices]] */
  const double *value, *inverse; /* [start[vertices]], [vertices] scalars, or 3x3 blocks, column-major, then a double */
} sb_coloured_rows;

/* One pass x_i <- (1 - omega) x_i + omega D_i^-1 (b_i - sum_{j != i} A_ij x_j), rows upwards or downwards. b and x are
 * [vertices][4]; the last entry of x stays 0. */
typedef void sb_coloured_sweep_of(const sb_coloured_rows *rows, double omega, bool downwards, const double *b,
                                  double *x);

typedef struct {
  sb_coloured_sweep_of *scalars, *blocks; /* up to three columns of a scalar matrix; one of 3x3 blocks */
} sb_coloured_kernels;

/* By instruction set; they differ in rounding. */
SB_DECLARE_TABLES(sb_coloured_kernels, sb_coloured);
