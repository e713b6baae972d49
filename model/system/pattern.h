/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The positions of springs' values in the matrices of a system: for matrix.c and barrier_matrix.c. Local.
 *
 * The block pattern has a row for every owned unknown vertex. The row has a column for the vertex itself and, unless it
 * is replaced (pin_method row_replace or constraint_force), for every unknown vertex that a spring joins it to. On one
 * rank the pattern is the matrix. On several, PETSc stores the columns of owned vertices and the others as two matrices
 * ("parts"), each with its own rows; columns ascend in both. */
#pragma once

#include "model/system/system.h"

/* The contribution of a spring to a row: a block of 3x3 values that begins at `start`, and its negative on the
 * diagonal. */
typedef struct {
  int      spring;
  int      part;  /* 0 own columns, 1 others, -1: the other vertex is not an unknown of the row */
  PetscInt start; /* in the part's array of values */
} sb_addend;

typedef struct {
  PetscInt first;     /* index into `addend`; those of a row ascend by spring */
  PetscInt diagonal;  /* start of its diagonal block in part 0 */
  int      stride[2]; /* of each part, from one row of values to the next */
} sb_row;

enum { SB_UPPER = 6 }; /* numbers in the upper triangle of a block: xx xy xz yy yz zz */
enum { SB_RUN = 64 };  /* springs whose blocks are computed together */

typedef double sb_blocks[SB_UPPER][SB_RUN];

typedef struct sb_pattern {
  PetscInt  rows;
  PetscInt *row_start; /* [rows + 1] into column */
  PetscInt *column;    /* global numbers among unknowns, ascending in every row */
  /* NULL until sb_pattern_place */
  sb_row    *row; /* [rows + 1], the last one only ends the list of addends */
  sb_addend *addend;
  sb_blocks *block; /* [springs/SB_RUN, rounded up] scratch of the assembly */
  double    *more;  /* [owned][SB_UPPER] scratch, if there is contact: its addition to diagonal blocks */
} sb_pattern;

/* The pattern of a system, created at the first call: its columns, which are all that a scalar matrix needs. */
PetscErrorCode sb_pattern_get(sb_system *system, const sb_pattern **pattern);
/* The same with the places of springs' values, computed at the first call. */
PetscErrorCode sb_pattern_place(sb_system *system, const sb_pattern **pattern);
PetscErrorCode sb_pattern_destroy(sb_pattern **pattern);
/* This rank's row to which springs at a local vertex contribute. -1 for a row of another rank, and for a pinned vertex
 * that is not an unknown or whose row is replaced. */
PetscInt sb_pattern_row(const sb_system *system, PetscInt vertex);
/* Index in the list of columns of the entry (row, column). */
PetscInt sb_pattern_find(const sb_pattern *pattern, PetscInt row, PetscInt column);
/* A matrix of zeros with a 3x3 block in every entry of this rank's rows; columns ascend in each. */
PetscErrorCode sb_pattern_create_matrix(const sb_system *system, const PetscInt *block_start,
                                        const PetscInt *block_column, Mat *matrix);
