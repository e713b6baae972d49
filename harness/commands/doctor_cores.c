/* Each core on its own: the calibration loop of timed cases for a while, judged by their rules; see doctor.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/allocate.h"
#include "base/profile.h"
#include "harness/commands/doctor.h"
#include "harness/store/noise.h"

enum { ALL_SECONDS = 32 };

static double waited_share(const sb_noise_figures *f)
{
  return isfinite(f->waited_seconds) ? f->waited_seconds / f->window_seconds : 0;
}

static void watch_core(double seconds, sb_noise_figures *figures)
{
  sb_noise_watch watch;
  sb_arena      *arena = sb_arena_create();
  sb_noise_watch_begin(&watch, arena);
  while (sb_clock_seconds() - watch.started_seconds < seconds) sb_noise_watch_calibrate(&watch);
  sb_noise_watch_end(&watch, 0, NULL, figures);
  sb_arena_destroy(&arena);
}

static void say_core(sb_checkup *c, size_t core, const sb_noise_figures *f)
{
  char name[32], words[SB_NOISE_WORDS];
  snprintf(name, sizeof name, "core %zu", core);
  sb_noise_words(f, words);
  if (*words)
    sb_checkup_say(c, SB_DOUBTFUL, name, "end other programs, or keep them off the cores that measure (taskset)",
                   "noisy: %s", words);
  else
    sb_checkup_say(c, SB_FINE, name, NULL,
                   "quiet: a loop of %.2f ms, median %.3f of its fast tenth; waited %.2f %%, steal %.2f %%, %.2g "
                   "switches per 100 ms",
                   1e3 * f->calibration_fast_s, f->calibration_median_s / f->calibration_fast_s, 100 * waited_share(f),
                   100 * sb_noise_steal(f), (double)f->switches / (10 * f->window_seconds));
}

void sb_checkup_cores(sb_checkup *c, double seconds)
{
  cpu_set_t mine, one;
  if (sched_getaffinity(0, sizeof mine, &mine) != 0) {
    sb_checkup_say(c, SB_DOUBTFUL, "cores", NULL, "which of them may be used cannot be told");
    return;
  }
  const double each = fmin(seconds, (double)ALL_SECONDS / CPU_COUNT(&mine));
  for (size_t core = 0; core < CPU_SETSIZE; ++core) {
    sb_noise_figures figures;
    if (!CPU_ISSET(core, &mine)) continue;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) continue;
    watch_core(each, &figures);
    say_core(c, core, &figures);
  }
  sched_setaffinity(0, sizeof mine, &mine);
}
