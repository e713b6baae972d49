/* What the kernel counts, and when to calibrate; see noise_watch.h.
 *
 * Sources: getrusage (switches that the process did not ask for), /proc/self/schedstat (nanoseconds that it was ready
 * but waited for a core; proc(5)), /proc/stat (ticks that the hypervisor gave to others, by core). */
#include "harness/store/noise_watch.h"

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

enum { LEAST_CALIBRATIONS = 10, CORES = sizeof((sb_noise_watch *)0)->steal_ticks / sizeof(int64_t) };

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
  w->seconds = sb_grow(w->seconds, w->count, sizeof *w->seconds);
  w->seconds[w->count++] = sb_noise_calibrate();
  w->last_seconds = sb_clock_seconds();
}

void sb_noise_watch_begin(sb_noise_watch *w)
{
  *w = (sb_noise_watch){0};
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

/* How much slower the loop ran in the later half. Sorts each half. */
static double clock_ratio(double *seconds, size_t count)
{
  const size_t half = count / 2;
  double      *later = seconds + (count - half);
  sb_sort(seconds, half);
  sb_sort(later, half);
  return sb_quantile(later, half, 0.5) / sb_quantile(seconds, half, 0.5);
}

void sb_noise_watch_end(sb_noise_watch *w, size_t earlier_count, const double *earlier, sb_noise_figures *figures)
{
  while (w->count < LEAST_CALIBRATIONS) sb_noise_watch_calibrate(w);
  double *sorted = sb_allocate(w->count + earlier_count, sizeof *sorted);
  memcpy(sorted, w->seconds, w->count * sizeof *sorted);
  const double clock = clock_ratio(sorted, w->count);
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
                                .waited_seconds = waited() - w->waited_seconds,
                                .clock_ratio = clock,
                                .halves_ratio = NAN};
  free(sorted);
}

void sb_noise_watch_clear(sb_noise_watch *w)
{
  free(w->seconds);
  *w = (sb_noise_watch){0};
}
