/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A matrix with its rows, or its vertices of three rows, ordered by the colours of its graph (colouring.h), for passes
 * of successive over-relaxation. With A = D + L + U in that order, from x,
 *
 *     forward:   (D/omega + L) (x+ - x) = b - A x    (1 <= omega < 2 over-relaxes; 1: Gauss-Seidel)
 *     symmetric: forward, then backward with U in place of L
 *
 * The values of one colour depend only on other colours, so the order inside a colour does not matter. From x = 0 the
 * symmetric pass is a symmetric map of b, positive definite if A's diagonal is (Saad 2003, section 4.1).
 *
 * One rank only: several would have to exchange ghosts after each colour. */
#pragma once

#include <petscmat.h>
#include <stdbool.h>

typedef struct {
  int       block; /* rows per vertex, 1 or 3 */
  PetscInt  vertices, colours;
  PetscInt *order;          /* [vertices] the vertex at each place */
  PetscInt *start, *column; /* of positions in the order: [vertices + 1], [start[vertices]]; no diagonal */
  PetscInt *slot;           /* position in `value` of each entry of the matrix, in the matrix's order */
  double   *value;          /* [start[vertices] + vertices][block][block] column-major: entries, then diagonals */
  double   *b, *x;          /* [vertices][4] right-hand side and iterate during a pass */
} sb_coloured;

typedef struct {
  double   omega; /* in (0, 2) */
  bool     symmetric;
  PetscInt count;
} sb_sweeps;

/* Sets the pattern of a SeqAIJ matrix; rows must be a multiple of `block`. Destroy accepts a zeroed struct. Local. */
PetscErrorCode sb_coloured_create(Mat A, int block, sb_coloured *coloured);
PetscErrorCode sb_coloured_destroy(sb_coloured *coloured);
/* Sets values of the same pattern. *singular: a diagonal block is singular. Local. */
PetscErrorCode sb_coloured_factor(sb_coloured *coloured, Mat A, bool *singular);
/* Makes `sweeps` passes from x; b and x have `columns` interleaved values per row: 1, or 3 with block 1. Allocates
 * nothing. Local. */
PetscErrorCode sb_coloured_sweep(sb_coloured *coloured, const sb_sweeps *sweeps, int columns, Vec b, Vec x);
