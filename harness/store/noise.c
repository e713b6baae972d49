/* The noise of a machine judged; see noise.h. Limits are those of docs/robustness/timings.md. */
#include "harness/store/noise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/order_statistics.h"
#include "base/profile.h"

static const double calibration_limit = 1.05, switches_limit = 1, steal_limit = 0.005, halves_limit = 1.03,
                    waited_limit = 0.02;
enum { CALIBRATION_ROUNDS = 300000 };

/* A round of Marsaglia's xorshift. */
static uint64_t shuffled(uint64_t x)
{
  x ^= x << 13;
  x ^= x >> 7;
  return x ^ x << 17;
}

double sb_noise_calibrate(void)
{
  static const uint64_t seed = UINT64_C(88172645463325252);
  const double          started = sb_clock_seconds();
  uint64_t              a = seed, b = seed + 1, c = seed + 2, d = seed + 3;
  /* In each stream a round needs the one before; four streams are as much as a core can do at once. One alone leaves
   * most of the core idle, and does not notice who uses the rest of it: a neighbour on a sibling thread, which a
   * virtual machine cannot see, slowed steps by 30 % and one stream by 3 %. */
  for (int i = 0; i < CALIBRATION_ROUNDS; ++i) {
    a = shuffled(a);
    b = shuffled(b);
    c = shuffled(c);
    d = shuffled(d);
    /* Values in registers: the loop is neither left out nor made one of vectors, which would be one stream again. */
    __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
  }
  return sb_clock_seconds() - started;
}

static double switches_rate(const sb_noise_figures *f) { return (double)f->switches / (10 * f->window_seconds); }

/* P(N >= n) for N Poisson with this mean. */
static double poisson_tail(int64_t n, double mean)
{
  double term = exp(-mean), below = 0;
  for (int64_t k = 0; k < n; ++k) {
    below += term;
    term *= mean / (double)(k + 1);
  }
  return 1 - below;
}

/* More often than the limit, and not by chance: in a window of 10 ms one switch is no rate of 10. */
static bool switches_too_often(const sb_noise_figures *f)
{
  if (!(f->window_seconds > 0) || !(switches_rate(f) > switches_limit)) return false;
  const double expected = switches_limit * 10 * f->window_seconds;
  return expected > 500 || poisson_tail(f->switches, expected) < 0.01;
}

double sb_noise_steal(const sb_noise_figures *f)
{
  return f->steal_ticks > 1 ? (double)(f->steal_ticks - 1) * f->tick_seconds / f->window_seconds : 0;
}

static double calibration_ratio(const sb_noise_figures *f)
{
  return f->calibrations > 0 ? f->calibration_median_s / f->calibration_fast_s : 1;
}

static double halves_change(const sb_noise_figures *f)
{
  return f->halves_ratio >= 1 ? f->halves_ratio : 1 / f->halves_ratio;
}

unsigned sb_noise_judge(const sb_noise_figures *f)
{
  unsigned broken = 0;
  if (calibration_ratio(f) > calibration_limit) broken |= SB_NOISE_CALIBRATION;
  if (switches_too_often(f)) broken |= SB_NOISE_SWITCHES;
  if (sb_noise_steal(f) > steal_limit) broken |= SB_NOISE_STEAL;
  if (f->halves_apart && halves_change(f) > halves_limit) broken |= SB_NOISE_HALVES;
  if (f->waited_seconds > waited_limit * f->window_seconds) broken |= SB_NOISE_WAITED;
  return broken;
}

static void say(char words[SB_NOISE_WORDS], const char *format, double value)
{
  const size_t length = strlen(words);
  const char  *separator = length > 0 ? "; " : "";
  char         rule[SB_NOISE_WORDS];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  snprintf(rule, sizeof rule, format, value);
#pragma GCC diagnostic pop
  if (length + strlen(separator) + strlen(rule) < SB_NOISE_WORDS) {
    strcat(words, separator);
    strcat(words, rule);
  }
}

const char *sb_noise_words(const sb_noise_figures *f, char words[SB_NOISE_WORDS])
{
  const unsigned broken = sb_noise_judge(f);
  words[0] = '\0';
  if (broken & SB_NOISE_WAITED) say(words, "waited %.3g %% for its core", 100 * f->waited_seconds / f->window_seconds);
  if (broken & SB_NOISE_SWITCHES) say(words, "%.3g switches per 100 ms", switches_rate(f));
  if (broken & SB_NOISE_STEAL) say(words, "steal %.2g %%", 100 * sb_noise_steal(f));
  if (broken & SB_NOISE_CALIBRATION) say(words, "calibration %.3g times a quiet one", calibration_ratio(f));
  if (broken & SB_NOISE_HALVES) say(words, "halves differ %+.2g %%", 100 * (f->halves_ratio - 1));
  return words;
}

static int compare_work(const void *a, const void *b)
{
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* The most frequent work among the steps that know theirs; 0: none does. */
static uint64_t usual_work(size_t count, const sb_timed_step *steps)
{
  uint64_t *work = sb_allocate(count, sizeof *work), usual = 0;
  size_t    longest = 0, run = 0;
  for (size_t i = 0; i < count; ++i) work[i] = steps[i].work;
  qsort(work, count, sizeof *work, compare_work);
  for (size_t i = 0; i < count; ++i) {
    run = i > 0 && work[i] == work[i - 1] ? run + 1 : 1;
    if (work[i] == 0 || run <= longest) continue;
    longest = run;
    usual = work[i];
  }
  free(work);
  return usual;
}

/* The costs that can be compared, in the order of the steps. */
static size_t comparable(size_t count, const sb_timed_step *steps, const double *quiet, double *cost)
{
  const uint64_t usual = quiet ? 0 : usual_work(count, steps);
  size_t         kept = 0;
  for (size_t i = 0; i < count; ++i) {
    const double unit = quiet ? quiet[i] : usual != 0 && steps[i].work == usual ? 1 : NAN;
    if (unit > 0 && steps[i].seconds > 0) cost[kept++] = steps[i].seconds / unit;
  }
  return kept;
}

/* A ratio of two medians, nearer to 1 by what calibrations of the same times changed; never beyond 1, and never away
 * from it: calibrations have an error of their own. No more than what the rule for calibrations lets pass: beyond, it
 * is a neighbour that came or went. */
static double without_clock(double ratio, double clock)
{
  if (ratio > 1 && clock > 1) return fmax(1, ratio / fmin(clock, calibration_limit));
  if (ratio < 1 && clock < 1 && clock > 0) return fmin(1, ratio / fmax(clock, 1 / calibration_limit));
  return ratio;
}

void sb_noise_halves(size_t count, const sb_timed_step *steps, const double *quiet, sb_noise_figures *figures)
{
  figures->halves_ratio = NAN;
  figures->halves_apart = false;
  if (count == 0) return;
  double      *cost = sb_allocate(count, sizeof *cost);
  const size_t kept = comparable(count, steps, quiet, cost), half = kept / 2;
  if (half >= SB_INTERVAL_VALUES) {
    double *later = cost + (kept - half);
    sb_sort(cost, half);
    sb_sort(later, half);
    const sb_median a = sb_median_interval(cost, half), b = sb_median_interval(later, half);
    figures->halves_ratio = without_clock(b.value / a.value, figures->clock_ratio);
    figures->halves_apart = a.high < b.low || b.high < a.low;
  }
  free(cost);
}
