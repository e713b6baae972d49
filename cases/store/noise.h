/* Was the machine quiet while a case was timed? It is watched, by calibrations between the timed regions and by what
 * the kernel counts, and judged by the rules of docs/robustness/timings.md. Local; no PETSc. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

typedef enum {
  SB_NOISE_CALIBRATION = 1, /* a fixed loop's median is more than 1.05 of what it takes when quiet */
  SB_NOISE_SWITCHES = 2,    /* taken off its core more often than once per 100 ms */
  SB_NOISE_STEAL = 4,       /* the host took more than 0.5 % of the core */
  /* 8 was a rule that is no more; files have it */
  SB_NOISE_WAITED = 16 /* ready to run, more than 2 % of the time without a core */
} sb_noise_rule;

/* The figures seen while one attempt at a case was timed. NAN, or 0 where a count is meant: not known. */
typedef struct {
  double  window_seconds; /* from the first calibration to the last */
  int64_t calibrations;
  double  calibration_median_s;
  double  calibration_fast_s; /* of a quiet machine: the first decile of this attempt and those before it, or less */
  int64_t switches;           /* involuntary */
  int64_t steal_ticks;        /* of the core that lost most */
  double  tick_seconds;       /* of /proc/stat */
  double  waited_seconds;     /* ready, but not running */
} sb_noise_figures;

enum { SB_NOISE_WORDS = 160 };

/* The rules that are broken, SB_NOISE_… joined; 0: quiet. Into words, each with its value: "waited 33 % for its core;
 * …", "" when quiet. */
unsigned sb_noise_judge(const sb_noise_figures *figures, char words[SB_NOISE_WORDS]);
/* The share of the window that the host took for certain: a tick may be the rest of an earlier loss. */
double sb_noise_steal(const sb_noise_figures *figures);

/* Runs the calibration loop: the same integer instructions in registers each time, as many as the core does at once,
 * some 1 ms. Its seconds. */
double sb_noise_calibrate(void);

/* What the kernel counts. */
typedef struct {
  int64_t switches;
  double  waited_seconds;
  int64_t steal_ticks[1024]; /* by core; -1: not one of ours */
} sb_noise_counts;

/* Watching costs at most some 5 % of the time beyond ten calibrations, nothing of it in a timed region. Ten, because
 * 10 ms of work are more than the scheduler grants at a stretch to one of two that want the core. */
typedef struct {
  sb_arena       *arena;
  double          started_seconds, last_seconds; /* 0: it is not watching; end of the last calibration */
  sb_noise_counts counts;                        /* at the start */
  size_t          count;                         /* calibrations so far */
  double         *seconds;                       /* [count], in the arena */
} sb_noise_watch;

void sb_noise_watch_begin(sb_noise_watch *watch, sb_arena *arena);
/* Between two timed regions: calibrates when it is time to; true when it did. */
bool sb_noise_watch_between(sb_noise_watch *watch);
/* Calibrates now. */
void sb_noise_watch_calibrate(sb_noise_watch *watch);
/* Calibrates up to the least number and fills what was seen. `earlier` [earlier_count]: calibrations of earlier
 * attempts. */
void sb_noise_watch_end(sb_noise_watch *watch, size_t earlier_count, const double *earlier, sb_noise_figures *figures);
