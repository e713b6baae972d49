/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A matrix of two rows: from trace and determinant, exact where a method is neutral, whose eigenvalues are a pair on
 * the circle of radius sqrt(det), or meet there.
 *
 * A matrix of more rows: by Gelfand's formula, rho = lim |A^n|^(1/n), with n = 2^45 reached by squaring. Each power is
 * scaled to norm 1; the logarithms of the scales, each halved once more than the one before, add up to ln rho. */
#include "solvers/integrate/growth.h"

#include <math.h>
#include <string.h>

enum { SQUARINGS = 45 };

static double norm(int size, const double *matrix)
{
  double largest = 0;
  for (int i = 0; i < size * size; ++i) largest = fmax(largest, fabs(matrix[i]));
  return largest;
}

static void square(int size, double *matrix)
{
  double product[SB_GROWTH_SIZE_MAX * SB_GROWTH_SIZE_MAX] = {0};
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j)
      for (int k = 0; k < size; ++k) product[i * size + j] += matrix[i * size + k] * matrix[k * size + j];
  memcpy(matrix, product, (size_t)(size * size) * sizeof *matrix);
}

static double of_two(const double *m)
{
  const double half = (m[0] + m[3]) / 2, determinant = m[0] * m[3] - m[1] * m[2], square = half * half - determinant;
  return square < 0 ? sqrt(determinant) : fabs(half) + sqrt(square);
}

double sb_spectral_radius(int size, const double *matrix)
{
  if (size == 2) return of_two(matrix);
  double power[SB_GROWTH_SIZE_MAX * SB_GROWTH_SIZE_MAX], logarithm = 0, weight = 1;
  memcpy(power, matrix, (size_t)(size * size) * sizeof *power);
  for (int n = 0; n <= SQUARINGS; ++n, weight /= 2) {
    const double scale = norm(size, power);
    if (scale == 0 && n < SB_GROWTH_SIZE_MAX) return 0; /* nilpotent: A^4 at the latest */
    if (scale == 0) break;
    logarithm += weight * log(scale);
    for (int i = 0; i < size * size; ++i) power[i] /= scale;
    square(size, power);
  }
  return exp(logarithm);
}
