/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Linear systems to test solvers with, made by formulas of their own: the same matrix on any number of ranks.
 * Collective on PETSC_COMM_WORLD. */
#pragma once

#include <petscmat.h>

#include <stdbool.h>

/* n rows; `entry` gives a_ij for |i - j| <= bandwidth; zeros off the diagonal are left out of the pattern. Rows are
 * split in blocks of `block`. */
typedef double (*sb_entry_function)(const void *context, PetscInt i, PetscInt j);
PetscErrorCode sb_banded_matrix(PetscInt n, PetscInt bandwidth, PetscInt block, sb_entry_function entry,
                                const void *context, Mat *A);

/* A sheet of cells x cells squares with structural springs and one diagonal, pinned at vertices 0 and `cells`, every
 * spring stretched by the factor `stretch` (> 1), rotated by `angle` about three axes in turn. Scaled by m/h^2 = 1,
 * with ratio = h^2 k/m: block 3 has I + ratio sum of H_s/k, block 1 has I + ratio L/k. */
typedef struct {
  int    cells;
  double ratio, stretch, angle;
} sb_sheet_system;
PetscInt       sb_sheet_free(const sb_sheet_system *sheet); /* free vertices */
PetscErrorCode sb_sheet_matrix(const sb_sheet_system *sheet, PetscInt block, Mat *A);

/* Fills by global index, the same on any number of ranks. */
PetscErrorCode sb_fill(Vec v, double (*value)(PetscInt index));
double         sb_waves(PetscInt index); /* smooth, of size 1, no symmetry */
/* |x - y|_2 / |y|_2. */
PetscErrorCode sb_distance(Vec x, Vec y, double *distance);

/* Moves the entries of a vector to where an array of sb_guard_array is; the second one destroys it. */
PetscErrorCode sb_guard_vector(Vec v, double **array);
PetscErrorCode sb_guard_destroy(Vec *v, double *array);

/* A system of `columns` right-hand sides, b = A exact with exact = waves. */
typedef struct {
  Mat     A; /* destroyed with it */
  int     columns;
  bool    definite; /* passed to the solver with A; true unless changed */
  bool    guess;    /* x is a first guess; false unless changed */
  Vec     b, x, exact;
  double *guarded; /* the entries of x */
} sb_linear_problem;
PetscErrorCode sb_linear_problem_create(Mat A, int columns, sb_linear_problem *problem);
PetscErrorCode sb_linear_problem_free(sb_linear_problem *problem);
