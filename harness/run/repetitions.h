/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The repetitions of the cases of a timed sweep: until a median is known, against the clock of a quiet machine; and a
 * small case that is timed repeatedly for the noise floor. Local; no PETSc. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "harness/sweep/plan.h"

enum {
  SB_REPETITIONS_AUTO = -1,
  SB_AUTO_LEAST = 5,
  SB_AUTO_MOST = 30,
  SB_NOISY_REPEATS = 2,      /* further attempts at a case if some were noisy */
  SB_CALIBRATIONS_KEPT = 20, /* the latest: a processor that is warm now has no faster clock */
  SB_FLOOR_TIMINGS = 7       /* if they are cheap */
};

/* True if a case must run again after `attempts` attempts. `asked` is a number, or SB_REPETITIONS_AUTO: at least 5,
 * until the interval of the median is within 2 %, at most 30. `timing` is the summary of all attempts in its latest row
 * ("quiet", without a flag; "half_width", relative). It is NULL if the case measures no times or is not watched; then
 * only attempts count. Noisy attempts do not count, but cause at most two more. Pure. */
bool sb_wants_repetition(int asked, int attempts, const json_t *timing);

/* The largest time, in seconds, of all attempts of a sweep that replace noisy ones: a quarter of what the attempts that
 * were asked for took so far, and two seconds at least. Pure. */
double sb_replacing_limit(double asked_seconds);

/* The time of the calibration loop on this machine without disturbance, from the attempts of a sweep so far: a case
 * that is always disturbed cannot measure it itself. */
typedef struct {
  size_t count;                         /* ever added */
  double seconds[SB_CALIBRATIONS_KEPT]; /* first deciles of attempts, the oldest overwritten */
} sb_calibrations;

/* Adds the row of an attempt; NULL, and rows of cases that measure no times, add nothing. */
void sb_calibrations_add(sb_calibrations *calibrations, const json_t *row);
/* The first decile, in seconds; 0: unknown. */
double sb_calibrations_quiet(const sb_calibrations *calibrations);

/* One small case of a timed sweep is timed at even intervals while the sweep runs. Differences in the sweep that are
 * smaller than the spread of its medians are noise. */
typedef struct {
  const sb_planned_case *planned; /* NULL: it is not timed */
  bool                   runs;    /* now */
  size_t                 done;
  double                 spent_seconds;
} sb_floor;

/* True if the next timing is due: the first at the start, the last at the end, as long as all of them take less than 3
 * % of the sweep or a few seconds. `done` of `total` processes have ended after `elapsed_seconds`. Pure. */
bool sb_floor_is_due(const sb_floor *floor, size_t done, size_t total, double elapsed_seconds);
/* The best case for the floor, by its work: vertices × steps × largest number of iterations. NULL if there is no case
 * to run. */
const sb_planned_case *sb_floor_choose(const sb_plan *plan);
/* True if a case with this work is a better floor than one with `other`: the smallest that is not too short. Pure. */
bool sb_floor_suits_better(double work, double other);
