/* Whether a machine was quiet while a case was timed: figures in, verdict out. Pure but for the calibration loop;
 * Local; no PETSc.
 *
 * The rules and why they read as they do: docs/robustness/timings.md. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
  SB_NOISE_CALIBRATION = 1, /* a fixed loop's median is more than 1.05 of what it takes when quiet */
  SB_NOISE_SWITCHES = 2,    /* taken off its core more often than once per 100 ms */
  SB_NOISE_STEAL = 4,       /* the host took more than 0.5 % of the core */
  SB_NOISE_HALVES = 8,      /* the halves' medians differ by more than 3 % */
  SB_NOISE_WAITED = 16      /* ready to run, more than 2 % of the time without a core */
} sb_noise_rule;

/* What was seen while one attempt at a case was timed. NAN, or 0 where a count is meant: not known. */
typedef struct {
  double  window_seconds; /* from the first calibration to the last */
  int64_t calibrations;
  double  calibration_median_s;
  double  calibration_fast_s; /* of a quiet machine: the first decile of this attempt and those before it, or less */
  int64_t switches;           /* involuntary */
  int64_t steal_ticks;        /* of the core that lost most */
  double  tick_seconds;       /* of /proc/stat */
  double  waited_seconds;     /* ready, but not running */
  double  clock_ratio;        /* median of the later half of this attempt's calibrations over the earlier half's */
  double  halves_ratio;       /* later half's median over the earlier's, without what the clock changed */
  bool    halves_apart;       /* their 95 % intervals do not meet */
} sb_noise_figures;

enum { SB_NOISE_WORDS = 160 };

/* The rules that are broken, SB_NOISE_… joined; 0: quiet. */
unsigned sb_noise_judge(const sb_noise_figures *figures);
/* Each broken rule with its value: "waited 33 % for its core (limit 2 %); …"; "" when quiet. Into words. */
const char *sb_noise_words(const sb_noise_figures *figures, char words[SB_NOISE_WORDS]);
/* The share of the window that the host took for certain: a tick may be the rest of an earlier loss. */
double sb_noise_steal(const sb_noise_figures *figures);

/* One timed step: seconds, and what tells its work from that of others. */
typedef struct {
  int64_t  step;
  double   seconds;
  uint64_t work; /* equal work, equal number; 0: not known */
} sb_timed_step;

/* halves_ratio and halves_apart over steps in their order; clock_ratio is taken out of the former as far as it explains
 * it, by at most 5 %, never beyond 1. With `quiet` [count] (may be NULL), the seconds of the same
 * steps in quiet attempts at the same case (NAN: none), each step is taken relative to that, which removes what its
 * work changes; else only the steps of the most frequent work count. Left unknown where too few can be compared. */
void sb_noise_halves(size_t count, const sb_timed_step *steps, const double *quiet, sb_noise_figures *figures);

/* Runs the calibration loop: the same integer instructions in registers each time, as many as the core does at once,
 * some 1 ms. Its seconds. */
double sb_noise_calibrate(void);
