/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stoermer-Verlet in two positions (docs/model.md section 2; Hairer, Lubich, Wanner: Acta Numerica 12, 2003).
 *
 *     x+ = x + factor (x - x_ + h^2 a),  which is 2 x - x_ + h^2 a at factor 1
 *     v  = (x+ - x_)/2h                  the velocity at x, of order 2
 *
 * The state (x, v) after a step therefore needs a at the new x; the next step uses it again. With q = (1 + factor)/2h
 * and p = factor h/2 the velocity is v = q (x - x_) + p a. At the start x_ follows from the initial velocity by the
 * same formula: x_ = x0 - (v0 - p a0)/q, which is x0 - h v0 + h^2/2 a0 at factor 1.
 *
 * Drag and dampers need a velocity before a is known: v is predicted with the acceleration of the step before, an error
 * of h^2 that keeps the order. Contact acts on w = (x+ - x)/h at x, before x+ is taken. The v that is reported then is
 * the mean of (x - x_)/h and w after contact, so that it is 0 for a vertex that contact or friction holds. Pinned
 * vertices that move have v = (x+ - x)/h. Left out: any use of v in the recurrence itself, whose rounding is that of
 * two positions. */
#include "solvers/integrate/explicit.h"
#include "solvers/integrate/growth.h"

typedef struct {
  sb_explicit explicit; /* first: the state is one */
  double *previous;     /* [count] m: x_ */
  double *acceleration; /* [count] m/s^2, at the current position */
  double *way_speed;    /* [count] m/s, with contact: (x+ - x)/h */
  double  q, p;
} verlet;

static PetscErrorCode prepare(void *state, const sb_integrator_setup *setup)
{
  verlet      *s = state;
  sb_explicit *e = &s->explicit;

  PetscFunctionBeginUser;
  PetscCall(sb_explicit_prepare_fused(e, setup, SB_FUSED_STOERMER_VERLET));
  PetscCall(PetscMalloc2(e->count, &s->previous, e->count, &s->acceleration));
  if (e->filters) PetscCall(PetscMalloc1(e->count, &s->way_speed));
  s->q = (1 + e->factor) / (2 * e->h_seconds);
  s->p = 0.5 * e->factor * e->h_seconds;
  PetscFunctionReturn(0);
}

/* a = a(x, velocity), for any contents of velocity: the initial or the predicted one. */
static void accelerate(verlet *s)
{
  const sb_explicit *e = &s->explicit;
  const double *restrict force = e->total, *restrict inverse_mass = e->inverse_mass, *restrict gravity = e->gravity;
  const double *restrict velocity = e->velocity;
  double *restrict acceleration = s->acceleration;
  const double   drag = e->drag;
  const PetscInt count = e->count;
  for (PetscInt k = 0; k < count; ++k) {
    acceleration[k] = inverse_mass[k] * (force[k] - drag * velocity[k]) + gravity[k];
  }
}

/* v = q (x - x_) + p a: predicted with the old a, reported with the new one. */
static void differentiate(verlet *s)
{
  const double *restrict position = s->explicit.position, *restrict previous = s->previous;
  const double *restrict acceleration = s->acceleration;
  double *restrict velocity = s->explicit.velocity;
  const double   q = s->q, p = s->p;
  const PetscInt count = s->explicit.count;
  for (PetscInt k = 0; k < count; ++k) velocity[k] = q * (position[k] - previous[k]) + p * acceleration[k];
  sb_explicit_hold_pins(&s->explicit);
}

static void step_back(verlet *s)
{
  const sb_explicit *e = &s->explicit;
  for (PetscInt k = 0; k < e->count; ++k) {
    s->previous[k] = e->position[k] - (e->velocity[k] - s->p * s->acceleration[k]) / s->q;
  }
}

static void step_on(verlet *s)
{
  const double *restrict acceleration = s->acceleration;
  double *restrict position = s->explicit.position, *restrict previous = s->previous;
  const double   factor = s->explicit.factor, hh = s->explicit.h_seconds * s->explicit.h_seconds;
  const PetscInt count = s->explicit.count;
  for (PetscInt k = 0; k < count; ++k) {
    const double x = position[k];
    position[k] = x + factor * (x - previous[k] + hh * acceleration[k]);
    previous[k] = x;
  }
}

/* w = (x+ - x)/h of the step from time t, as contact leaves it. */
static void filter_way(verlet *s, double t)
{
  sb_explicit *e = &s->explicit;
  const double h = e->h_seconds;
  for (PetscInt k = 0; k < e->count; ++k) {
    s->way_speed[k] = e->factor * ((e->position[k] - s->previous[k]) / h + h * s->acceleration[k]);
  }
  if (e->moves_pins) sb_explicit_hold_moving_pins(e, s->way_speed);
  sb_explicit_filter(e, t, &(sb_contact_push){e->factor * h, t, e->position}, e->position, s->way_speed);
}

/* The velocity to report at time t: `differentiate`, with contact ((x - x_)/h + w)/2. */
static void report_velocity(verlet *s, double t)
{
  sb_explicit *e = &s->explicit;
  if (!e->filters) {
    differentiate(s);
    return;
  }
  filter_way(s, t);
  for (PetscInt k = 0; k < e->count; ++k)
    e->velocity[k] = 0.5 * ((e->position[k] - s->previous[k]) / e->h_seconds + s->way_speed[k]);
  sb_explicit_hold_pins(e);
}

/* x+ = x + h w */
static void step_on_filtered(verlet *s, double t)
{
  sb_explicit *e = &s->explicit;
  const double h = e->h_seconds;
  filter_way(s, t);
  for (PetscInt k = 0; k < e->count; ++k) {
    s->previous[k] = e->position[k];
    e->position[k] += h * s->way_speed[k];
  }
}

/* a at time t; `known`: velocity holds v, else v is predicted if it is needed. */
static PetscErrorCode renew_acceleration(verlet *s, double t, bool known)
{
  sb_explicit *e = &s->explicit;

  PetscFunctionBeginUser;
  PetscCall(sb_explicit_forces(e, t));
  if (!known && (e->drag > 0 || e->damped)) differentiate(s);
  PetscCall(sb_explicit_damp(e));
  accelerate(s);
  PetscFunctionReturn(0);
}

static PetscErrorCode start(verlet *s, int64_t step)
{
  PetscFunctionBeginUser;
  sb_explicit_begin_step(&s->explicit, step);
  PetscCall(renew_acceleration(s, (double)step * s->explicit.h_seconds, true));
  step_back(s);
  PetscFunctionReturn(0);
}

static PetscErrorCode advance(void *state, int64_t first_step, int64_t steps, Vec x, Vec v, sb_advance_report *report)
{
  verlet      *s = state;
  sb_explicit *e = &s->explicit;
  int64_t      step = first_step;

  PetscFunctionBeginUser;
  PetscCall(sb_explicit_begin(e, step, x, v));
  if (!e->resumed) PetscCall(start(s, step));
  while (step < first_step + steps && report->status == SB_OK) {
    if (e->resolves && step > first_step) report_velocity(s, (double)step * e->h_seconds); /* the state to go back to */
    sb_explicit_begin_step(e, step);
    if (e->filters)
      step_on_filtered(s, (double)step * e->h_seconds);
    else
      step_on(s);
    sb_explicit_place_pins(e);
    PetscCall(sb_explicit_resolve(e, step, report));
    if (report->status != SB_OK) break;
    /* from x+ of this step to that of a later one */
    PetscCall(sb_explicit_pass_fused(e, SB_FUSED_STOERMER_VERLET, &step, first_step + steps, s->previous,
                                     s->acceleration, report));
    PetscCall(renew_acceleration(s, (double)++step * e->h_seconds, false));
    PetscCall(sb_bounds_finish_step(&e->bounds, step, e->position, report));
  }
  if (step > first_step && report->status != SB_CASE_CONTACT_UNRESOLVED)
    report_velocity(s, (double)step * e->h_seconds);
  PetscCall(sb_explicit_end(e, step));
  PetscFunctionReturn(0);
}

static PetscErrorCode resume(void *state, int64_t step, Vec x, Vec v)
{
  return sb_explicit_resume(&((verlet *)state)->explicit, step, x, v);
}

static double *memory(void *state, size_t i)
{
  verlet *s = state;
  return i == 0 ? s->previous : s->acceleration;
}

static PetscErrorCode destroy(void *state)
{
  verlet *s = state;

  PetscFunctionBeginUser;
  PetscCall(PetscFree(s->way_speed));
  PetscCall(PetscFree2(s->previous, s->acceleration));
  PetscCall(sb_explicit_destroy(&s->explicit));
  PetscFunctionReturn(0);
}

/* In (x, x_); with damping in (x, x_, A = h^2 a), since a+ needs v = (1 + f)/2h (x+ - x) + f/2 h a, predicted with the
 * old a: A+ = -z^2 x+ - d h v. */
static double growth(double z, double d, double f)
{
  if (d == 0) return sb_spectral_radius(2, (double[]){1 + f - f * z * z, -f, 1, 0});
  const double next[3] = {1 + f, -f, f}, q = (1 + f) / 2, p = z * z + d * q; /* x+; A+ = d q x - p x+ - d f/2 A */
  return sb_spectral_radius(
      3, (double[]){next[0], next[1], next[2], 1, 0, 0, d * q - p * next[0], -p * next[1], -p * next[2] - d * f / 2});
}

const sb_integrator_method sb_integrator_stoermer_verlet = {
    .name = "stoermer_verlet",
    .spelled = "Störmer-Verlet",
    .summary = "Verlet's recurrence in two positions, central velocity",
    .uses = "device precision",
    .traits = SB_SYMPLECTIC | SB_TIME_SYMMETRIC | SB_CONSERVES_ANGULAR_MOMENTUM,
    .order_position = 2,
    .order_velocity = 2,
    .stability_limit = 2,
    .growth = growth,
    .device = SB_DEVICE_STOERMER_VERLET,
    .state_bytes = sizeof(verlet),
    .prepare = prepare,
    .advance = advance,
    .memory_name = {"previous_position", "acceleration"},
    .memory = memory,
    .resume = resume,
    .destroy = destroy,
};
