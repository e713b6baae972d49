/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Driver `trajectory`: how does it move? States and energies, frame by frame.
 *
 * Option `restart` continues from a file's last state: frames, steps and times are counted on from there, and the
 * columns are those of the part that was run. A run that diverges stops at its last frame within bounds, which is
 * stored; a run whose linear solve is refused, or one of whose springs has collapsed to a point, stops likewise. Times
 * are frame numbers times the frame's length, never accumulated. */
#include <stdio.h>

#include "drivers/march.h"
#include "drivers/minimizer_counts.h"
#include "drivers/motion_summary.h"
#include "drivers/setup.h"
#include "drivers/touch.h"
#include "model/system/external.h"

#define COLLAPSED 1e-12 /* of the rest length, at the end of a frame */

static const sb_column columns[] = {
    {"steps_done", "", "steps finished, including one that left the bounds", .valid_if_diverged = true},
    {"end_time", "s", "simulated time reached, including a step that left the bounds", .valid_if_diverged = true},
    SB_MOTION_SUMMARY_COLUMNS,
    {"penetration_max", "m",
     "largest depth of a vertex in a collider, at the start or after a step; blank without contact", .timing = false},
    SB_TOUCH_COLUMNS,
    {"vertices_inside", "", "vertices inside a collider at the end", .timing = false},
    {"self_pairs", "", "pairs of vertices closer than thickness at the last step, without those joined by a spring",
     .timing = false},
    {"last_x", "m", "final x of the last vertex", .timing = false},
    {"last_y", "m", "final y of the last vertex", .timing = false},
    {"last_z", "m", "final z of the last vertex", .timing = false},
    {"unconverged_steps", "", "steps that missed a tolerance that was set", .timing = false},
    SB_MINIMIZER_COUNT_COLUMNS,
    SB_DEVICE_COLUMNS,
};

typedef struct {
  const sb_case    *c;
  sb_recorder      *recorder;
  sb_setup          setup;
  sb_integrator    *integrator;
  sb_start_state    before; /* the frame before: it is stored if the next one leaves the bounds */
  int64_t           first_step;
  sb_march          march;
  int64_t           frame, step; /* the last ones within bounds */
  sb_advance_report counts;
  sb_motion_summary tally;
  sb_touch          touch;
} run;

static PetscErrorCode record_frame(run *r, int64_t frame, int64_t step, bool last)
{
  const double seconds = (double)step * r->c->time.h_seconds;
  const Vec    x = r->setup.x, v = r->setup.v;

  PetscFunctionBeginUser;
  PetscCall(sb_recorder_frame(r->recorder, r->setup.system, &(sb_frame_stamp){frame, step, seconds, last}, x, v));
  const sb_energies *energies = sb_recorder_energies(r->recorder);
  PetscCall(sb_motion_summary_frame(&r->tally, seconds, energies, x));
  PetscCall(sb_setup_look(&r->setup, seconds, energies));
  PetscCall(sb_touch_frame(&r->touch, r->setup.system, &(sb_touch_state){seconds, x, v, last}));
  if (last) PetscCall(sb_motion_summary_end(&r->tally, r->setup.system, x));
  PetscFunctionReturn(0);
}

static PetscErrorCode account(run *r, int64_t first_step, const sb_advance_report *report)
{
  PetscFunctionBeginUser;
  sb_minimizer_counts_add(&r->counts, report);
  PetscCall(sb_setup_broke_off(r->recorder, report));
  if (sb_integrator_minimizer(r->integrator)) {
    PetscCall(sb_recorder_step(r->recorder, first_step + report->steps_done, report->minimizer_iterations,
                               report->linear_iterations, report->residual, sb_outcome_name(report->linear_outcome)));
    PetscCall(sb_setup_accuracy(r->c, r->recorder, report->status == SB_OK && report->inaccurate == 0));
  }
  PetscFunctionReturn(0);
}

/* A spring of no length has no direction: its force and its Hessian are no longer those of the model. */
static PetscErrorCode look_for_collapse(run *r, int64_t step, sb_advance_report *report)
{
  sb_extreme shortest;

  PetscFunctionBeginUser;
  if (report->status != SB_OK || SB_FLAG(r->c->options, allow_zero_length)) PetscFunctionReturn(0);
  PetscCall(sb_system_shortest_spring(r->setup.system, r->setup.x, &shortest));
  if (!(shortest.ratio < COLLAPSED)) PetscFunctionReturn(0);
  report->status = SB_CASE_NOT_CONVERGED;
  snprintf(report->reason, sizeof report->reason,
           "step %lld (t = %.6g s): zero length: spring %d (%d-%d) has %.2g of its rest length", (long long)step,
           (double)step * r->c->time.h_seconds, (int)shortest.spring, (int)shortest.ends[0], (int)shortest.ends[1],
           shortest.ratio);
  PetscFunctionReturn(0);
}

/* The frame is kept, as its state is valid: the fault is in the method that made it. */
static PetscErrorCode report_excess(const run *r, int64_t step)
{
  const int64_t missed = r->counts.unconverged;
  char          cause[120] = "h is too long for springs that buckle in a step";

  PetscFunctionBeginUser;
  if (missed > 0)
    snprintf(cause, sizeof cause,
             "%lld step%s missed the tolerance, or h is too long for springs that buckle in a step", (long long)missed,
             missed == 1 ? "" : "s");
  if (r->setup.balance.excess > 0)
    PetscCall(sb_recorder_status(r->recorder, SB_CASE_NOT_CONVERGED,
                                 "step %lld (t = %.6g s): the energy rose by %.3g J, which no force explains; %s",
                                 (long long)step, (double)step * r->c->time.h_seconds, r->setup.balance.excess, cause));
  PetscFunctionReturn(0);
}

/* Passes the run through a checkpoint. */
static PetscErrorCode keep(void *state, sb_checkpoint *c)
{
  run *r = state;

  PetscFunctionBeginUser;
  SB_CHECKPOINT(c, r->frame);
  SB_CHECKPOINT(c, r->step);
  SB_CHECKPOINT(c, r->counts);
  PetscCall(sb_motion_summary_keep(&r->tally, c));
  sb_touch_keep(&r->touch, c);
  PetscCall(sb_march_keep_vector(c, "x before", r->before.x));
  PetscCall(sb_march_keep_vector(c, "v before", r->before.v));
  PetscFunctionReturn(0);
}

/* From the start of the run, or from the step at which it was stopped. */
static PetscErrorCode begin(run *r)
{
  bool continued;

  PetscFunctionBeginUser;
  r->frame = r->first_step / r->c->time.steps_per_frame;
  r->step = r->first_step;
  r->march = (sb_march){.keep = keep, .driver = r, .step = r->first_step};
  PetscCall(sb_march_begin(&r->march, &r->setup, r->integrator, r->recorder, &continued));
  sb_march_watch(&r->march, r->c->time.steps);
  if (!continued) PetscCall(record_frame(r, r->frame, r->step, false));
  PetscFunctionReturn(0);
}

/* One frame at a time, so that the last good one is kept; a file that ended within a frame is continued to the frame's
 * end. */
static PetscErrorCode march(run *r)
{
  const int64_t frames = r->c->time.frames, per_frame = r->c->time.steps_per_frame;
  bool          finished = true;

  PetscFunctionBeginUser;
  PetscCall(begin(r));
  while (finished && r->frame < frames && r->setup.balance.excess == 0) {
    const int64_t     steps = (r->frame + 1) * per_frame - r->step;
    sb_advance_report report;
    if (!sb_march_is_within(&r->march)) PetscCall(sb_setup_keep_state(&r->setup, &r->before));
    PetscCall(sb_march_advance(&r->march, r->step, steps, &report));
    PetscCall(look_for_collapse(r, r->step + steps, &report));
    PetscCall(account(r, r->step, &report));
    finished = report.status == SB_OK;
    if (!finished) continue;
    r->step += steps;
    if (++r->frame < frames) PetscCall(record_frame(r, r->frame, r->step, false));
  }
  /* Columns called final are those of the stored state. */
  if (!finished) PetscCall(sb_setup_put_back(&r->setup, &r->before));
  PetscCall(record_frame(r, r->frame, r->step, true));
  PetscCall(report_excess(r, r->step));
  if (finished) PetscCall(sb_setup_judge_burst(&r->setup, r->recorder));
  if (r->frame < frames) PetscCall(sb_recorder_broke_off(r->recorder));
  if (finished) PetscCall(sb_setup_record_restart(&r->setup, r->integrator, r->recorder));
  PetscCall(sb_setup_unconverged(r->recorder, r->counts.unconverged, r->counts.steps_done));
  PetscFunctionReturn(0);
}

static PetscErrorCode record_contact(run *r)
{
  sb_contact_measures measures;

  PetscFunctionBeginUser;
  if (!r->setup.system->contact) PetscFunctionReturn(0);
  PetscCall(sb_system_contact_measures(r->setup.system, &measures));
  PetscCall(SB_RECORD(r->recorder, {"penetration_max", measures.penetration_max},
                      {"vertices_inside", (double)measures.vertices_inside},
                      {"self_pairs", (double)measures.self_pairs}));
  PetscFunctionReturn(0);
}

static PetscErrorCode record_last_vertex(run *r)
{
  static const char *const names[3] = {"last_x", "last_y", "last_z"};
  const sb_system         *system = r->setup.system;
  const bool               mine = system->owned > 0 && system->first_vertex + system->owned == system->vertices;
  double                   position[3] = {0, 0, 0};
  const double            *array = NULL;

  PetscFunctionBeginUser;
  PetscCall(sb_system_begin_read(system, r->setup.x, &array));
  for (int axis = 0; mine && axis < 3; ++axis) position[axis] = array[3 * (system->owned - 1) + axis];
  PetscCall(sb_system_end_read(system, r->setup.x, &array));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, position, 3, MPI_DOUBLE, MPI_SUM, r->c->comm));
  for (int axis = 0; axis < 3; ++axis) PetscCall(sb_recorder_real(r->recorder, names[axis], position[axis]));
  PetscFunctionReturn(0);
}

static PetscErrorCode record_columns(run *r)
{
  PetscFunctionBeginUser;
  PetscCall(sb_recorder_real(r->recorder, "steps_done", (double)r->counts.steps_done));
  PetscCall(
      sb_recorder_real(r->recorder, "end_time", (double)(r->first_step + r->counts.steps_done) * r->c->time.h_seconds));
  PetscCall(sb_motion_summary_record(&r->tally, sb_balance_is_conserved(r->c, r->setup.system), r->recorder));
  PetscCall(record_contact(r));
  PetscCall(sb_touch_record(&r->touch, r->setup.system, r->recorder));
  PetscCall(record_last_vertex(r));
  if (sb_integrator_minimizer(r->integrator))
    PetscCall(sb_recorder_real(r->recorder, "unconverged_steps", (double)r->counts.unconverged));
  PetscCall(sb_minimizer_counts_record(&r->counts, r->c, r->integrator, r->recorder));
  PetscCall(sb_setup_device(sb_integrator_device(r->integrator), r->counts.steps_done, r->recorder));
  PetscCall(sb_setup_judge_end(r->c, r->integrator, r->recorder));
  PetscFunctionReturn(0);
}

static PetscErrorCode run_trajectory(const sb_case *c, sb_recorder *recorder)
{
  run r = {.c = c, .recorder = recorder, .tally.arena = sb_arena_create()};

  PetscFunctionBeginUser;
  PetscCall(sb_setup_create(c, NULL, SB_SETUP_SURFACE, recorder, &r.setup));
  PetscCall(sb_setup_keep_state(&r.setup, &r.before));
  PetscCall(sb_integrator_create(r.setup.system, c->options, c->time.h_seconds, &r.integrator));
  PetscCall(sb_setup_restart(c, &r.setup, r.integrator, &r.first_step));
  PetscCall(sb_setup_observe_start(&r.setup, (double)r.first_step * c->time.h_seconds));
  PetscCall(sb_touch_create(&r.setup, c, &r.touch));
  PetscCall(sb_setup_open_balance(c, &r.setup, (double)r.first_step * c->time.h_seconds));
  PetscCall(march(&r));
  PetscCall(record_columns(&r));
  sb_arena_destroy(&r.tally.arena);
  PetscCall(sb_touch_clear(&r.touch));
  PetscCall(sb_integrator_destroy(&r.integrator));
  PetscCall(sb_start_state_destroy(&r.before));
  PetscCall(sb_setup_destroy(&r.setup));
  PetscFunctionReturn(0);
}

const sb_driver sb_driver_trajectory = {
    .name = "trajectory",
    .summary = "states and energies of a run, frame by frame",
    .uses = "integrator",
    SB_COLUMNS(columns),
    .restarts = true,
    .run = run_trajectory,
};
