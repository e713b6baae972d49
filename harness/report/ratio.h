/* The ratio of two medians, which says how many times longer B takes than A, and its interval. Pure; Local. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SB_RESAMPLES = 2000, SB_SAMPLES_NEEDED = 5 /* of each side, for an interval */ };

typedef struct {
  double  seconds;
  int32_t repetition; /* the run of the case that it comes from */
} sb_timing;

/* Timings of one case. What is not a finite number above 0 is left out. */
typedef struct {
  size_t     count;
  sb_timing *each; /* [count] */
} sb_timings;

typedef struct {
  bool   known, bounded;   /* there is a ratio; and an interval */
  double ratio, low, high; /* of the medians, B/A; 95 % */
  double median[2];        /* seconds; NAN where there is none */
  size_t used[2], repetitions[2];
} sb_ratio;

/* The ratio B/A of the medians. `deviations` [SB_RESAMPLES] (may be NULL) takes what the logarithm of the ratio strays
 * from its value in each resample; zeros when there is no interval. Equal arguments give equal results. */
sb_ratio sb_ratio_of_medians(const sb_timings *a, const sb_timings *b, uint64_t seed, double *deviations);

/* Student's t at 97.5 %, of `freedom` >= 1 degrees of freedom, to 1 %. */
double sb_student_quantile(double freedom);

/* The geometric mean of ratios, which are summed up one by one; zeroed at first. The cases are taken as they are, not
 * as a sample of others. Ratios that are not known do not count, and unless all others have an interval, the mean has
 * none. */
typedef struct {
  size_t known, bounded;
  double logarithms, deviations[SB_RESAMPLES];
} sb_ratio_sum;

void sb_ratio_add(sb_ratio_sum *sum, const sb_ratio *ratio, const double *deviations);
/* Ends the sum. used[] is the number of ratios. */
sb_ratio sb_ratio_mean(sb_ratio_sum *sum);
