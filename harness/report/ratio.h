/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ratio of two medians, B's time over A's, and its interval. Pure; Local. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SB_RESAMPLES = 2000, SB_SAMPLES_NEEDED = 5 /* of each side, for an interval */ };

typedef struct {
  double  seconds;
  int32_t repetition; /* the run of the case */
} sb_timing;

/* Timings of one case. Values that are not finite or not above 0 are left out. */
typedef struct {
  size_t     count;
  sb_timing *each; /* [count] */
} sb_timings;

typedef struct {
  bool   known, bounded;   /* there is a ratio; and an interval */
  double ratio, low, high; /* of the medians, B/A; 95 % */
  double median[2];        /* seconds; NAN if absent */
  size_t used[2], repetitions[2];
} sb_ratio;

/* The ratio B/A of the medians. `deviations` [SB_RESAMPLES] (may be NULL) gets the deviation of the logarithm of the
 * ratio in each resample; zeros if there is no interval. Equal arguments give equal results. */
sb_ratio sb_ratio_of_medians(const sb_timings *a, const sb_timings *b, uint64_t seed, double *deviations);

/* Student's t at 97.5 %, for `freedom` >= 1 degrees of freedom, to 1 %. */
double sb_student_quantile(double freedom);

/* The geometric mean of ratios, which are added one by one; zeroed before. The cases are taken as fixed, not as a
 * sample. Unknown ratios do not count. The mean has an interval only if all others have one. */
typedef struct {
  size_t known, bounded;
  double logarithms, deviations[SB_RESAMPLES];
} sb_ratio_sum;

void sb_ratio_add(sb_ratio_sum *sum, const sb_ratio *ratio, const double *deviations);
/* Ends the sum. used[] is the number of ratios. */
sb_ratio sb_ratio_mean(sb_ratio_sum *sum);
