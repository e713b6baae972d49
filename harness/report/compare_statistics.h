/* How many times longer: the ratio of two medians and how well it is known. Pure; Local. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SB_RESAMPLES = 2000, SB_SAMPLES_NEEDED = 5 /* of each side, for an interval */ };

/* Timings of one case, borrowed. What is not a finite number above 0 is left out. */
typedef struct {
  size_t         count;
  const double  *seconds;    /* [count] */
  const int32_t *repetition; /* [count] which of the case's runs it comes from */
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

/* For when samples are not at hand, only medians, quartiles and counts [2]: an interval that knows nothing of runs. */
sb_ratio sb_ratio_from_quartiles(const double median[2], const double low_quartile[2], const double high_quartile[2],
                                 const double count[2]);

/* Student's t at 97.5 %, of `freedom` >= 1 degrees of freedom, to 1 %. */
double sb_student_quantile(double freedom);

/* Geometric mean of ratios, summed up one by one; zeroed at first. The cases are taken as they are, not as a sample of
 * others; ratios that are not known do not count, and unless all others came from samples there is no interval. */
typedef struct {
  size_t known, sampled;
  double logarithms, *deviations; /* [SB_RESAMPLES] */
} sb_ratio_sum;

void sb_ratio_add(sb_ratio_sum *sum, const sb_ratio *ratio, const double *deviations);
/* The mean; used[] is the number of ratios. Frees what the sum holds. */
sb_ratio sb_ratio_mean(sb_ratio_sum *sum);
