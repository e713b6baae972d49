/* When the small case is timed again, and what is kept of it; see runner_floor.h. */
#include "harness/run/runner_floor.h"

#include <math.h>
#include <string.h>

#include "base/profile.h"
#include "harness/common/durable.h"

static const double share_limit = 0.03, seconds_limit = 5;
/* A millisecond of the quickest method. Below, one process differs from the next by where its few pages lie: a case of
 * five steps of 7 microseconds varied by 80 % on a machine where steps of 0.15 ms varied by 7 %. */
static const double work_least = 2e4;

bool sb_floor_is_due(const sb_floor *f, const sb_sweep_pace *pace)
{
  if (!f->planned || f->runs || f->done >= SB_FLOOR_TIMINGS || pace->total == 0) return false;
  if (f->done == 0) return true;
  if (pace->done * (SB_FLOOR_TIMINGS - 1) < f->done * pace->total) return false;
  const double expected = pace->elapsed_seconds * (double)pace->total / (double)pace->done;
  const double next = f->spent_seconds * (double)(f->done + 1) / (double)f->done;
  return next <= fmax(seconds_limit, share_limit * expected);
}

double sb_floor_work(const sb_options *options, int64_t steps)
{
  const bool   iterates = sb_options_read(options, SB_OPT_max_iterations);
  const double iterations = iterates ? (double)SB_INTEGER(options, max_iterations) : 1;
  return sb_planned_vertices(options) * (double)steps * iterations;
}

bool sb_floor_suits_better(double work, double other)
{
  if (work >= work_least && other >= work_least) return work < other;
  return work > other; /* the longer of two that are too short, or that which is not */
}

void sb_floor_open(sb_floor *f, const sb_run_state *run)
{
  double chosen = 0;
  *f = (sb_floor){.started_seconds = sb_clock_seconds()};
  if (!run->watched || run->request->quick) return;
  for (size_t i = 0; i < run->plan->count; ++i) {
    const sb_planned_case *c = &run->plan->cases[i];
    const double           work = c->skipped ? 0 : sb_floor_work(c->options, c->time.steps);
    if (c->skipped || (f->planned && !sb_floor_suits_better(work, chosen))) continue;
    f->planned = c;
    chosen = work;
  }
}

bool sb_floor_end(sb_floor *f, sb_run_state *run, const sb_attempt *attempt, double wall_seconds)
{
  char          at[32];
  const json_t *timing = json_object_get(attempt->row, "timing"), *seconds = json_object_get(timing, "seconds");
  const char   *noisy = json_string_value(json_object_get(timing, "noisy"));
  f->runs = false;
  f->done++;
  f->spent_seconds += wall_seconds;
  if (attempt->kind != SB_ATTEMPT_RESULT || !json_is_number(seconds)) {
    f->planned = NULL; /* no case to measure by; the sweep itself will say what is wrong with it */
    return true;
  }
  json_t *event = json_pack("{s:s, s:s, s:s, s:f, s:s, s:s, s:s}", "event", "floor", "at", sb_now(at), "case",
                            f->planned->key, "seconds", json_number_value(seconds), "noisy", noisy ? noisy : "",
                            "build", run->build, "machine", run->machine);
  return sb_journal_append(&run->journal, &run->state, event);
}
