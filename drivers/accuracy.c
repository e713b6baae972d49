/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Driver `accuracy`: how far from the true motion is the end of a run, and does the error shrink with h as claimed?
 *
 * The case is run at its h. Its last state is compared, in the largest component of a vertex,
 * - with the exact motion x = 1 + a cos(w t) + v0/w sin(w t), w^2 = k/m, if the case is the bare oscillator;
 * - else with the same case by rk4 with h/64. The error of that reference is estimated from runs with h/32 and h/16
 * (Richardson; Hairer, Norsett, Wanner: Solving Ordinary Differential Equations I, section II.4).
 * With q = |x(h/16) - x(h/32)|/|x(h/32) - x(h/64)|, between 2 and 16, this error is |x(h/32) - x(h/64)|/(q - 1). Order
 * 4 (q = 16) is not assumed. damping_rate multiplies velocities once per step, a splitting of order 1 (2 in the
 * positions of a motion that starts at rest), and contact or rounding gives less. References that do not approach each
 * other (q <= 1) give no estimate. */
#include <math.h>
#include <string.h>

#include "drivers/rk4_reference.h"

enum { REFINEMENT = 64 };

static const sb_column columns[] = {
    {"h_seconds", "s", "time step", .valid_if_diverged = true},
    {"error_position", "m", "largest |x - reference| of a coordinate at the end", .timing = false},
    {"error_velocity", "m/s", "largest |v - reference| of a component at the end", .timing = false},
    {"reference", "", "reference of the result: exact, or rk4 with h/64", .kind = SB_COLUMN_WORD,
     .valid_if_diverged = true},
    {"reference_error", "m",
     "error of that rk4, estimated with the order reference_order; blank if the reference is exact",
     .valid_if_diverged = true},
    {"reference_order", "",
     "its order from runs with h/16, h/32 and h/64, between 1 and 4; blank if the reference is exact, or if these runs "
     "do not approach each other",
     .valid_if_diverged = true},
    {"steps_done", "", "steps finished", .valid_if_diverged = true},
    SB_ENDED_COLUMN,
    SB_LINEAR_USED_COLUMN,
};

typedef struct {
  const sb_case *c;
  sb_recorder   *recorder;
  sb_setup       setup;
  sb_start_state start, reference;
} run;

/* One mass on one spring of rest length 1, nothing else acting, and the spring never of length 0. */
static bool is_bare_oscillator(const sb_options *options, double omega)
{
  const double *v = SB_VECTOR(options, initial_velocity);
  if (!SB_IS(options, scene, "oscillator") || !SB_IS(options, pins, "first")) return false;
  if (*SB_TEXT(options, spring_data)) return false;
  for (sb_option_id id = 0; id < sb_option_count; ++id)
    if (sb_option_at(id)->traits & (SB_ACTS | SB_STATES_NOISE) && sb_options_differ(options, id)) return false;
  return v[1] == 0 && v[2] == 0 && omega > 0 && hypot(SB_REAL(options, amplitude), v[0] / omega) < 1;
}

/* sqrt(k/m) of the first spring and the second vertex. */
static PetscErrorCode first_frequency(const sb_system *system, double *omega)
{
  double parts[2] = {0, 0};

  PetscFunctionBeginUser;
  for (PetscInt s = 0; s < system->springs.count; ++s)
    if (sb_system_spring_id(system, s) == 0 && system->springs.counted[s]) parts[0] = system->springs.stiffness[s];
  const PetscInt local = 1 - system->first_vertex;
  if (local >= 0 && local < system->owned) parts[1] = system->mass[local];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, parts, 2, MPI_DOUBLE, MPI_SUM, system->comm));
  *omega = parts[1] > 0 ? sqrt(parts[0] / parts[1]) : 0;
  PetscFunctionReturn(0);
}

/* The states at the end of the free vertex; the pinned one stays as it started. */
static PetscErrorCode solve_oscillator(run *r, double omega)
{
  const double a = SB_REAL(r->c->options, amplitude), v0 = SB_VECTOR(r->c->options, initial_velocity)[0];
  const double t = (double)r->c->time.steps * r->c->time.h_seconds, c = cos(omega * t), s = sin(omega * t);

  PetscFunctionBeginUser;
  PetscCall(VecCopy(r->start.x, r->reference.x));
  PetscCall(VecCopy(r->start.v, r->reference.v));
  if (r->setup.system->rank == 0) {
    PetscCall(VecSetValue(r->reference.x, 3, 1 + a * c + v0 / omega * s, INSERT_VALUES));
    PetscCall(VecSetValue(r->reference.v, 3, v0 * c - a * omega * s, INSERT_VALUES));
  }
  PetscCall(VecAssemblyBegin(r->reference.x));
  PetscCall(VecAssemblyEnd(r->reference.x));
  PetscCall(VecAssemblyBegin(r->reference.v));
  PetscCall(VecAssemblyEnd(r->reference.v));
  PetscCall(sb_recorder_word(r->recorder, "reference", "exact"));
  PetscFunctionReturn(0);
}

/* The case by rk4 with h/refinement; the reference becomes its last state, if it has one, not if rk4 is unstable. */
static PetscErrorCode run_reference(run *r, int refinement, bool *found)
{
  const sb_start_state *end = &r->reference;
  sb_integrator        *integrator = NULL;
  sb_advance_report     report;

  PetscFunctionBeginUser;
  PetscCall(VecCopy(r->start.x, end->x));
  PetscCall(VecCopy(r->start.v, end->v));
  PetscCall(sb_rk4_reference_create(&r->setup, r->c, r->c->time.h_seconds / refinement, &integrator));
  sb_setup_show_progress(r->recorder, integrator, "reference step", 0, r->c->time.steps * refinement);
  PetscCall(sb_integrator_advance(integrator, 0, r->c->time.steps * refinement, end->x, end->v, &report));
  PetscCall(sb_integrator_destroy(&integrator));
  *found = report.status == SB_OK;
  if (!*found)
    PetscCall(sb_recorder_status(r->recorder, SB_CASE_NOT_CONVERGED, "no reference: rk4 with h/%d, %s", refinement,
                                 report.reason));
  PetscFunctionReturn(0);
}

/* apart[0] = |x(h/16) - x(h/32)|, apart[1] = |x(h/32) - x(h/64)|; the reference ends as the last. */
static PetscErrorCode refine_reference(run *r, Vec x_coarse, double apart[2], bool *found)
{
  PetscFunctionBeginUser;
  PetscCall(run_reference(r, REFINEMENT / 4, found));
  for (int i = 0; i < 2 && *found; ++i) {
    PetscCall(VecCopy(r->reference.x, x_coarse));
    PetscCall(run_reference(r, i == 0 ? REFINEMENT / 2 : REFINEMENT, found));
    if (*found) PetscCall(sb_rk4_reference_distance(x_coarse, r->reference.x, &apart[i]));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode solve_by_rk4(run *r, bool *found)
{
  Vec    x_coarse = NULL;
  double apart[2] = {0, 0};

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(r->start.x, &x_coarse));
  PetscCall(refine_reference(r, x_coarse, apart, found));
  if (*found) {
    const double ratio = apart[1] > 0 ? apart[0] / apart[1] : 16, counted = fmin(fmax(ratio, 2), 16);
    PetscCall(sb_recorder_word(r->recorder, "reference", "rk4"));
    PetscCall(sb_recorder_real(r->recorder, "reference_error", apart[1] / (counted - 1)));
    if (ratio > 1) PetscCall(sb_recorder_real(r->recorder, "reference_order", log2(counted)));
  }
  PetscCall(VecDestroy(&x_coarse));
  PetscFunctionReturn(0);
}

static PetscErrorCode compare(run *r)
{
  double omega = 0, error = 0;
  bool   found = true;

  PetscFunctionBeginUser;
  PetscCall(first_frequency(r->setup.system, &omega));
  if (is_bare_oscillator(r->c->options, omega))
    PetscCall(solve_oscillator(r, omega));
  else
    PetscCall(solve_by_rk4(r, &found));
  if (!found) PetscFunctionReturn(0);
  PetscCall(sb_rk4_reference_distance(r->setup.x, r->reference.x, &error));
  PetscCall(sb_recorder_real(r->recorder, "error_position", error));
  PetscCall(sb_rk4_reference_distance(r->setup.v, r->reference.v, &error));
  PetscCall(sb_recorder_real(r->recorder, "error_velocity", error));
  PetscFunctionReturn(0);
}

/* A run that was refused or left its bounds has no last state worth comparing. */
static PetscErrorCode advance(run *r, bool *comparable)
{
  const sb_case    *c = r->c;
  sb_integrator    *integrator = NULL;
  sb_advance_report report;

  PetscFunctionBeginUser;
  PetscCall(sb_integrator_create(r->setup.system, c->options, c->time.h_seconds, &integrator));
  sb_setup_show_progress(r->recorder, integrator, "step", 0, c->time.steps);
  PetscCall(sb_setup_open_balance(c, &r->setup, 0));
  PetscCall(sb_integrator_advance(integrator, 0, c->time.steps, r->setup.x, r->setup.v, &report));
  *comparable = report.status == SB_OK;
  if (*comparable) PetscCall(sb_setup_look(&r->setup, (double)c->time.steps * c->time.h_seconds, NULL));
  if (sb_integrator_minimizer(integrator))
    PetscCall(sb_setup_accuracy(c, r->recorder, *comparable && report.inaccurate == 0));
  if (*comparable) PetscCall(sb_setup_judge_end(c, integrator, r->recorder));
  PetscCall(sb_recorder_word(r->recorder, "linear_used", sb_integrator_package(integrator)));
  PetscCall(sb_integrator_destroy(&integrator));
  PetscCall(sb_recorder_real(r->recorder, "steps_done", (double)report.steps_done));
  PetscCall(sb_setup_broke_off(r->recorder, &report));
  if (*comparable) PetscCall(sb_setup_judge_burst(&r->setup, r->recorder));
  PetscCall(sb_setup_unconverged(r->recorder, report.unconverged, c->time.steps));
  PetscFunctionReturn(0);
}

static PetscErrorCode run_accuracy(const sb_case *c, sb_recorder *recorder)
{
  run            r = {.c = c, .recorder = recorder};
  bool           comparable = false;
  sb_start_state noted;

  PetscFunctionBeginUser;
  PetscCall(sb_setup_create(c, sb_rk4_reference_check, 0, recorder, &r.setup));
  PetscCall(sb_setup_keep_state(&r.setup, &r.start));
  PetscCall(sb_setup_keep_state(&r.setup, &r.reference));
  PetscCall(sb_recorder_real(recorder, "h_seconds", c->time.h_seconds));
  PetscCall(sb_setup_record_frame(&r.setup, recorder, (sb_frame_stamp){0, 0, 0, false}));
  PetscCall(sb_setup_note_start(&r.setup, recorder, &noted));
  PetscCall(advance(&r, &comparable));
  PetscCall(sb_setup_store_frames(c, &r.setup, recorder, &noted, c->time.steps));
  if (comparable) {
    PetscCall(sb_setup_record_last(c, &r.setup, recorder, 0, c->time.steps));
    PetscCall(compare(&r));
  }
  PetscCall(sb_start_state_destroy(&r.start));
  PetscCall(sb_start_state_destroy(&r.reference));
  PetscCall(sb_setup_destroy(&r.setup));
  PetscFunctionReturn(0);
}

const sb_driver sb_driver_accuracy = {
    .name = "accuracy",
    .summary = "error of a run's last state against the exact one, or against rk4 with h/64",
    .uses = "integrator",
    SB_COLUMNS(columns),
    .check = sb_rk4_reference_check,
    .run = run_accuracy,
};
