/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Medians, quantiles, and a confidence interval of the median without assumptions on the distribution. Pure; Local. */
#pragma once

#include <stddef.h>

typedef struct {
  /* NAN if there are too few values: the interval needs at least six, as the range of five covers only 93.75 % */
  double value, low, high;
} sb_median;

/* Sorts ascending, in place. */
void sb_sort(double *values, size_t count);
/* Quantile of ascending values by linear interpolation (type 7 of Hyndman and Fan 1996); NAN if there are none. */
double sb_quantile(const double *sorted, size_t count, double q);
/* The median of ascending values, and the order statistics x(k), x(n+1-k) with the largest k that enclose the median of
 * the distribution with probability at least 95 %: P(k <= B <= n-k), B binomial (n, 1/2) (David, Nagaraja: Order
 * Statistics, 7.1). */
sb_median sb_median_interval(const double *sorted, size_t count);
/* The larger distance of an end of the interval from the median, relative to the median; NAN without an interval. */
double sb_median_half_width(const sb_median *median);
