/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verlet's recurrence between projections onto the springs' rest lengths (docs/model.md section 2; Jakobsen: Advanced
 * Character Physics, GDC 2001).
 *
 *     p  = x after `passes` Gauss-Seidel passes over the springs, each of which restores |x_i - x_j| = l
 *     x+ = p + (1 - d)(p - p_) + h^2 (g + a_w(p, t)),  v = (x+ - p)/h
 *
 * p_ is the projected position of the step before, x0 - h v0 at the start; d is `verlet_damping`, per step. Stiffness
 * plays no part, so a step of any size is stable; neither do drag, dampers, the velocity factor and penalty contact,
 * which need a force or a velocity update. Contact filters v at p, before it moves the position. The passes go through
 * the global list one spring after the other: on one rank only.
 *
 * A rope at rest under one pass has segments longer than their rest length by (nodes below) h^2 |g|. */
#include "solvers/integrate/explicit.h"

#include <math.h>

typedef struct {
  sb_explicit explicit; /* first: the state is one */
  double *previous;     /* [count] m: p_ */
  double *field;        /* [count] m/s^2: a_w */
  int64_t passes;
  double  kept; /* 1 - d */
} projected;

static PetscErrorCode prepare(void *state, const sb_integrator_setup *setup)
{
  projected   *s = state;
  sb_explicit *e = &s->explicit;

  PetscFunctionBeginUser;
  PetscCheck(setup->system->ranks == 1, setup->system->comm, PETSC_ERR_SUP,
             "position_verlet projects one spring after the other: it runs on one rank, not on %d",
             setup->system->ranks);
  PetscCall(sb_explicit_prepare(e, setup, true));
  PetscCall(PetscCalloc2(e->count, &s->previous, e->count, &s->field));
  s->passes = SB_INTEGER(setup->options, passes);
  s->kept = 1 - SB_REAL(setup->options, verlet_damping);
  PetscFunctionReturn(0);
}

/* Takes the ends of spring n to its rest length along it; one of length 0 has no direction and stays. */
static void restore_length(const sb_system *system, int n, double *position)
{
  const int    i = system->springs.first[n], j = system->springs.second[n];
  double      *a = &position[3 * i], *b = &position[3 * j];
  const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  const double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  const double share_a = system->pinned[i] ? 0 : system->pinned[j] ? 1 : 0.5;
  const double share_b = system->pinned[j] ? 0 : system->pinned[i] ? 1 : 0.5;
  if (r == 0) return;
  const double excess = (r - system->springs.rest_length[n]) / r;
  for (int c = 0; c < 3; ++c) {
    a[c] -= share_a * excess * d[c];
    b[c] += share_b * excess * d[c];
  }
}

static void project(projected *s)
{
  const sb_system *system = s->explicit.system;
  const double     started = sb_profile_start(s->explicit.profile);
  for (int64_t pass = 0; pass < s->passes; ++pass) {
    for (int n = 0; n < system->springs.count; ++n) restore_length(system, n, s->explicit.position);
  }
  sb_profile_stop(s->explicit.profile, SB_PHASE_FORCES, started);
}

/* v = ((1 - d)(p - p_) + h^2 a)/h, and p_ = p. */
static void renew_velocity(projected *s, double t)
{
  sb_explicit     *e = &s->explicit;
  const sb_system *system = e->system;
  const double     h = e->h_seconds;
  if (system->field) sb_field_evaluate(system->field, t, (size_t)system->owned, e->position, s->field);
  for (PetscInt k = 0; k < e->count; ++k) {
    const double p = e->position[k], a = system->pinned[k / 3] ? 0 : e->gravity[k] + s->field[k];
    e->velocity[k] = system->pinned[k / 3] ? 0 : s->kept * (p - s->previous[k]) / h + h * a;
    s->previous[k] = p;
  }
}

static PetscErrorCode advance(void *state, int64_t first_step, int64_t steps, Vec x, Vec v, sb_advance_report *report)
{
  projected   *s = state;
  sb_explicit *e = &s->explicit;
  int64_t      step = first_step;

  PetscFunctionBeginUser;
  PetscCall(sb_explicit_begin(e, step, x, v));
  for (PetscInt k = 0; k < e->count && !e->resumed; ++k) {
    s->previous[k] = e->position[k] - e->h_seconds * e->velocity[k];
  }
  while (step < first_step + steps && report->status == SB_OK) {
    const double t = (double)step * e->h_seconds;
    sb_explicit_begin_step(e, step);
    project(s);
    renew_velocity(s, t);
    sb_explicit_hold_pins(e);
    sb_explicit_filter(e, t, NULL, e->position, e->velocity);
    sb_explicit_drift(e);
    PetscCall(sb_explicit_resolve(e, step, report));
    if (report->status != SB_OK) break;
    PetscCall(sb_bounds_finish_step(&e->bounds, ++step, e->position, report));
  }
  PetscCall(sb_explicit_end(e, step));
  PetscFunctionReturn(0);
}

static double *memory(void *state, size_t i)
{
  (void)i;
  return ((projected *)state)->previous;
}

static PetscErrorCode resume(void *state, int64_t step, Vec x, Vec v)
{
  return sb_explicit_resume(&((projected *)state)->explicit, step, x, v);
}

static PetscErrorCode destroy(void *state)
{
  projected *s = state;

  PetscFunctionBeginUser;
  PetscCall(PetscFree2(s->previous, s->field));
  PetscCall(sb_explicit_destroy(&s->explicit));
  PetscFunctionReturn(0);
}

const sb_integrator_method sb_integrator_position_verlet = {
    .name = "position_verlet",
    .summary = "projection onto rest lengths, then Verlet's recurrence from the projected positions",
    .uses = "passes verlet_damping device precision",
    .traits = SB_PROJECTS_LENGTHS | SB_SERIAL_ONLY_INTEGRATOR | SB_UNCOUNTED_STEPS,
    .order_position = 0,
    .order_velocity = 0,
    .stability_limit = INFINITY,
    .device = SB_DEVICE_POSITION_VERLET,
    .state_bytes = sizeof(projected),
    .prepare = prepare,
    .advance = advance,
    .memory_name = {"previous_position"},
    .memory = memory,
    .resume = resume,
    .destroy = destroy,
};
