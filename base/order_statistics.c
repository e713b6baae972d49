/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Medians and their intervals; see order_statistics.h. */
#include "base/order_statistics.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void sb_sort(double *values, size_t count)
{
  if (count > 0) qsort(values, count, sizeof *values, compare);
}

double sb_quantile(const double *sorted, size_t count, double q)
{
  if (count == 0) return NAN;
  const double position = q * (double)(count - 1);
  const size_t below = (size_t)position;
  if (below + 1 >= count) return sorted[count - 1];
  return sorted[below] + (position - (double)below) * (sorted[below + 1] - sorted[below]);
}

/* The largest k with P(B < k) <= 2.5 % for B binomial (n, 1/2); 0: there is no such k. Terms are computed by their
 * logarithms, which do not underflow when 2^-n does. */
static size_t interval_rank(size_t n)
{
  const double all = lgamma((double)n + 1) - (double)n * log(2);
  double       below = 0;
  for (size_t k = 0; k < n; ++k) {
    below += exp(all - lgamma((double)k + 1) - lgamma((double)(n - k) + 1));
    if (below > 0.025) return k;
  }
  return 0;
}

sb_median sb_median_interval(const double *sorted, size_t count)
{
  const size_t k = interval_rank(count);
  return (sb_median){.value = sb_quantile(sorted, count, 0.5),
                     .low = k > 0 ? sorted[k - 1] : NAN,
                     .high = k > 0 ? sorted[count - k] : NAN};
}

double sb_median_half_width(const sb_median *median)
{
  return fmax(median->high - median->value, median->value - median->low) / median->value;
}
