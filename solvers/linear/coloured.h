/* A matrix with its rows, or its vertices of three rows, ordered by the colours of its graph (colouring.h), for sweeps
 * of successive over-relaxation: with A = D + L + U in that order, from x
 *
 *     forward:   (D/omega + L) (x+ - x) = b - A x        (1 <= omega < 2 over-relaxes; 1: Gauss-Seidel)
 *     symmetric: forward, then backward with U in L's place
 *
 * The values of one colour depend on other colours alone, so the order inside a colour does not matter. From x = 0 the
 * symmetric sweep is a symmetric map of b, positive definite where A's diagonal is (Saad 2003, section 4.1).
 *
 * One rank: the ghosts of several would have to be exchanged after each colour. */
#pragma once

#include <petscmat.h>
#include <stdbool.h>

typedef struct {
  int       block; /* rows of a vertex, 1 or 3 */
  PetscInt  vertices, colours;
  PetscInt *order;          /* [vertices] the vertex at each place */
  PetscInt *start, *column; /* of places: [vertices + 1], [start[vertices]]; no diagonal */
  PetscInt *slot;           /* where in `value` each entry of the matrix goes, in its own order */
  double   *value;          /* [start[vertices] + vertices][block][block] column-major: entries, then diagonals */
  double   *b, *x;          /* [vertices][4] right-hand side and iterate while a sweep runs */
} sb_coloured;

typedef struct {
  double   omega; /* in (0, 2) */
  bool     symmetric;
  PetscInt count;
} sb_sweeps;

/* The pattern of a SeqAIJ matrix; rows must be a multiple of `block`. Destroy accepts what is zeroed. Local. */
PetscErrorCode sb_coloured_create(Mat A, int block, sb_coloured *coloured);
PetscErrorCode sb_coloured_destroy(sb_coloured *coloured);
/* Values of the same pattern. *singular: some diagonal block is. Local. */
PetscErrorCode sb_coloured_factor(sb_coloured *coloured, Mat A, bool *singular);
/* Some sweeps from x; b and x have `columns` interleaved values a row: 1, or 3 with block 1. Allocates nothing. Local.
 */
PetscErrorCode sb_coloured_sweep(sb_coloured *coloured, const sb_sweeps *sweeps, int columns, Vec b, Vec x);
