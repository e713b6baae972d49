/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Products and sums of residuals; see residual_kernels.h. This file is compiled once for each instruction set. */
#include "solvers/linear/residual_kernels.h"

#include <float.h>
#include <math.h>

#include "base/lanes.h"

enum { WIDE = 8, PARTS = WIDE / SB_LANES };

#if SB_LANES >= 4
typedef double triple __attribute__((vector_size(32))); /* three numbers, and the number after them */

/* Memory after the last triple of an array is not read. */
SB_LANES_INLINE triple triple_at(const double *at)
{
#if SB_LANES == 8
  return _mm256_maskz_loadu_pd(7, at);
#else
  return _mm256_maskload_pd(at, _mm256_setr_epi64x(-1, -1, -1, 0));
#endif
}
#endif

static void product_of_three(const sb_csr *A, const double *x, double *image)
{
  for (PetscInt i = 0; i < A->rows; ++i) {
#if SB_LANES >= 4
    triple sum = {0};
    for (PetscInt k = A->start[i]; k < A->start[i + 1]; ++k) sum += A->value[k] * triple_at(x + 3 * (long)A->column[k]);
#else
    double sum[3] = {0};
    for (PetscInt k = A->start[i]; k < A->start[i + 1]; ++k)
      for (int c = 0; c < 3; ++c) sum[c] += A->value[k] * x[3 * (long)A->column[k] + c];
#endif
    for (int c = 0; c < 3; ++c) image[3 * (long)i + c] = sum[c];
  }
}

static double largest_of(const sb_lanes part[PARTS])
{
  double largest = 0;
  for (int p = 0; p < PARTS; ++p)
    for (int lane = 0; lane < SB_LANES; ++lane) largest = part[p][lane] > largest ? part[p][lane] : largest;
  return largest;
}

static double sum_of(const sb_lanes part[PARTS])
{
  double sum = 0;
  for (int p = 0; p < PARTS; ++p)
    for (int lane = 0; lane < SB_LANES; ++lane) sum += part[p][lane];
  return sum;
}

static double magnitude(const double *value, PetscInt count)
{
  const PetscInt whole = count / WIDE * WIDE;
  sb_lanes       largest[PARTS] = {0}, poison[PARTS] = {0};
  for (PetscInt i = 0; i < whole; i += WIDE)
    for (int p = 0; p < PARTS; ++p) {
      const sb_lanes a = sb_lanes_load(value + i + p * SB_LANES);
      largest[p] = sb_lanes_larger(sb_lanes_size(a), largest[p]);
      poison[p] += a * 0.0; /* NaN for Inf and for NaN, which comparisons do not find */
    }
  double found = largest_of(largest), spoilt = sum_of(poison);
  for (PetscInt i = whole; i < count; ++i) {
    found = fabs(value[i]) > found ? fabs(value[i]) : found;
    spoilt += value[i] * 0.0;
  }
  return isnan(spoilt) ? INFINITY : found;
}

static void add_one(sb_residual_sums *s, double b, double x, double image, double scale)
{
  const double r = b - image;
  s->residual_largest = fabs(r) > s->residual_largest ? fabs(r) : s->residual_largest;
  s->x_largest = fabs(x) > s->x_largest ? fabs(x) : s->x_largest;
  s->residual_squares += (r * scale) * (r * scale);
  s->b_squares += (b * scale) * (b * scale);
  s->poison += x * 0.0;
}

static sb_residual_sums sums(const double *b, const double *x, const double *image, double scale, PetscInt count)
{
  const PetscInt whole = count / WIDE * WIDE;
  sb_lanes       largest[PARTS] = {0}, x_largest[PARTS] = {0}, squares[PARTS] = {0}, b_squares[PARTS] = {0};
  sb_lanes       poison[PARTS] = {0};
  for (PetscInt i = 0; i < whole; i += WIDE)
    for (int p = 0; p < PARTS; ++p) {
      const PetscInt at = i + p * SB_LANES;
      const sb_lanes own = sb_lanes_load(b + at), y = sb_lanes_load(x + at), r = own - sb_lanes_load(image + at);
      largest[p] = sb_lanes_larger(sb_lanes_size(r), largest[p]);
      x_largest[p] = sb_lanes_larger(sb_lanes_size(y), x_largest[p]);
      squares[p] += (r * scale) * (r * scale);
      b_squares[p] += (own * scale) * (own * scale);
      poison[p] += y * 0.0;
    }
  sb_residual_sums s = {.residual_largest = largest_of(largest),
                        .x_largest = largest_of(x_largest),
                        .residual_squares = sum_of(squares),
                        .b_squares = sum_of(b_squares),
                        .poison = sum_of(poison)};
  for (PetscInt i = whole; i < count; ++i) add_one(&s, b[i], x[i], image[i], scale);
  return s;
}

const sb_residual_kernels SB_OF_SET(sb_residual) = {magnitude, product_of_three, sums};
