/* How often and when the cases of a timed sweep run: repetitions until a median is known, a quiet clock to hold noisy
 * ones to, and a small case that is timed again and again for the noise floor. Local; no PETSc. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "harness/sweep/plan.h"

enum {
  SB_REPETITIONS_AUTO = -1,
  SB_AUTO_LEAST = 5,
  SB_AUTO_MOST = 30,
  SB_NOISY_REPEATS = 2,      /* more attempts at a case because some were noisy */
  SB_CALIBRATIONS_KEPT = 20, /* the latest: a processor that has become warm has no quicker clock to be held to */
  SB_FLOOR_TIMINGS = 7       /* where they are cheap */
};

/* True where a case is to run once more after so many attempts. `asked`: a number, or SB_REPETITIONS_AUTO: at least 5,
 * until the interval of the median is within 2 %, at most 30. `timing` is what its latest row says of all attempts
 * ("quiet", without a flag; "half_width", relative); NULL where it takes no times or nobody watches: then attempts are
 * all that counts. Noisy attempts do not count, but are made up for twice at most. Pure. */
bool sb_wants_repetition(int asked, int attempts, const json_t *timing);

/* How long the calibration loop takes on this machine when nothing disturbs it, from the attempts of a sweep so far: a
 * case that is disturbed from its beginning to its end cannot tell by itself. */
typedef struct {
  size_t count;                         /* ever added */
  double seconds[SB_CALIBRATIONS_KEPT]; /* first deciles of attempts, the oldest overwritten */
} sb_calibrations;

/* Takes the row of an attempt; NULL, and rows of cases that take no times, say nothing. */
void sb_calibrations_add(sb_calibrations *calibrations, const json_t *row);
/* The first decile, in seconds; 0: nothing is known yet. */
double sb_calibrations_quiet(const sb_calibrations *calibrations);

/* One small case of a timed sweep is timed again at even intervals while the sweep runs. No difference of the sweep
 * below those of its medians can be told from noise. */
typedef struct {
  const sb_planned_case *planned; /* NULL: it is not timed */
  bool                   runs;    /* just now */
  size_t                 done;
  double                 spent_seconds;
} sb_floor;

/* True where the next timing is due: the first at the start, the last at the end, as long as all of them take less than
 * 3 % of the sweep or a few seconds. `done` processes of `total` have ended, so many seconds after the start. Pure. */
bool sb_floor_is_due(const sb_floor *floor, size_t done, size_t total, double elapsed_seconds);
/* The case that makes the best floor, by its work: vertices × steps × the most iterations. NULL: none is to run. */
const sb_planned_case *sb_floor_choose(const sb_plan *plan);
/* True where a case of this work makes a better floor than one of the other: the least that is not too short. Pure. */
bool sb_floor_suits_better(double work, double other);

/* Bytes of the files that will be stored of a case, estimated from its options. */
double sb_case_predicted_bytes(const sb_planned_case *planned);
