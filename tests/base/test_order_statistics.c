/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Medians and their intervals against values worked out by hand and by the binomial distribution. */
#include <math.h>

#include "base/order_statistics.h"
#include "base/random.h"
#include "tests/cmocka_all.h"

static void quantiles_of_small_sets(void)
{
  double values[] = {3, 1, 4, 1.5};
  sb_sort(values, 4);
  assert_true(values[0] == 1 && values[3] == 4);
  assert_true(sb_quantile(values, 4, 0.5) == 2.25);
  assert_true(sb_quantile(values, 4, 0) == 1 && sb_quantile(values, 4, 1) == 4);
  assert_true(fabs(sb_quantile(values, 4, 0.25) - 1.375) < 1e-15);
  assert_true(sb_quantile(values, 1, 0.9) == 1);
  assert_true(isnan(sb_quantile(values, 0, 0.5)));
}

/* n = 6: the range, 96.9 %; 9: x(2), x(8), 96.1 %; 20: x(6), x(15), 95.9 %; 100: x(40), x(61), 96.5 % (tables of
 * David and Nagaraja). */
static void intervals_have_the_ranks_of_the_tables(void)
{
  static const size_t ranks[][2] = {{1, 0}, {5, 0}, {6, 1}, {8, 1}, {9, 2}, {20, 6}, {30, 10}, {100, 40}};
  double              values[100];
  for (int i = 0; i < 100; ++i) values[i] = i + 1;
  for (size_t i = 0; i < sizeof ranks / sizeof *ranks; ++i) {
    const size_t    n = ranks[i][0], k = ranks[i][1];
    const sb_median m = sb_median_interval(values, n);
    assert_true(m.value == 0.5 * (double)(n + 1));
    if (k == 0)
      assert_true(isnan(m.low) && isnan(m.high) && isnan(sb_median_half_width(&m)));
    else
      assert_true(m.low == (double)k && m.high == (double)(n + 1 - k));
  }
  assert_true(isnan(sb_median_interval(values, 0).value));
}

/* At least 95 % of the intervals of 2000 samples of 15 values each contain the median of the distribution. */
static void intervals_cover_what_they_promise(void)
{
  enum { TRIALS = 2000, SIZE = 15 };
  int covered = 0;
  for (uint64_t trial = 0; trial < TRIALS; ++trial) {
    double values[SIZE];
    for (uint64_t i = 0; i < SIZE; ++i) values[i] = pow(sb_random_unit(trial, i), 3); /* skewed; its median is 1/8 */
    sb_sort(values, SIZE);
    const sb_median m = sb_median_interval(values, SIZE);
    covered += m.low <= 0.125 && 0.125 <= m.high;
  }
  assert_true(covered >= 1900 && covered < 1980);
}

static void half_width_is_relative(void)
{
  const sb_median m = {.value = 100, .low = 99, .high = 103};
  assert_true(fabs(sb_median_half_width(&m) - 0.03) < 1e-15);
}

TEST_MAIN(quantiles_of_small_sets, intervals_have_the_ranks_of_the_tables, intervals_cover_what_they_promise,
          half_width_is_relative)
