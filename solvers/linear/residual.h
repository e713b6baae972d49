/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The front's own knowledge of a system: facts of the matrix, and the true residual. */
#pragma once

#include <petscmat.h>
#include <stdbool.h>

/* Facts of a matrix, computed in one pass over its values. */
typedef struct {
  double norm_inf;  /* |A|_inf, the largest row sum of magnitudes */
  bool   finite;    /* no NaN, no Inf */
  bool   empty_row; /* a row is entirely zero: singular */
} sb_matrix_facts;

/* Collective. */
PetscErrorCode sb_matrix_inspect(Mat A, sb_matrix_facts *facts);

/* The linear map of a system: A itself, or for three interleaved columns A (x) I_3, which shares A's values and follows
 * their changes. The caller destroys it. Collective. */
PetscErrorCode sb_product_create(Mat A, int columns, Mat *product);

/* *largest = |b|_inf; *finite: every entry is finite. Collective. */
PetscErrorCode sb_magnitude(Vec b, double *largest, bool *finite);

typedef struct {
  double scaled;   /* |b - A x|_inf / (|A|_inf |x|_inf + |b|_inf) */
  double relative; /* |b - A x|_2 / |b|_2 */
  bool   finite;   /* of x and of b - A x */
} sb_residual;

typedef struct {
  double norm_inf;  /* |A|_inf */
  double magnitude; /* |b|_inf > 0 */
} sb_residual_scale;

/* Computes the residual of x; `work` (with the shape of b) has A x afterwards. Entries are divided by the magnitude
 * before they are squared, so that squares neither overflow nor vanish. One product, one pass, one reduction; allocates
 * nothing. Collective. */
PetscErrorCode sb_residual_measure(Mat product, sb_residual_scale scale, Vec b, Vec x, Vec work, sb_residual *residual);
