/* How long the calibration loop takes on this machine when nothing disturbs it, from the attempts of a sweep so far: a
 * case that is disturbed from its beginning to its end cannot tell by itself. For the runner; Local. */
#pragma once

#include <jansson.h>
#include <stddef.h>

/* The latest: a processor that has become warm has no quicker clock to be held to. */
enum { SB_CALIBRATIONS_KEPT = 20 };

typedef struct {
  size_t count;                         /* ever added */
  double seconds[SB_CALIBRATIONS_KEPT]; /* first deciles of attempts, the oldest overwritten */
} sb_calibrations;

/* Takes what the row of an attempt says; NULL, and rows of cases that take no times, say nothing. */
void sb_calibrations_add(sb_calibrations *calibrations, const json_t *row);
/* The first decile, in seconds; 0: nothing is known yet. */
double sb_calibrations_quiet(const sb_calibrations *calibrations);
