/* The noise floor: one small case of a timed sweep, timed again at even intervals while the sweep runs. What its
 * medians differ by, no difference of the sweep can be told from noise. For the runner; Local. */
#pragma once

#include "harness/run/runner_attempt.h"
#include "harness/run/runner_state.h"

enum { SB_FLOOR_TIMINGS = 7 /* where they are cheap */ };

typedef struct {
  const sb_planned_case *planned; /* NULL: it is not timed */
  bool                   runs;    /* just now */
  size_t                 done;
  double                 started_seconds, spent_seconds;
} sb_floor;

/* How far the sweep is: processes ended of those expected, seconds since the start. */
typedef struct {
  size_t done, total;
  double elapsed_seconds;
} sb_sweep_pace;

/* Whether the next timing is due: the first at the start, the last at the end, as long as all of them take less than
 * 3 % of the sweep or a few seconds. Pure. */
bool sb_floor_is_due(const sb_floor *floor, const sb_sweep_pace *pace);

/* Work of a case by its options: vertices x steps x the most iterations. Pure. */
double sb_floor_work(const sb_options *options, int64_t steps);
/* Whether a case of this work makes a better floor than one of the other: the least that is not too short. Pure. */
bool sb_floor_suits_better(double work, double other);
/* Chooses the case, where the run is to have a floor. */
void sb_floor_open(sb_floor *floor, const sb_run_state *run);
/* Takes the end of a timing into account; the journal gets a line. False after a message: it cannot be written. */
bool sb_floor_end(sb_floor *floor, sb_run_state *run, const sb_attempt *attempt, double wall_seconds);
