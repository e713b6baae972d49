/* Medians, quantiles, and the interval of a median that needs no assumption on the distribution. Pure; Local. */
#pragma once

#include <stddef.h>

typedef struct {
  /* NAN where there are too few values: of less than six no interval, the whole range of five covers 93.75 % */
  double value, low, high;
} sb_median;

/* Ascending, in place. */
void sb_sort(double *values, size_t count);
/* Of ascending values, by linear interpolation between them (type 7 of Hyndman and Fan 1996); NAN of none. */
double sb_quantile(const double *sorted, size_t count, double q);
/* The median of ascending values, and the order statistics x(k), x(n+1-k) with the largest k for which they enclose the
 * distribution's median with at least 95 %: P(k <= B <= n-k) with B binomial (n, 1/2) (David, Nagaraja: Order
 * Statistics, 7.1). */
sb_median sb_median_interval(const double *sorted, size_t count);
/* The larger distance of an interval's ends from its median, relative to it; NAN where there is no interval. */
double sb_median_half_width(const sb_median *median);
