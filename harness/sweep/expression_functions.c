/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions of expressions over all values of a column, or two curves. */
#include <math.h>
#include <stdint.h>

#include "base/allocate.h"
#include "base/order_statistics.h"
#include "harness/sweep/expression_tree.h"

/* slope(y, x) of the least-squares line, sum (x - x̄)(y - ȳ) / sum (x - x̄)²; NAN if all x are equal, whose mean may be
 * another by rounding. */
static double slope(const double *y, const double *x, size_t rows)
{
  double x_mean = 0, y_mean = 0, xx = 0, xy = 0;
  bool   differ = false;
  for (size_t i = 0; i < rows; ++i) {
    x_mean += x[i];
    y_mean += y[i];
    differ = differ || x[i] != x[0];
  }
  x_mean /= (double)rows;
  y_mean /= (double)rows;
  for (size_t i = 0; i < rows; ++i) {
    xx += (x[i] - x_mean) * (x[i] - x_mean);
    xy += (x[i] - x_mean) * (y[i] - y_mean);
  }
  return differ && xx > 0 ? xy / xx : NAN;
}

/* Places in ascending order from 1, of equal values their mean. */
static void rank(const double *values, size_t count, double *ranks)
{
  for (size_t i = 0; i < count; ++i) {
    size_t below = 0, equal = 0;
    for (size_t k = 0; k < count; ++k) {
      below += values[k] < values[i];
      equal += values[k] == values[i];
    }
    ranks[i] = (double)below + 0.5 * ((double)equal + 1);
  }
}

/* Spearman's, which is the slope between ranks where both have the same variance; with ties they have not. */
static double rank_correlation(const double *y, const double *x, size_t rows)
{
  SB_OWNED double *of_y = sb_allocate(rows, sizeof *of_y), *of_x = sb_allocate(rows, sizeof *of_x);
  rank(y, rows, of_y);
  rank(x, rows, of_x);
  const double there = slope(of_y, of_x, rows), back = slope(of_x, of_y, rows);
  return isnan(there + back) ? NAN : copysign(sqrt(there * back), there);
}

/* The function of the pairs without a missing value, which come first then. */
static double of_pairs(const sb_function *f, double *y, double *x, size_t rows)
{
  size_t known = 0;
  for (size_t i = 0; i < rows; ++i) {
    if (isnan(x[i] + y[i])) continue;
    y[known] = y[i];
    x[known++] = x[i];
  }
  return f->kind == SB_SLOPE ? slope(y, x, known) : rank_correlation(y, x, known);
}

double sb_function_of_numbers(const sb_function *f, double *numbers, size_t count)
{
  double sum = 0, least = NAN, most = NAN;
  for (size_t i = 0; i < count; ++i) {
    sum += numbers[i];
    least = fmin(least, numbers[i]);
    most = fmax(most, numbers[i]);
  }
  switch (f->kind) {
  case SB_LEAST:
    return least;
  case SB_GREATEST:
    return most;
  case SB_MEAN:
    return sum / (double)count;
  case SB_COUNT:
    return (double)count;
  case SB_SLOPE:
  case SB_RANK_CORRELATION:
    return of_pairs(f, numbers, numbers + count / 2, count / 2);
  default: /* a median or a quartile */
    sb_sort(numbers, count);
    return sb_quantile(numbers, count, f->kind == SB_LOWER_QUARTILE ? 0.25 : f->kind == SB_UPPER_QUARTILE ? 0.75 : 0.5);
  }
}

/* Values below this part of a curve's first value are rounding. */
static const double rounding = 1e-12;

static bool is_drawn(const sb_curve_columns *c, size_t i) { return c->x[i] > 0 && c->y[i] > rounding * c->y[0]; }

/* log y of a polyline in (log x, log y) at x; above everything outside of it. */
static double height_at(const sb_curve_columns *c, double x)
{
  size_t last = SIZE_MAX;
  for (size_t i = 0; i < c->count; ++i) {
    if (!is_drawn(c, i)) continue;
    if (last != SIZE_MAX && c->x[last] <= x && x <= c->x[i]) {
      const double width = log(c->x[i] / c->x[last]), part = width > 0 ? log(x / c->x[last]) / width : 0;
      return log(c->y[last]) + part * log(c->y[i] / c->y[last]);
    }
    last = i;
  }
  return INFINITY;
}

double sb_curves_crossing(const sb_curve_columns curves[2], bool height)
{
  const sb_curve_columns *a = &curves[0];
  double                  crossing = NAN;
  bool                    below = false;
  for (size_t i = 0; i < a->count; ++i) {
    if (!is_drawn(a, i)) continue;
    const bool here = log(a->y[i]) < height_at(&curves[1], a->x[i]);
    if (below && !here) crossing = height ? a->y[i] : a->x[i];
    below = here;
  }
  return crossing;
}
