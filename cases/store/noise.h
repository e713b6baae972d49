/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Noise of the machine while a case is timed: measured by calibrations between the timed regions and by counters of the
 * kernel, and judged by the rules of docs/robustness.md. Local; no PETSc. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

typedef enum {
  SB_NOISE_CALIBRATION = 1, /* a fixed loop's median is more than 1.05 of its time on a quiet machine */
  SB_NOISE_SWITCHES = 2,    /* taken off its core more often than once per 100 ms */
  SB_NOISE_STEAL = 4,       /* the host took more than 0.5 % of the core */
  /* 8 was a rule that no longer exists; files have it */
  SB_NOISE_WAITED = 16 /* ready to run, but without a core for more than 2 % of the time */
} sb_noise_rule;

/* The figures of one timed attempt at a case. NAN, or 0 for counts: unknown. */
typedef struct {
  double  window_seconds; /* from the first calibration to the last */
  int64_t calibrations;
  double  calibration_median_s;
  double  calibration_fast_s; /* on a quiet machine: the first decile of this attempt and earlier ones, or less */
  int64_t switches;           /* involuntary */
  int64_t steal_ticks;        /* of the core with the largest loss */
  double  tick_seconds;       /* of /proc/stat */
  double  waited_seconds;     /* ready, but not running */
} sb_noise_figures;

enum { SB_NOISE_WORDS = 160 };

/* Returns the broken rules, SB_NOISE_… joined; 0: quiet. words: each with its value: "waited 33 % for its core; …". */
unsigned sb_noise_judge(const sb_noise_figures *figures, char words[SB_NOISE_WORDS]);
/* A lower bound of the share of the window that the host took: a tick may include an earlier loss. */
double sb_noise_steal(const sb_noise_figures *figures);

/* Runs the calibration loop of about 1 ms: the same integer instructions in all units of the core. Gives its seconds.
 */
double sb_noise_calibrate(void);

/* Counters of the kernel. */
typedef struct {
  int64_t switches;
  double  waited_seconds;
  int64_t steal_ticks[1024]; /* by core; -1: not one of our cores */
} sb_noise_counts;

/* Watching costs at most about 5 % of the time beyond ten calibrations, none of it in a timed region. Ten, because 10
 * ms of work is more than one time slice of the scheduler if two processes want the core. */
typedef struct {
  sb_arena       *arena;
  double          started_seconds, last_seconds; /* 0: not watching; end of the last calibration */
  sb_noise_counts counts;                        /* at the start */
  size_t          count;                         /* calibrations so far */
  double         *seconds;                       /* [count], in the arena */
} sb_noise_watch;

void sb_noise_watch_begin(sb_noise_watch *watch, sb_arena *arena);
/* Between two timed regions: calibrates if it is time to; true if it did. */
bool sb_noise_watch_between(sb_noise_watch *watch);
/* Calibrates now. */
void sb_noise_watch_calibrate(sb_noise_watch *watch);
/* Calibrates up to the minimum number and fills the figures. `earlier` [earlier_count]: of earlier attempts. */
void sb_noise_watch_end(sb_noise_watch *watch, size_t earlier_count, const double *earlier, sb_noise_figures *figures);
