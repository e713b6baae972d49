/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inverse D^-1 of the diagonal of a matrix, or of its 3x3 diagonal blocks. */
#pragma once

#include <petscmat.h>
#include <stdbool.h>

enum { SB_VERTEX = 3 }; /* rows of a block */

typedef struct {
  int      block;   /* 1 or SB_VERTEX */
  PetscInt rows;    /* of A, on this rank */
  double  *inverse; /* [rows] 1/a_ii, or [rows/3][3][3] inverses of diagonal blocks, row-major */
} sb_block_diagonal;

/* Rows per vertex: 3 if A has blocks of 3 rows and there is one right-hand side, else 1. */
PetscErrorCode sb_vertex_rows(Mat A, int columns, int *block);

/* D <- D^-1 for n <= 3, [n][n], stored by rows or by columns, by Gauss-Jordan with row exchanges. False if D is
 * singular to working precision. Local. */
bool sb_block_invert(int n, double *D);

/* The rows on each rank must be a multiple of `block`. Destroy accepts a zeroed struct. Collective. */
PetscErrorCode sb_block_diagonal_create(Mat A, int block, sb_block_diagonal *diagonal);
PetscErrorCode sb_block_diagonal_destroy(sb_block_diagonal *diagonal);
/* *singular, the same on every rank: a block is singular. Collective. */
PetscErrorCode sb_block_diagonal_factor(sb_block_diagonal *diagonal, Mat A, bool *singular);
/* z = D^-1 r; a row has `columns` interleaved values: 1, or 3 with block 1. Local. */
PetscErrorCode sb_block_diagonal_apply(const sb_block_diagonal *diagonal, int columns, Vec r, Vec z);
/* The same for one column, as a callback of spectrum.h; `diagonal` is a const sb_block_diagonal. */
PetscErrorCode sb_block_diagonal_precondition(void *diagonal, Vec r, Vec z);
