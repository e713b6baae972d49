/* Watching the machine while a case is timed: calibrations between the timed regions, and what the kernel counts.
 * Local; no PETSc. Costs at most some 5 % of the time beyond ten calibrations, nothing of it in a timed region. Ten,
 * because 10 ms of work are more than the scheduler grants at a stretch to one of two that want the core. */
#pragma once

#include "harness/store/noise.h"

typedef struct {
  double  started_seconds, last_seconds; /* 0: it is not watching; end of the last calibration */
  int64_t switches;                      /* at the start, as the figures below */
  double  waited_seconds;
  int64_t steal_ticks[1024]; /* by core; -1: not one of ours */
  size_t  count;             /* calibrations so far */
  double *seconds;           /* [count] */
} sb_noise_watch;

void sb_noise_watch_begin(sb_noise_watch *watch);
/* Between two timed regions: calibrates when it is time to; true when it did. */
bool sb_noise_watch_between(sb_noise_watch *watch);
/* Calibrates now. */
void sb_noise_watch_calibrate(sb_noise_watch *watch);
/* Calibrates up to the least number and fills what was seen. `earlier` [earlier_count]: calibrations of earlier
 * attempts. */
void sb_noise_watch_end(sb_noise_watch *watch, size_t earlier_count, const double *earlier, sb_noise_figures *figures);
void sb_noise_watch_clear(sb_noise_watch *watch);

/* Ticks that the host took from each core this process may use; -1 for others. */
void sb_steal_ticks(int64_t *ticks, size_t cores);
