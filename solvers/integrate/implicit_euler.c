/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Implicit Euler, as a minimisation a step (docs/model.md section 3).
 *
 *     x+ = argmin g,  v+ = (x+ - x)/h, on free vertices * factor
 *
 * Martin, Thomaszewski, Grinspun, Gross: ACM TOG 30(4), 2011, for the incremental potential. Which minimiser lowers g,
 * and with which linear solver, is the options' choice. A step whose minimiser met no tolerance is counted and used;
 * one whose linear solve was refused, or in which a barrier kept pinned vertices from their places, is not, and ends
 * the run with the state it started from. */
#include "model/system/external.h"
#include "solvers/integrate/bounds.h"
#include "solvers/integrate/growth.h"
#include "solvers/minimize/on_device.h"

#include <math.h>
#include <stdio.h>

typedef struct {
  const sb_system *system;
  double           h_seconds, factor;
  sb_minimizer    *minimizer;
  sb_potential    *potential;
  sb_on_device    *device;  /* the minimiser's; NULL: none */
  Vec              z;       /* full: the iterate, x+ at the end */
  Vec              x, v;    /* on the device */
  bool             held;    /* they are the state of the last end */
  int64_t          seen[2]; /* states of the caller's x and v when they were copied from there */
  sb_bounds        bounds;
  bool             started; /* a step was made: with a barrier, from a state in which nothing cuts */
  sb_saddle_exit  *way;     /* NULL: ends in saddles are kept */
  bool             met;     /* the last step met every tolerance */
  double           force;   /* N: its last gradient */
} implicit;

static PetscErrorCode create_vectors(implicit *s, const sb_integrator_setup *setup)
{
  PetscFunctionBeginUser;
  PetscCall(sb_potential_create(setup->system, setup->h_seconds, &s->potential));
  PetscCall(sb_system_create_full(setup->system, &s->z));
  if (s->device) PetscCall(sb_system_create_full(setup->system, &s->x));
  if (s->device) PetscCall(sb_system_create_full(setup->system, &s->v));
  PetscFunctionReturn(0);
}

static PetscErrorCode prepare_exit(implicit *s, const sb_integrator_setup *setup)
{
  sb_options *direct = NULL;

  PetscFunctionBeginUser;
  if (!SB_FLAG(setup->options, leave_saddles)) PetscFunctionReturn(0);
  direct = sb_options_with(setup->options, (const char *const[]){"linear=panel", NULL});
  const PetscErrorCode failed = sb_saddle_exit_create(setup->system, direct, setup->h_seconds, "saddle_", &s->way);
  sb_options_destroy(&direct);
  PetscCall(failed);
  PetscFunctionReturn(0);
}

static PetscErrorCode prepare(void *state, const sb_integrator_setup *setup)
{
  implicit *s = state;

  PetscFunctionBeginUser;
  s->system = setup->system;
  s->h_seconds = setup->h_seconds;
  s->factor = setup->velocity_factor;
  sb_bounds_prepare(&s->bounds, setup);
  PetscCall(sb_minimizer_create(setup->system, setup->options, setup->h_seconds, "", &s->minimizer));
  PetscCall(prepare_exit(s, setup));
  s->device = sb_minimizer_vectors(s->minimizer);
  PetscCall(sb_on_device_enter(s->device, setup->system));
  const PetscErrorCode failed = create_vectors(s, setup);
  PetscCall(sb_on_device_leave(s->device, setup->system));
  PetscCall(failed);
  PetscFunctionReturn(0);
}

static void add_up(sb_advance_report *report, const sb_minimize_report *step)
{
  sb_report_add_solve(report, step);
  report->linear_outcome = step->linear_outcome;
  if (!step->converged) report->unconverged++;
  if (!step->accurate) report->inaccurate++;
}

static void move(PetscInt count, double h, const double *restrict z, double *restrict position,
                 double *restrict velocity)
{
  for (PetscInt k = 0; k < count; ++k) {
    velocity[k] = (z[k] - position[k]) / h;
    position[k] = z[k];
  }
}

static void damp(const sb_system *system, double factor, double *velocity)
{
  for (PetscInt i = 0; i < system->owned; ++i)
    for (PetscInt k = 3 * i; k < 3 * i + 3 && !system->pinned[i]; ++k) velocity[k] *= factor;
}

/* The same on a device, which reports whether the exact test is needed. */
static PetscErrorCode take_step_there(implicit *s, int64_t step, sb_advance_report *report)
{
  const double *position;
  bool          near;

  PetscFunctionBeginUser;
  PetscCall(sb_on_device_move(s->z, s->factor, s->bounds.center, SB_NEAR * s->bounds.radius, s->x, s->v, &near));
  if (near) {
    sb_bounds_finish_near_step(&s->bounds, step, report);
    PetscFunctionReturn(0);
  }
  PetscCall(VecGetArrayRead(s->x, &position));
  PetscCall(sb_bounds_finish_step(&s->bounds, step, position, report));
  PetscCall(VecRestoreArrayRead(s->x, &position));
  PetscFunctionReturn(0);
}

/* v = (z - x)/h, damped where free, x = z. */
static PetscErrorCode take_step(implicit *s, int64_t step, Vec x, Vec v, sb_advance_report *report)
{
  const sb_system *system = s->system;
  const double    *z;
  double          *position, *velocity;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(s->z, &z));
  PetscCall(VecGetArray(x, &position));
  PetscCall(VecGetArray(v, &velocity));
  move(3 * system->owned, s->h_seconds, z, position, velocity);
  if (s->factor != 1) damp(system, s->factor, velocity);
  PetscCall(sb_bounds_finish_step(&s->bounds, step, position, report));
  PetscCall(VecRestoreArray(v, &velocity));
  PetscCall(VecRestoreArray(x, &position));
  PetscCall(VecRestoreArrayRead(s->z, &z));
  PetscFunctionReturn(0);
}

static void end_blocked(const implicit *s, int64_t step, sb_advance_report *report)
{
  report->status = SB_CASE_CONTACT_UNRESOLVED;
  snprintf(report->reason, sizeof report->reason,
           "step %lld (t = %.6g s): pinned vertices cannot reach their places: the net is in their way",
           (long long)step, (double)step * s->h_seconds);
}

/* The state of a file to go on from may have faces that cut each other, which a barrier keeps as they are. */
static PetscErrorCode look_at_start(implicit *s, int64_t step, Vec x, sb_advance_report *report)
{
  const double *position;
  int64_t       cuts = 0;

  PetscFunctionBeginUser;
  if (s->started || !s->system->barrier) PetscFunctionReturn(0);
  s->started = true;
  PetscCall(VecGetArrayRead(x, &position));
  cuts = sb_barrier_cuts(s->system->barrier, position);
  PetscCall(VecRestoreArrayRead(x, &position));
  PetscCheck(cuts >= 0, PETSC_COMM_SELF, PETSC_ERR_MEM, "out of memory");
  if (cuts == 0) PetscFunctionReturn(0);
  report->status = SB_CASE_CONTACT_UNRESOLVED;
  snprintf(report->reason, sizeof report->reason,
           "step %lld (t = %.6g s): %lld pairs of triangles intersect at the start", (long long)step,
           (double)step * s->h_seconds, (long long)cuts);
  PetscFunctionReturn(0);
}

/* For dampers and air, pinned vertices move as their path does, also after a start with another one. */
static PetscErrorCode move_pins(const implicit *s, double t_seconds, Vec v)
{
  double *velocity;

  PetscFunctionBeginUser;
  if (!sb_system_is_damped(s->system)) PetscFunctionReturn(0);
  PetscCall(VecGetArray(v, &velocity));
  sb_system_set_pin_velocities(s->system, t_seconds, s->h_seconds, velocity);
  PetscCall(VecRestoreArray(v, &velocity));
  PetscFunctionReturn(0);
}

/* Minimises again after leaving each saddle that the step ends in. */
static PetscErrorCode leave_saddles(implicit *s, sb_minimize_report *solve, sb_advance_report *report)
{
  bool       left = s->way != NULL;
  sb_outcome outcome;

  PetscFunctionBeginUser;
  for (int i = 0; left && solve->accurate && i < SB_SADDLES_MAX; ++i) {
    PetscCall(sb_saddle_exit_take(s->way, s->potential, s->z, &left, &outcome));
    if (!left) break;
    sb_report_add_solve(report, solve);
    PetscCall(sb_minimizer_continue(s->minimizer, s->potential, s->z, solve));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode make_steps(implicit *s, int64_t first_step, int64_t steps, Vec x, Vec v,
                                 sb_advance_report *report)
{
  PetscFunctionBeginUser;
  for (int64_t step = first_step + 1; step <= first_step + steps && report->status == SB_OK; ++step) {
    sb_minimize_report solve;
    const double       now = (double)(step - 1) * s->h_seconds;
    if (!s->device) PetscCall(move_pins(s, now, v));
    s->potential->step = step - 1;
    PetscCall(sb_potential_set_state(s->potential, now, x, v));
    PetscCall(sb_minimizer_run(s->minimizer, s->potential, s->z, &solve));
    PetscCall(leave_saddles(s, &solve, report));
    add_up(report, &solve);
    s->met = solve.accurate;
    s->force = solve.gradient_norm;
    if (!sb_outcome_accepted(solve.linear_outcome))
      sb_report_refused_solve(report, step, s->h_seconds, &solve);
    else if (solve.blocked)
      end_blocked(s, step, report);
    else if (s->device)
      PetscCall(take_step_there(s, step, report));
    else
      PetscCall(take_step(s, step, x, v, report));
  }
  PetscFunctionReturn(0);
}

/* On a device x and v stay there, also until the next call if nothing else has changed them. */
static PetscErrorCode advance(void *state, int64_t first_step, int64_t steps, Vec x, Vec v, sb_advance_report *report)
{
  implicit *s = state;

  PetscFunctionBeginUser;
  PetscCall(look_at_start(s, first_step, x, report));
  if (!s->device) {
    PetscCall(make_steps(s, first_step, steps, x, v, report));
    PetscFunctionReturn(0);
  }
  if (!s->held || sb_vec_state(x) != s->seen[0] || sb_vec_state(v) != s->seen[1]) {
    PetscCall(move_pins(s, (double)first_step * s->h_seconds, v));
    PetscCall(VecCopy(x, s->x));
    PetscCall(VecCopy(v, s->v));
  }
  PetscCall(make_steps(s, first_step, steps, s->x, s->v, report));
  PetscCall(VecCopy(s->x, x));
  PetscCall(VecCopy(s->v, v));
  s->held = true;
  s->seen[0] = sb_vec_state(x);
  s->seen[1] = sb_vec_state(v);
  PetscFunctionReturn(0);
}

static sb_minimizer *minimizer(void *state) { return ((implicit *)state)->minimizer; }

/* On a device z is there. */
static PetscErrorCode find_end(void *state, const sb_options *options, double flops_max, sb_point *kind)
{
  implicit *s = state;
  Vec       z = NULL;

  PetscFunctionBeginUser;
  *kind = SB_POINT_UNKNOWN;
  if (!s->met || !sb_minimizer_tests_gradient(options)) PetscFunctionReturn(0);
  PetscCall(sb_system_create_full(s->potential->system, &z));
  PetscCall(VecCopy(s->z, z));
  PetscCall(sb_point_of_potential(s->potential, options, z, s->force, flops_max, kind));
  PetscCall(VecDestroy(&z));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *state)
{
  implicit *s = state;

  PetscFunctionBeginUser;
  PetscCall(sb_saddle_exit_destroy(&s->way));
  PetscCall(VecDestroy(&s->z));
  PetscCall(VecDestroy(&s->x));
  PetscCall(VecDestroy(&s->v));
  PetscCall(sb_potential_destroy(&s->potential));
  PetscCall(sb_minimizer_destroy(&s->minimizer));
  PetscFunctionReturn(0);
}

/* (1 + z^2) x+ = x + (1 - d) v, drag being explicit; v+ = f (x+ - x). */
static double growth(double z, double d, double f)
{
  const double x = 1 / (1 + z * z), v = (1 - d) * x;
  return sb_spectral_radius(2, (double[]){x, v, f * (x - 1), f * v});
}

static double phase(double z) { return atan(z); }

const sb_integrator_method sb_integrator_implicit_euler = {
    .name = "implicit_euler",
    .summary = "backward Euler by minimising the incremental potential",
    .aliases = (const sb_alias[]){{"implicit", NULL}, {"backward_euler", NULL}, {NULL, NULL}},
    .uses = "minimizer max_iterations step_tolerance gradient_tolerance start pin_method pin_weight device precision "
            "leave_saddles",
    .traits = SB_MINIMIZES | SB_ENDS_AT_MINIMUM | SB_DISSIPATES,
    .order_position = 1,
    .order_velocity = 1,
    .stability_limit = INFINITY,
    .growth = growth,
    .phase = phase,
    .device = SB_DEVICE_MINIMIZES,
    .state_bytes = sizeof(implicit),
    .prepare = prepare,
    .advance = advance,
    .minimizer = minimizer,
    .find_end = find_end,
    .destroy = destroy,
};
