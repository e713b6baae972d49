/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ratio of two medians: exact where it can be, and its interval holds the true ratio as often as it says. */
#include "harness/report/ratio.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "tests/cmocka_all.h"

enum { SAMPLES_MAX = 512 };

typedef struct {
  size_t    count;
  sb_timing each[SAMPLES_MAX];
} samples;

static sb_timings timings_of(samples *s) { return (sb_timings){s->count, s->each}; }

static sb_ratio ratio_of(samples *a, samples *b)
{
  const sb_timings x = timings_of(a), y = timings_of(b);
  return sb_ratio_of_medians(&x, &y, 1, NULL);
}

static void add(samples *s, int32_t repetition, double seconds)
{
  assert_true(s->count < SAMPLES_MAX);
  s->each[s->count++] = (sb_timing){seconds, repetition};
}

/* Box and Muller. */
static double normal(uint64_t seed, uint64_t *counter)
{
  const double u = 1 - sb_random_unit(seed, (*counter)++), v = sb_random_unit(seed, (*counter)++);
  return sqrt(-2 * log(u)) * cos(2 * acos(-1.0) * v);
}

typedef struct {
  int    runs, steps;
  double of_runs, of_steps; /* standard deviations of the logarithm, from run to run and from step to step */
} scatter;

static samples simulate(const scatter *how, double median, uint64_t seed)
{
  samples  s = {0};
  uint64_t counter = 0;
  for (int run = 0; run < how->runs; ++run) {
    const double level = median * exp(how->of_runs * normal(seed, &counter));
    for (int step = 0; step < how->steps; ++step) add(&s, run, level * exp(how->of_steps * normal(seed, &counter)));
  }
  return s;
}

static void test_equal_and_scaled_samples(void)
{
  samples a = {0}, b = {0}, c = {0};
  for (int i = 0; i < 9; ++i) add(&a, 0, 1 + ((i * 4) % 9)); /* 1 … 9 in another order */
  for (int i = 0; i < 9; ++i) add(&b, 0, 2 * a.each[i].seconds);
  for (int i = 0; i < 8; ++i) add(&c, 0, 1 + i); /* even: 4.5 */
  assert_true(ratio_of(&a, &b).ratio == 2 && ratio_of(&a, &b).median[0] == 5);
  assert_true(ratio_of(&a, &c).ratio == 4.5 / 5);
  const sb_ratio once = ratio_of(&a, &b), plain = ratio_of(&a, &a);
  assert_true(plain.known && plain.bounded && plain.ratio == 1 && plain.low < 1 && 1 < plain.high);
  assert_true(!(fabs(once.low - 2 * plain.low) > 1e-12) && !(fabs(once.high - 2 * plain.high) > 1e-12));
  const sb_ratio again = ratio_of(&a, &b);
  assert_true(once.low == again.low && once.high == again.high);
  /* The other way round it is the inverse; the interval is drawn anew, so only nearly. */
  const sb_ratio back = ratio_of(&b, &a);
  assert_true(back.ratio == 0.5);
  assert_true(!(fabs(log(back.low * once.high)) > 0.2));
}

static void test_what_is_no_time(void)
{
  samples      a = {0}, b = {0}, none = {0};
  const double bad[] = {NAN, INFINITY, -INFINITY, 0, -1};
  for (int i = 0; i < 9; ++i) add(&a, 0, 1 + i);
  b = a;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) add(&b, 0, bad[i]);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) add(&none, 0, bad[i]);
  const sb_ratio ratio = ratio_of(&a, &b), unknown = ratio_of(&a, &none), empty = ratio_of(&none, &none);
  assert_true(ratio.ratio == 1 && ratio.bounded);
  assert_int_equal(ratio.used[1], 9);
  assert_false(unknown.known || unknown.bounded || empty.known);
  assert_true(isnan(unknown.ratio) && isnan(unknown.median[1]) && unknown.median[0] == 5);
  samples few = {0};
  for (int i = 0; i < SB_SAMPLES_NEEDED - 1; ++i) add(&few, 0, 1 + i);
  assert_true(ratio_of(&a, &few).known && !ratio_of(&a, &few).bounded);
  add(&few, 0, 3);
  assert_true(ratio_of(&a, &few).bounded);
}

/* How often the interval holds the true ratio. */
static void test_coverage(void)
{
  static const struct {
    scatter how;
    double  least, most;
  } cases[] = {
      {{1, 40, 0, 0.05}, 0.90, 1},    /* one run: its steps are all there is */
      {{3, 15, 0, 0.05}, 0.95, 1},    /* runs alike: wider than need be */
      {{3, 15, 0.03, 0.05}, 0.90, 1}, /* runs differ; by steps alone the intervals would be too short, */
      {{5, 9, 0.03, 0.05}, 0.90, 1},  {{3, 15, 0.1, 0.05}, 0.90, 1}, /* here by far */
      {{1, 45, 0.03, 0.05}, 0, 0.75},                                /* and with one run nothing can know it */
  };
  const char *asked = getenv("SB_COVERAGE_TRIALS");
  const int   trials = asked ? atoi(asked) : 60;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const scatter *how = &cases[i].how;
    int            held = 0;
    double         width = 0;
    for (int trial = 0; trial < trials; ++trial) {
      samples a = simulate(how, 1e-3, 1000 + (uint64_t)trial), b = simulate(how, 1.1e-3, 900000 + (uint64_t)trial);
      const sb_ratio ratio = ratio_of(&a, &b);
      assert_true(ratio.used[0] == a.count && ratio.repetitions[1] == (size_t)how->runs);
      held += ratio.low <= 1.1 && 1.1 <= ratio.high;
      width += log(ratio.high / ratio.low) / trials;
    }
    print_message("%d runs of %d steps, scatter %g of runs and %g of steps: held in %.1f %% of %d, width %.3f\n",
                  how->runs, how->steps, how->of_runs, how->of_steps, 100.0 * held / trials, trials, width);
    assert_true(held >= cases[i].least * trials && held <= cases[i].most * trials);
  }
}

static void test_geometric_mean(void)
{
  samples a = simulate(&(scatter){3, 20, 0.01, 0.05}, 1e-3, 5), b = simulate(&(scatter){3, 20, 0.01, 0.05}, 2e-3, 6);
  const sb_timings x = timings_of(&a), y = timings_of(&b);
  double           deviations[SB_RESAMPLES];
  sb_ratio_sum     sum = {0};
  const sb_ratio   up = sb_ratio_of_medians(&x, &y, 1, deviations);
  sb_ratio_add(&sum, &up, deviations);
  const sb_ratio down = sb_ratio_of_medians(&y, &x, 2, deviations);
  sb_ratio_add(&sum, &down, deviations);
  sb_ratio_add(&sum, &(sb_ratio){.known = false, .ratio = NAN}, deviations);
  sb_ratio mean = sb_ratio_mean(&sum);
  assert_true(mean.known && mean.bounded && mean.used[0] == 2);
  assert_true(!(fabs(mean.ratio - 1) > 1e-14));
  assert_true(mean.low < 1 && 1 < mean.high);
  /* Two independent ones of the same scatter: √2 narrower than one. */
  assert_true(log(mean.high / mean.low) < 0.85 * log(up.high / up.low));
  assert_true(log(mean.high / mean.low) > 0.6 * log(up.high / up.low));
  sb_ratio_add(&sum, &up, deviations);
  sb_ratio_add(&sum, &(sb_ratio){.known = true, .ratio = 1.5}, deviations);
  mean = sb_ratio_mean(&sum); /* one of few samples: a mean, no interval */
  assert_true(mean.known && !mean.bounded);
  sum = (sb_ratio_sum){0};
  assert_false(sb_ratio_mean(&sum).known);
}

static int by_size(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* All steps of a run took one time. A resample of two such runs has the time of either, or half the sum: the deviations
 * are known, and so is their widening. The interval leaves out 2.5 % of them on either side.
 */
static void test_widening(void)
{
  samples a = {0}, b = {0};
  double  deviations[SB_RESAMPLES];
  for (int i = 0; i < 20; ++i) add(&a, i % 2, i % 2 ? 3 : 1);
  for (int i = 0; i < 20; ++i) add(&b, i % 2, 4);
  const sb_timings x = timings_of(&a), y = timings_of(&b);
  const sb_ratio   ratio = sb_ratio_of_medians(&x, &y, 1, deviations);
  const double     widening = sqrt(2) * 4.302653 / 1.959964;
  qsort(deviations, SB_RESAMPLES, sizeof *deviations, by_size);
  assert_true(ratio.ratio == 2 && ratio.bounded);
  ASSERT_NEAR(deviations[0], -widening * log(1.5), 1e-5);
  ASSERT_NEAR(deviations[SB_RESAMPLES - 1], widening * log(2), 1e-5);
  samples c = simulate(&(scatter){3, 20, 0.01, 0.05}, 1e-3, 5), d = simulate(&(scatter){3, 20, 0.01, 0.05}, 2e-3, 6);
  const sb_timings u = timings_of(&c), v = timings_of(&d);
  const sb_ratio   found = sb_ratio_of_medians(&u, &v, 1, deviations);
  qsort(deviations, SB_RESAMPLES, sizeof *deviations, by_size);
  const double last = SB_RESAMPLES - 1;
  ASSERT_NEAR(found.low, found.ratio * exp(deviations[(size_t)floor(0.025 * last)]), 1e-12);
  ASSERT_NEAR(found.high, found.ratio * exp(deviations[(size_t)ceil(0.975 * last)]), 1e-12);
}

/* Against a table: DLMF or any book of statistics. */
static void test_student(void)
{
  static const struct {
    double freedom, quantile;
  } table[] = {{1, 12.7062}, {2, 4.30265}, {3, 3.18245}, {4, 2.77645}, {10, 2.22814}, {1000, 1.96234}};
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i)
    assert_true(fabs(sb_student_quantile(table[i].freedom) / table[i].quantile - 1) < 0.01);
}

TEST_MAIN(test_equal_and_scaled_samples, test_what_is_no_time, test_coverage, test_geometric_mean, test_widening,
          test_student)
