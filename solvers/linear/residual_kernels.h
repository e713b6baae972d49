/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The arithmetic of residual.c on plain arrays, compiled for several instruction sets. Local; allocates nothing. */
#pragma once

#include "base/instruction_set.h"
#include "solvers/linear/csr.h"

typedef struct {
  double residual_largest, x_largest;         /* maxima, which ignore NaN */
  double residual_squares, b_squares, poison; /* sums; poison is NaN if some x is not finite */
} sb_residual_sums;

typedef struct {
  /* Largest magnitude; INFINITY if some value is not finite. */
  double (*magnitude)(const double *value, PetscInt count);
  /* image = A x, rows of three columns each */
  void (*product_of_three)(const sb_csr *A, const double *x, double *image);
  /* Sums for r = b - image; entries are multiplied by `scale` and squared. */
  sb_residual_sums (*sums)(const double *b, const double *x, const double *image, double scale, PetscInt count);
} sb_residual_kernels;

/* By instruction set; they differ in rounding. */
SB_DECLARE_TABLES(sb_residual_kernels, sb_residual);
