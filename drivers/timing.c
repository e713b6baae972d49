/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Driver `timing`: what does a step cost, and which phases does it consist of?
 *
 * Warm-up steps are run and undone; then steps are timed by a steady clock, which is read before and after. In between
 * it is read around the harness's recomputed residuals (SB_PHASE_CHECK), whose time is subtracted, each step's own, so
 * that a step and a check that the machine disturbed do not meet. Phases are measured in other steps, the first and
 * every fourth from there on: the fronts of the families report them. A run of a single step is measured in both ways.
 * `front_s` has the cost of the readings of the clock per step.
 *
 * Steps of explicit methods so short that the clock would show are timed in batches and divided. Raw samples are kept;
 * the columns are order statistics over the samples of all quiet repetitions (cases/store/noise.h), of all if none was.
 * Set-up (pattern, symbolic analysis, constant factors) is separate. */
#include <stdlib.h>
#include <string.h>

#include "drivers/timing.h"
#include "solvers/integrate/integrator.h"

enum {
  FRONTS = 31,               /* samples of no step */
  SPRINGS_PER_BATCH = 20000, /* of an explicit method: about 50 microseconds */
  STEPS_TOGETHER = 32,       /* on several ranks, which wait for each other before and after a sample */
  PHASES_EVERY = 4,
  STEPS_ON_DEVICE = 64, /* a sample ends with a copy from the device */
  BOUNDS = 7,           /* samples of the bandwidth of a device */
  COPIES = 8            /* in each */
};

static const sb_column columns[] = {
    SB_TIMING_COLUMNS,
    SB_DEVICE_COLUMNS,
    {"bound_s", "s",
     "time that the bytes of a step take on a device at the bandwidth of a copy of positions and velocities there; "
     "blank: no device, or an implicit method",
     .timing = true},
};

typedef struct {
  const char *column, *sample;
  sb_phase    phase;
} phase_column;

static const phase_column phases[] = {
    {"forces_s", "forces", SB_PHASE_FORCES},       {"contact_s", "contact", SB_PHASE_CONTACT},
    {"local_s", "local", SB_PHASE_LOCAL},          {"rhs_s", "right_hand_side", SB_PHASE_RIGHT_HAND_SIDE},
    {"assembly_s", "assembly", SB_PHASE_ASSEMBLY}, {"factor_s", "factor", SB_PHASE_FACTOR},
    {"solve_s", "solve", SB_PHASE_SOLVE},          {"check_s", "check", SB_PHASE_CHECK},
};
enum { PHASES = sizeof phases / sizeof *phases };

typedef struct {
  const sb_case    *c;
  sb_recorder      *recorder;
  sb_setup          setup;
  sb_start_state    start, noted; /* noted: start of the pass that stores frames */
  sb_integrator    *integrator;
  sb_advance_report counts;
  double            setup_seconds;
  int64_t           timed;        /* samples of steps */
  long              checks_timed; /* checks in these */
  sb_status         status;
} run;

static PetscErrorCode create_integrator(run *r)
{
  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Barrier(r->c->comm));
  const double started = sb_clock_seconds();
  PetscCall(sb_integrator_create(r->setup.system, r->c->options, r->c->time.h_seconds, &r->integrator));
  r->setup_seconds = sb_clock_seconds() - started;
  PetscFunctionReturn(0);
}

/* Steps that are not counted: caches, page faults, the first analysis. The state is restored and the integrator created
 * again, so that a method with a memory does not remember them. */
static PetscErrorCode warm_up(run *r)
{
  sb_advance_report report;

  PetscFunctionBeginUser;
  PetscCall(sb_setup_keep_state(&r->setup, &r->start));
  PetscCall(create_integrator(r));
  if (r->c->warm_up == 0) PetscFunctionReturn(0);
  PetscCall(sb_integrator_advance(r->integrator, 0, r->c->warm_up, r->setup.x, r->setup.v, &report));
  PetscCall(sb_setup_put_back(&r->setup, &r->start));
  PetscCall(sb_integrator_destroy(&r->integrator));
  PetscCall(create_integrator(r));
  PetscFunctionReturn(0);
}

int64_t sb_timing_batch(const sb_system *system)
{
  const int64_t least = system->ranks > 1 ? STEPS_TOGETHER : 1;
  return system->springs_global == 0 ? 1 : PetscMax(least, SPRINGS_PER_BATCH / (int64_t)system->springs_global);
}

static PetscErrorCode record_phases(run *r, int64_t step, int64_t steps, const sb_profile *before)
{
  const sb_profile *after = &r->setup.profile;

  PetscFunctionBeginUser;
  for (int i = 0; i < PHASES; ++i) {
    const sb_phase phase = phases[i].phase;
    if (after->calls[phase] == before->calls[phase]) continue;
    PetscCall(sb_recorder_sample(r->recorder, phases[i].sample, step,
                                 (after->seconds[phase] - before->seconds[phase]) / (double)steps));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode sorted_samples(sb_recorder *recorder, const char *phase, size_t *count, double **sorted)
{
  const double *raw = NULL;

  PetscFunctionBeginUser;
  PetscCall(sb_recorder_samples(recorder, phase, count, &raw));
  PetscCall(PetscMalloc1(*count + 1, sorted));
  if (*count) memcpy(*sorted, raw, *count * sizeof **sorted);
  sb_sort(*sorted, *count);
  PetscFunctionReturn(0);
}

/* Seconds from a reading of the clock to the next, without those of checks, with `count` steps between them, and as
 * many empty checks. */
static PetscErrorCode time_advance(run *r, int64_t step, int64_t count, long checks, sb_advance_report *report,
                                   double *seconds)
{
  sb_profile   *profile = &r->setup.profile;
  const double *check = &profile->seconds[SB_PHASE_CHECK];

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Barrier(r->c->comm));
  const double before = *check, started = sb_clock_seconds();
  PetscCall(sb_integrator_advance(r->integrator, step, count, r->setup.x, r->setup.v, report));
  for (long i = 0; i < checks; ++i) sb_profile_stop_check(profile, sb_profile_start_check(profile));
  PetscCallMPI(MPI_Barrier(r->c->comm));
  *seconds = sb_clock_seconds() - started - (*check - before);
  PetscFunctionReturn(0);
}

/* Times an empty step, after the timed steps, with as many readings of the clock as a step has around its checks; for a
 * batch, the share of one step. */
static PetscErrorCode time_fronts(run *r, int64_t batch)
{
  const long        checks = r->timed > 0 ? (long)(r->checks_timed / r->timed) : 0;
  sb_advance_report report;
  double            seconds = 0;

  PetscFunctionBeginUser;
  r->setup.profile.paused = true;
  for (int i = 0; i < FRONTS; ++i) {
    PetscCall(time_advance(r, r->counts.steps_done, 0, checks, &report, &seconds));
    PetscCall(sb_recorder_sample(r->recorder, "front", i, seconds / (double)batch));
  }
  r->setup.profile.paused = false;
  PetscFunctionReturn(0);
}

/* One sample: a batch of steps, either with its phases, or as a whole, in which a paused profile has only checks. The
 * phases of the first sample use untouched memory: they count only if there are no others. */
static PetscErrorCode take_sample(run *r, int64_t sample, int64_t samples, int64_t step, int64_t count)
{
  const bool        asks = sample % PHASES_EVERY == 0, times = !asks || samples == 1;
  const sb_profile  before = r->setup.profile;
  sb_advance_report report;
  double            seconds = 0;

  PetscFunctionBeginUser;
  r->setup.profile.paused = !asks;
  PetscCall(time_advance(r, step, count, 0, &report, &seconds));
  r->setup.profile.paused = false;
  sb_minimizer_counts_add(&r->counts, &report);
  r->status = report.status;
  PetscCall(sb_setup_broke_off(r->recorder, &report));
  if (report.steps_done < count) PetscFunctionReturn(0);
  if (times) {
    PetscCall(sb_recorder_sample(r->recorder, "step", step, seconds / (double)count));
    r->timed++;
    r->checks_timed += r->setup.profile.calls[SB_PHASE_CHECK] - before.calls[SB_PHASE_CHECK];
  }
  if (times || sample > 0 || samples <= PHASES_EVERY) PetscCall(record_phases(r, step, count, &before));
  PetscFunctionReturn(0);
}

static PetscErrorCode time_steps(run *r)
{
  const int64_t steps = r->c->time.steps;
  const int64_t least = sb_integrator_device(r->integrator) ? STEPS_ON_DEVICE : 1;
  const int64_t batch =
      sb_integrator_minimizer(r->integrator) ? least : PetscMax(least, sb_timing_batch(r->setup.system));
  const int64_t samples = (steps + batch - 1) / batch;

  PetscFunctionBeginUser;
  PetscCall(sb_recorder_sample(r->recorder, "setup", 0, r->setup_seconds));
  PetscCall(sb_recorder_watch_begin(r->recorder));
  sb_recorder_progress_begin(r->recorder, "step", 0, steps);
  for (int64_t sample = 0; sample < samples && r->status == SB_OK; ++sample) {
    const int64_t step = sample * batch, count = PetscMin(batch, steps - step);
    PetscCall(take_sample(r, sample, samples, step, count));
    PetscCall(sb_recorder_watch(r->recorder, step));
    sb_recorder_progress(r->recorder, step + count);
  }
  PetscCall(time_fronts(r, batch));
  PetscCall(sb_recorder_watch_end(r->recorder, "step"));
  PetscFunctionReturn(0);
}

static PetscErrorCode record_median(sb_recorder *recorder, const char *column, const char *phase)
{
  size_t  count = 0;
  double *sorted = NULL;

  PetscFunctionBeginUser;
  PetscCall(sorted_samples(recorder, phase, &count, &sorted));
  if (count) PetscCall(sb_recorder_real(recorder, column, sb_quantile(sorted, count, 0.5)));
  PetscCall(PetscFree(sorted));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_timing_record_times(sb_recorder *recorder, double h_seconds)
{
  size_t    count = 0;
  double   *sorted = NULL;
  sb_median median;
  double    sum = 0;

  PetscFunctionBeginUser;
  PetscCall(sb_recorder_interval(recorder, "step", &median));
  PetscCall(SB_RECORD(recorder, {"step_low_s", median.low}, {"step_high_s", median.high}));
  PetscCall(sorted_samples(recorder, "step", &count, &sorted));
  if (count) {
    PetscCall(SB_RECORD(recorder, {"step_min_s", sorted[0]}, {"step_q1_s", sb_quantile(sorted, count, 0.25)},
                        {"step_median_s", sb_quantile(sorted, count, 0.5)},
                        {"step_q3_s", sb_quantile(sorted, count, 0.75)},
                        {"step_p95_s", sb_quantile(sorted, count, 0.95)}));
    for (size_t i = 0; i < count; ++i) sum += sorted[i];
    if (sum > 0) PetscCall(sb_recorder_real(recorder, "realtime_factor", (double)count * h_seconds / sum));
  }
  PetscCall(sb_recorder_real(recorder, "samples", (double)count));
  PetscCall(PetscFree(sorted));
  PetscCall(record_median(recorder, "setup_s", "setup"));
  PetscCall(record_median(recorder, "front_s", "front"));
  for (int i = 0; i < PHASES; ++i) PetscCall(record_median(recorder, phases[i].column, phases[i].sample));
  PetscFunctionReturn(0);
}

/* After the columns of the device, whose kernels are those of steps. */
static PetscErrorCode record_bound(run *r)
{
  const sb_device *device = sb_integrator_device(r->integrator);

  PetscFunctionBeginUser;
  for (int i = 0; device && i < BOUNDS; ++i) {
    double       copied, of_step;
    const double before = sb_device_measured(device)->kernels_s;
    PetscCall(sb_integrator_device_copy(r->integrator, COPIES, &copied, &of_step));
    if (copied == 0) break;
    const double seconds = sb_device_measured(device)->kernels_s - before;
    PetscCall(sb_recorder_sample(r->recorder, "bound", i, seconds * of_step / copied));
  }
  PetscCall(record_median(r->recorder, "bound_s", "bound"));
  PetscFunctionReturn(0);
}

static PetscErrorCode record_work(run *r)
{
  sb_minimizer *minimizer = sb_integrator_minimizer(r->integrator);

  PetscFunctionBeginUser;
  PetscCall(SB_RECORD(r->recorder, {"vertices", (double)r->setup.system->vertices},
                      {"spring_count", (double)r->setup.system->springs_global},
                      {"steps_done", (double)r->counts.steps_done}));
  if (r->setup.profile.calls[SB_PHASE_ANALYZE])
    PetscCall(sb_recorder_real(r->recorder, "analyze_s", r->setup.profile.seconds[SB_PHASE_ANALYZE]));
  PetscCall(sb_minimizer_counts_record(&r->counts, r->c, r->integrator, r->recorder));
  PetscCall(sb_setup_device(sb_integrator_device(r->integrator), r->counts.steps_done, r->recorder));
  PetscCall(record_bound(r));
  if (!minimizer) PetscFunctionReturn(0);
  const sb_factor_facts *facts = sb_linear_solver_facts(sb_minimizer_linear(minimizer));
  PetscCall(sb_recorder_word(r->recorder, "not_counted", facts->uncounted));
  if (facts->nonzeros_factor > 0) {
    PetscCall(SB_RECORD(r->recorder, {"nnz_factor", facts->nonzeros_factor}, {"flops_factor", facts->flops_factor}));
  }
  PetscCall(sb_setup_accuracy(r->c, r->recorder, r->status == SB_OK && r->counts.inaccurate == 0));
  /* A case that missed its tolerance is fast at something else. */
  if (r->status == SB_OK) PetscCall(sb_setup_unconverged(r->recorder, r->counts.unconverged, r->counts.steps_done));
  PetscCall(sb_setup_judge_end(r->c, r->integrator, r->recorder));
  PetscFunctionReturn(0);
}

/* The state at the end, or the last one within bounds: it is computed once the times are taken, since keeping it would
 * cost the steps their cache. Frames are stored by a separate pass for the same reason. */
static PetscErrorCode record_end(run *r)
{
  int64_t step = r->counts.steps_done;

  PetscFunctionBeginUser;
  if (r->status == SB_CASE_DIVERGED) {
    --step;
    PetscCall(sb_setup_replay(r->c, &r->setup, &r->start, &step, &r->integrator));
  }
  PetscCall(sb_integrator_destroy(&r->integrator));
  PetscCall(sb_setup_store_frames(r->c, &r->setup, r->recorder, &r->noted, step));
  PetscCall(sb_setup_record_last(r->c, &r->setup, r->recorder, 0, step));
  if (r->status != SB_OK) PetscFunctionReturn(0);
  PetscCall(sb_setup_look(&r->setup, (double)step * r->c->time.h_seconds, sb_recorder_energies(r->recorder)));
  PetscCall(sb_setup_judge_burst(&r->setup, r->recorder));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_timing_run(const sb_case *c, sb_recorder *recorder)
{
  run r = {.c = c, .recorder = recorder, .status = SB_OK};

  PetscFunctionBeginUser;
  PetscCall(sb_setup_create(c, NULL, 0, recorder, &r.setup));
  PetscCall(sb_setup_note_start(&r.setup, recorder, &r.noted));
  PetscCall(sb_setup_open_balance(c, &r.setup, 0));
  PetscCall(warm_up(&r));
  PetscCall(time_steps(&r));
  PetscCall(sb_timing_record_times(recorder, c->time.h_seconds));
  PetscCall(record_work(&r));
  PetscCall(record_end(&r));
  PetscCall(sb_start_state_destroy(&r.start));
  PetscCall(sb_integrator_destroy(&r.integrator));
  PetscCall(sb_setup_destroy(&r.setup));
  PetscFunctionReturn(0);
}

const sb_driver sb_driver_timing = {
    .name = "timing",
    .summary = "time per step and per phase, and separately of the setup",
    .uses = "integrator",
    SB_COLUMNS(columns),
    .run = sb_timing_run,
};
