/* The noise of a machine watched and judged; see noise.h. Limits are those of docs/robustness/timings.md.
 *
 * The kernel counts for us: getrusage (switches that the process did not ask for), /proc/self/schedstat (nanoseconds
 * that it was ready but waited for a core; proc(5)), /proc/stat (ticks that the hypervisor gave to others, by core). */
#include "harness/store/noise.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
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
  CORES = sizeof((sb_noise_watch *)0)->steal_ticks / sizeof(int64_t)
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

unsigned sb_noise_judge(const sb_noise_figures *f)
{
  unsigned broken = 0;
  if (calibration_ratio(f) > calibration_limit) broken |= SB_NOISE_CALIBRATION;
  if (switches_too_often(f)) broken |= SB_NOISE_SWITCHES;
  if (sb_noise_steal(f) > steal_limit) broken |= SB_NOISE_STEAL;
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
  return words;
}

void sb_steal_ticks(int64_t *ticks, size_t cores)
{
  cpu_set_t mine;
  char      line[512];
  CPU_ZERO(&mine);
  const bool known = sched_getaffinity(0, sizeof mine, &mine) == 0;
  for (size_t i = 0; i < cores; ++i) ticks[i] = -1;
  FILE *file = fopen("/proc/stat", "re");
  while (file && fgets(line, sizeof line, file)) {
    unsigned  core;
    long long steal;
    if (sscanf(line, "cpu%u %*s %*s %*s %*s %*s %*s %*s %lld", &core, &steal) != 2) continue;
    if (core < cores && (!known || (core < CPU_SETSIZE && CPU_ISSET(core, &mine)))) ticks[core] = steal;
  }
  if (file) fclose(file);
}

static double waited(void)
{
  long long  ran, waiting;
  FILE      *file = fopen("/proc/self/schedstat", "re");
  const bool known = file && fscanf(file, "%lld %lld", &ran, &waiting) == 2;
  if (file) fclose(file);
  return known ? 1e-9 * (double)waiting : NAN;
}

static int64_t switches(void)
{
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? (int64_t)usage.ru_nivcsw : 0;
}

void sb_noise_watch_calibrate(sb_noise_watch *w)
{
  w->seconds = sb_arena_grow(w->arena, w->seconds, w->count, sizeof *w->seconds);
  w->seconds[w->count++] = sb_noise_calibrate();
  w->last_seconds = sb_clock_seconds();
}

void sb_noise_watch_begin(sb_noise_watch *w, sb_arena *arena)
{
  *w = (sb_noise_watch){.arena = arena};
  sb_noise_calibrate(); /* brings its instructions in */
  w->started_seconds = sb_clock_seconds();
  w->switches = switches();
  w->waited_seconds = waited();
  sb_steal_ticks(w->steal_ticks, CORES);
  for (int i = 0; i < LEAST_CALIBRATIONS / 2; ++i) sb_noise_watch_calibrate(w);
}

/* Every 20 calibrations' time, and ever more rarely in a long case: not more than some hundreds in an hour. */
bool sb_noise_watch_between(sb_noise_watch *w)
{
  if (w->started_seconds <= 0) return false;
  const double now = sb_clock_seconds(), spacing = 20 * fmin(w->seconds[0], w->seconds[w->count - 1]);
  const double rare = (now - w->started_seconds) / 100;
  if (now - w->last_seconds < fmax(spacing, rare)) return false;
  sb_noise_watch_calibrate(w);
  return true;
}

static int64_t most_stolen(const sb_noise_watch *w)
{
  int64_t now[CORES], most = 0;
  sb_steal_ticks(now, CORES);
  for (size_t i = 0; i < CORES; ++i)
    if (now[i] >= 0 && w->steal_ticks[i] >= 0 && now[i] - w->steal_ticks[i] > most) most = now[i] - w->steal_ticks[i];
  return most;
}

void sb_noise_watch_end(sb_noise_watch *w, size_t earlier_count, const double *earlier, sb_noise_figures *figures)
{
  while (w->count < LEAST_CALIBRATIONS) sb_noise_watch_calibrate(w);
  double *sorted = sb_allocate(w->count + earlier_count, sizeof *sorted);
  memcpy(sorted, w->seconds, w->count * sizeof *sorted);
  sb_sort(sorted, w->count);
  const double median = sb_quantile(sorted, w->count, 0.5);
  if (earlier_count > 0) memcpy(sorted + w->count, earlier, earlier_count * sizeof *sorted);
  sb_sort(sorted, w->count + earlier_count);
  *figures = (sb_noise_figures){.window_seconds = sb_clock_seconds() - w->started_seconds,
                                .calibrations = (int64_t)w->count,
                                .calibration_median_s = median,
                                .calibration_fast_s = sb_quantile(sorted, w->count + earlier_count, 0.1),
                                .switches = switches() - w->switches,
                                .steal_ticks = most_stolen(w),
                                .tick_seconds = 1 / (double)sysconf(_SC_CLK_TCK),
                                .waited_seconds = waited() - w->waited_seconds};
  free(sorted);
}
