/* The blocks of springs' Hessians and their sum into the rows of a matrix, for several instruction sets: equal bits on
 * all. Local.
 *
 *   H_s = k u u^T + k c (I - u u^T),   c = 1 - l/r,   u = d/r, d = x_i - x_j, r = |d|
 *
 * has the eigenvalues k once and k c twice. Where c is negative (the spring is compressed) it is multiplied by
 * `negative`: 1 leaves the Hessian exact, 0 projects it to be positive semi-definite, what is between blends the two. A
 * spring of length 0 gives k I/3 (exactly, it is not differentiable); one of rest length 0 is linear: k I at any
 * length.
 */
#pragma once

#include "base/instruction_set.h"
#include "model/system/pattern.h"

typedef struct {
  const sb_springs *springs;
  const sb_pattern *pattern;
  const PetscInt   *vertex;   /* [rows] of each row */
  const double     *position; /* [owned + ghosts][3] */
  const double     *mass;     /* [owned] */
  const double     *more;     /* [owned][SB_UPPER] of diagonal blocks; NULL: nothing */
  double            negative, mass_scale;
  int               threads; /* at most so many, which share springs, then rows: the same bits from any number */
} sb_assembly_input;

typedef struct {
  /* block[.][s] = -H_s, for at most SB_RUN springs from `first` on. */
  void (*blocks)(const sb_springs *springs, int first, double negative, const double *restrict position,
                 sb_blocks block);
  /* All values of a matrix of the pattern, in its two parts: mass_scale M + sum H_s + more. Row by row: every line of
   * the cache is fetched once, which in a matrix that has left the cache is what takes the time. */
  void (*assemble)(const sb_assembly_input *input, double *const value[2]);
} sb_assembly;

SB_DECLARE_TABLES(sb_assembly, sb_assembly);
