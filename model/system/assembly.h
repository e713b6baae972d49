/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The blocks of springs' Hessians and their sum into the rows of a matrix, for several instruction sets with equal
 * bits. Local.
 *
 *     H_s = k u u^T + k c (I - u u^T), c = 1 - l/r, u = d/r, d = x_i - x_j, r = |d|
 *
 * has the eigenvalues k once and k c twice. A negative c (the spring is compressed) is multiplied by `negative`: 1
 * leaves the Hessian exact, 0 projects it to be positive semi-definite, values between blend the two. A spring of
 * length 0, where H_s is not defined, gives k I/3; a spring of rest length 0 is linear: k I at any length. */
#pragma once

#include "base/instruction_set.h"
#include "model/system/pattern.h"

typedef struct {
  const sb_springs *springs;
  const sb_pattern *pattern;
  const PetscInt   *vertex;   /* [rows] vertex of each row */
  const double     *position; /* [owned + ghosts][3] */
  const double     *mass;     /* [owned] */
  const double     *more;     /* [owned][SB_UPPER] added to the diagonal blocks; NULL: nothing */
  double            negative, mass_scale;
  int               threads; /* largest number of threads, which share springs, then rows; the bits do not depend on it
                              */
} sb_assembly_input;

typedef struct {
  /* block[.][s] = -H_s, for at most SB_RUN springs from `first` on. */
  void (*blocks)(const sb_springs *springs, int first, double negative, const double *restrict position,
                 sb_blocks block);
  /* Writes all values of a matrix of the pattern, in its two parts: mass_scale M + sum H_s + more. It goes row by row,
   * so that every cache line is fetched once: memory traffic dominates if the matrix is not in cache. */
  void (*assemble)(const sb_assembly_input *input, double *const value[2]);
} sb_assembly;

SB_DECLARE_TABLES(sb_assembly, sb_assembly);
