/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See repetitions.h. */
#include "harness/run/repetitions.h"

#include <math.h>
#include <string.h>

#include "base/order_statistics.h"
#include "harness/run/prediction.h"

bool sb_wants_repetition(int asked, int attempts, const json_t *timing)
{
  static const double half_width_limit = 0.02; /* of a median's interval, relative */
  const json_t       *half_width = json_object_get(timing, "half_width");
  const json_int_t    quiet = timing ? json_integer_value(json_object_get(timing, "quiet")) : attempts;
  const int           least = asked == SB_REPETITIONS_AUTO ? SB_AUTO_LEAST : asked;
  const bool          enough = (quiet < attempts ? quiet : attempts) >= least || attempts >= least + SB_NOISY_REPEATS;
  if (asked != SB_REPETITIONS_AUTO) return !enough;
  if (!timing || attempts >= SB_AUTO_MOST) return false;
  return !enough || !json_is_number(half_width) || !(json_number_value(half_width) <= half_width_limit);
}

double sb_replacing_limit(double asked_seconds) { return fmax(2, 0.25 * asked_seconds); }

void sb_calibrations_add(sb_calibrations *c, const json_t *row)
{
  const double seconds = json_number_value(json_object_get(json_object_get(row, "timing"), "calibration_s"));
  if (seconds > 0) c->seconds[c->count++ % SB_CALIBRATIONS_KEPT] = seconds;
}

/* A decile of deciles, not the least: on a machine whose clock wanders by 3 % the one luckiest loop of a long sweep
 * makes all others look slow. */
double sb_calibrations_quiet(const sb_calibrations *c)
{
  double       sorted[SB_CALIBRATIONS_KEPT];
  const size_t kept = c->count < SB_CALIBRATIONS_KEPT ? c->count : SB_CALIBRATIONS_KEPT;
  if (kept == 0) return 0;
  memcpy(sorted, c->seconds, kept * sizeof *sorted);
  sb_sort(sorted, kept);
  return sb_quantile(sorted, kept, 0.1);
}

bool sb_floor_is_due(const sb_floor *f, size_t done, size_t total, double elapsed_seconds)
{
  static const double share_limit = 0.03, seconds_limit = 5;
  if (!f->planned || f->runs || f->done >= SB_FLOOR_TIMINGS || total == 0) return false;
  if (f->done == 0) return true;
  if (done * (SB_FLOOR_TIMINGS - 1) < f->done * total) return false;
  const double expected = elapsed_seconds * (double)total / (double)done;
  const double next = f->spent_seconds * (double)(f->done + 1) / (double)f->done;
  return next <= fmax(seconds_limit, share_limit * expected);
}

bool sb_floor_suits_better(double work, double other)
{
  /* A millisecond of the quickest method. Below, one process differs from the next by where its few pages lie: a case
   * of five steps of 7 microseconds varied by 80 % on a machine where steps of 0.15 ms varied by 7 %. */
  static const double work_least = 2e4;
  if (work >= work_least && other >= work_least) return work < other;
  return work > other; /* the longer of two that are too short, or that which is not */
}

const sb_planned_case *sb_floor_choose(const sb_plan *plan)
{
  const sb_planned_case *chosen = NULL;
  double                 best = 0;
  for (size_t i = 0; i < plan->count; ++i) {
    const sb_planned_case *c = &plan->cases[i];
    if (c->skipped) continue;
    const double iterations = fmax(1, sb_case_iterations_max(c->options));
    const double work = sb_case_predicted_vertices(c->options) * (double)c->time.steps * iterations;
    if ((chosen && !sb_floor_suits_better(work, best))) continue;
    chosen = c;
    best = work;
  }
  return chosen;
}
