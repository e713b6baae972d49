/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The noise of a machine watched and judged; see noise.h. Limits are those of docs/robustness.md.
 *
 * The kernel counts for us: getrusage (switches that the process did not ask for), /proc/self/schedstat (nanoseconds
 * that it was ready but waited for a core; proc(5)), /proc/stat (ticks that the hypervisor gave to others, by core). */
#include "cases/store/noise.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/allocate.h"
#include "base/order_statistics.h"
#include "base/profile.h"

static const double calibration_limit = 1.05, switches_limit = 1, steal_limit = 0.005, waited_limit = 0.02;
enum {
  CALIBRATION_ROUNDS = 300000,
  LEAST_CALIBRATIONS = 10,
  CORES = sizeof((sb_noise_counts *)0)->steal_ticks / sizeof(int64_t)
};

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
  /* In each stream a round needs the one before; four streams fill a core. A single one leaves most of the core idle,
   * and is not slowed by processes that use the rest: a neighbour on a sibling thread, which a virtual machine cannot
   * see, slowed steps by 30 % and one stream by 3 %. */
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

/* More often than the limit, and not by chance: in a window of 10 ms one switch is not a rate of 10. */
static bool switches_too_often(const sb_noise_figures *f)
{
  const double expected = switches_limit * 10 * f->window_seconds;
  double       term = exp(-expected), below = 0;
  if (!(f->window_seconds > 0) || !(switches_rate(f) > switches_limit)) return false;
  if (expected > 500) return true;
  for (int64_t k = 0; k < f->switches; ++k) { /* P(N < switches) for N Poisson with this mean */
    below += term;
    term *= expected / (double)(k + 1);
  }
  return 1 - below < 0.01;
}

double sb_noise_steal(const sb_noise_figures *f)
{
  return f->steal_ticks > 1 ? (double)(f->steal_ticks - 1) * f->tick_seconds / f->window_seconds : 0;
}

unsigned sb_noise_judge(const sb_noise_figures *f, char words[SB_NOISE_WORDS])
{
  const double ratio = f->calibrations > 0 ? f->calibration_median_s / f->calibration_fast_s : 1;
  unsigned     broken = 0;
  FILE        *stream = sb_insist(fmemopen(words, SB_NOISE_WORDS, "w"));
  words[0] = '\0';
  if (f->waited_seconds > waited_limit * f->window_seconds) {
    fprintf(stream, "waited %.3g %% for its core", 100 * f->waited_seconds / f->window_seconds);
    broken |= SB_NOISE_WAITED;
  }
  if (switches_too_often(f)) {
    fprintf(stream, "%s%.3g switches per 100 ms", broken ? "; " : "", switches_rate(f));
    broken |= SB_NOISE_SWITCHES;
  }
  if (sb_noise_steal(f) > steal_limit) {
    fprintf(stream, "%ssteal %.2g %%", broken ? "; " : "", 100 * sb_noise_steal(f));
    broken |= SB_NOISE_STEAL;
  }
  if (ratio > calibration_limit) {
    fprintf(stream, "%scalibration %.3g times a quiet one", broken ? "; " : "", ratio);
    broken |= SB_NOISE_CALIBRATION;
  }
  fclose(stream);
  return broken;
}

/* Ticks of steal that are of cores this process may use. */
static void count(sb_noise_counts *counts)
{
  cpu_set_t     mine;
  struct rusage usage;
  unsigned      core;
  long long     ran, waited, steal;
  char          line[512];
  CPU_ZERO(&mine);
  const bool known = sched_getaffinity(0, sizeof mine, &mine) == 0;
  FILE      *own = fopen("/proc/self/schedstat", "re"), *all = fopen("/proc/stat", "re");
  counts->switches = getrusage(RUSAGE_SELF, &usage) == 0 ? (int64_t)usage.ru_nivcsw : 0;
  counts->waited_seconds = own && fscanf(own, "%lld %lld", &ran, &waited) == 2 ? 1e-9 * (double)waited : NAN;
  for (size_t i = 0; i < CORES; ++i) counts->steal_ticks[i] = -1;
  while (all && fgets(line, sizeof line, all)) {
    if (sscanf(line, "cpu%u %*s %*s %*s %*s %*s %*s %*s %lld", &core, &steal) != 2) continue;
    if (core < CORES && (!known || (core < CPU_SETSIZE && CPU_ISSET(core, &mine)))) counts->steal_ticks[core] = steal;
  }
  if (own) fclose(own);
  if (all) fclose(all);
}

void sb_noise_watch_calibrate(sb_noise_watch *w)
{
  *SB_NEW_ITEM(w->arena, w->seconds, w->count) = sb_noise_calibrate();
  w->last_seconds = sb_clock_seconds();
}

void sb_noise_watch_begin(sb_noise_watch *w, sb_arena *arena)
{
  *w = (sb_noise_watch){.arena = arena};
  sb_noise_calibrate(); /* brings its instructions in */
  w->started_seconds = sb_clock_seconds();
  count(&w->counts);
  for (int i = 0; i < LEAST_CALIBRATIONS / 2; ++i) sb_noise_watch_calibrate(w);
}

/* Every 20 calibrations' time, and ever more rarely in a long case: not more than some hundreds in an hour. */
bool sb_noise_watch_between(sb_noise_watch *w)
{
  if (w->started_seconds <= 0) return false;
  const double now = sb_clock_seconds(), spacing = 20 * fmin(w->seconds[0], w->seconds[w->count - 1]);
  if (now - w->last_seconds < fmax(spacing, (now - w->started_seconds) / 100)) return false;
  sb_noise_watch_calibrate(w);
  return true;
}

void sb_noise_watch_end(sb_noise_watch *w, size_t earlier_count, const double *earlier, sb_noise_figures *figures)
{
  sb_noise_counts now;
  int64_t         stolen = 0;
  while (w->count < LEAST_CALIBRATIONS) sb_noise_watch_calibrate(w);
  SB_OWNED double *sorted = sb_allocate(w->count + earlier_count, sizeof *sorted);
  memcpy(sorted, w->seconds, w->count * sizeof *sorted);
  sb_sort(sorted, w->count);
  const double median = sb_quantile(sorted, w->count, 0.5);
  if (earlier_count > 0) memcpy(sorted + w->count, earlier, earlier_count * sizeof *sorted);
  sb_sort(sorted, w->count + earlier_count);
  count(&now);
  for (size_t i = 0; i < CORES; ++i) {
    const int64_t before = w->counts.steal_ticks[i], after = now.steal_ticks[i];
    if (before >= 0 && after - before > stolen) stolen = after - before;
  }
  *figures = (sb_noise_figures){.window_seconds = sb_clock_seconds() - w->started_seconds,
                                .calibrations = (int64_t)w->count,
                                .calibration_median_s = median,
                                .calibration_fast_s = sb_quantile(sorted, w->count + earlier_count, 0.1),
                                .switches = now.switches - w->counts.switches,
                                .steal_ticks = stolen,
                                .tick_seconds = 1 / (double)sysconf(_SC_CLK_TCK),
                                .waited_seconds = now.waited_seconds - w->counts.waited_seconds};
}
