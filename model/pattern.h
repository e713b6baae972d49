/* Where the values of each spring go in the matrices of a system: for matrix.c and barrier_matrix.c. Local.
 *
 * The block pattern has a row for every owned unknown vertex and a column for itself and, unless its row is replaced
 * (pin_method row_replace or constraint_force), for every unknown vertex that a spring joins it to. On one rank it is
 * the matrix; on several, PETSc keeps the columns of owned vertices and the others as two matrices ("parts"), each with
 * its own rows; their columns ascend in both. */
#pragma once

#include "model/system.h"

/* A 3x3 block inside the array of values of an AIJ matrix: rows start at `start`, `start + stride`, `start + 2 stride`.
 */
typedef struct {
  PetscInt start;
  int      stride;
  int      part; /* 0 own columns, 1 others, -1 no such block on this rank */
} sb_slot;

enum { SB_UPPER = 6 }; /* numbers in the upper triangle of a block: xx xy xz yy yz zz */

typedef struct sb_pattern {
  PetscInt  rows;
  PetscInt *row_start;    /* [rows + 1] into column */
  PetscInt *column;       /* global numbers among unknowns, ascending in every row */
  PetscInt *entry;        /* [springs][2] positions in column of (first, second) and (second, first), or -1 */
  sb_slot  *slot;         /* [springs][2] the same as blocks of values */
  sb_slot  *diagonal;     /* [rows] */
  double   *diagonal_sum; /* [owned + ghosts][9] scratch: sums of diagonal blocks, also where nobody reads them */
} sb_pattern;

/* The pattern of a system, made at the first call. */
PetscErrorCode sb_pattern_get(sb_system *system, const sb_pattern **pattern);
PetscErrorCode sb_pattern_destroy(sb_pattern **pattern);
/* This rank's row that springs at a local vertex add to: -1 for another rank's, and for a pinned vertex that is no
 * unknown or whose row is replaced. */
PetscInt sb_pattern_row(const sb_system *system, PetscInt vertex);
/* Position in the list of columns of `row`'s entry in `column`. */
PetscInt sb_pattern_find(const sb_pattern *pattern, PetscInt row, PetscInt column);
/* A matrix of zeros with a 3x3 block in every entry of this rank's rows; columns ascend in each. */
PetscErrorCode sb_pattern_create_matrix(const sb_system *system, const PetscInt *block_start,
                                        const PetscInt *block_column, Mat *matrix);
