/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Explicit Runge-Kutta methods; see runge_kutta.h. Hairer, Norsett, Wanner: Solving Ordinary Differential Equations I,
 * 1993, section II.1. For (x, v)' = (v, a(x, v, t)), with x_0 = x, v_0 = v, a_i = a(x_i, v_i, t + c_i h):
 *
 *     x_i = x + c_i h v_{i-1},  v_i = v + c_i h a_{i-1}
 *     w = sum b_i v_i,  v+ = factor (v + h sum b_i a_i),  x+ = x + h w
 *
 * Field, penalty contact and moving pins are taken at the time of the stage. Contact acts on w at x, before it moves
 * the position, and on v+ at x+: the stages in between may enter a collider. For friction the penalty force acts at
 * the means of the stages' positions and times. The weights on v+ are b_i, for h. The weights on w are 2 b_i c_i of
 * stage i - 1, for h/2, as sum b_i c_i = 1/2. The velocity of moving pins is that of the whole step in every stage, so
 * dampers on them leave order 2. */
#include "solvers/integrate/runge_kutta.h"

#include <string.h>

#include "model/system/external.h"
#include "solvers/integrate/growth.h"

PetscErrorCode sb_runge_kutta_prepare(void *state, const sb_integrator_setup *setup)
{
  sb_runge_kutta *rk = state;
  sb_explicit    *e = &rk->explicit;

  PetscFunctionBeginUser;
  PetscCall(sb_explicit_prepare(e, setup, false));
  PetscCall(
      PetscMalloc5(e->count, &rk->x, e->count, &rk->v, e->count, &rk->a, e->count, &rk->mean_v, e->count, &rk->mean_a));
  if (e->filters) PetscCall(PetscMalloc2(e->count, &rk->push[0], e->count, &rk->push[1]));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_runge_kutta_destroy(void *state)
{
  sb_runge_kutta *rk = state;

  PetscFunctionBeginUser;
  PetscCall(PetscFree2(rk->push[0], rk->push[1]));
  PetscCall(PetscFree5(rk->x, rk->v, rk->a, rk->mean_v, rk->mean_a));
  PetscCall(sb_explicit_destroy(&rk->explicit));
  PetscFunctionReturn(0);
}

static void start_step(sb_runge_kutta *rk)
{
  const sb_explicit *e = &rk->explicit;
  const size_t       bytes = (size_t)e->count * sizeof(double);
  memcpy(rk->x, e->position, bytes);
  memcpy(rk->v, e->velocity, bytes);
  memset(rk->mean_v, 0, bytes);
  memset(rk->mean_a, 0, bytes);
  for (int i = 0; i < 2 && e->filters; ++i) {
    memset(rk->push[i], 0, bytes);
    rk->push_at[i] = 0;
  }
}

static void add_push(sb_runge_kutta *rk, int i, double weight, double t)
{
  for (PetscInt k = 0; k < rk->explicit.count; ++k) rk->push[i][k] += weight * rk->explicit.position[k];
  rk->push_at[i] += weight * t;
}

/* From stage i - 1 to stage i, which is dt after the start. */
static void next_stage(sb_runge_kutta *rk, double dt)
{
  const double *restrict x = rk->x, *restrict v = rk->v, *restrict a = rk->a;
  double *restrict position = rk->explicit.position, *restrict velocity = rk->explicit.velocity;
  const PetscInt count = rk->explicit.count;
  for (PetscInt k = 0; k < count; ++k) {
    position[k] = x[k] + dt * velocity[k];
    velocity[k] = v[k] + dt * a[k];
  }
}

/* a of the stage, and its part in the means. */
static void add_slope(sb_runge_kutta *rk, double weight)
{
  const sb_explicit *e = &rk->explicit;
  const double *restrict force = e->total, *restrict inverse_mass = e->inverse_mass, *restrict gravity = e->gravity;
  const double *restrict velocity = e->velocity;
  double *restrict a = rk->a, *restrict mean_v = rk->mean_v, *restrict mean_a = rk->mean_a;
  const double   drag = e->drag;
  const PetscInt count = e->count;
  for (PetscInt k = 0; k < count; ++k) {
    a[k] = inverse_mass[k] * (force[k] - drag * velocity[k]) + gravity[k];
    mean_v[k] += weight * velocity[k];
    mean_a[k] += weight * a[k];
  }
}

static PetscErrorCode finish_step(sb_runge_kutta *rk, int64_t step, sb_advance_report *report)
{
  sb_explicit *e = &rk->explicit;
  const double h = e->h_seconds, factor = e->factor;
  const double t = (double)step * h, end = (double)(step + 1) * h;

  PetscFunctionBeginUser;
  sb_explicit_filter(e, t, &(sb_contact_push){0.5 * h, rk->push_at[1], rk->push[1]}, rk->x, rk->mean_v);
  for (PetscInt k = 0; k < e->count; ++k) {
    e->position[k] = rk->x[k] + h * rk->mean_v[k];
    e->velocity[k] = factor * (rk->v[k] + h * rk->mean_a[k]);
  }
  sb_explicit_place_pins(e);
  sb_explicit_hold_pins(e);
  PetscCall(sb_explicit_resolve(e, step, report));
  if (report->status == SB_OK)
    sb_explicit_filter(e, end, &(sb_contact_push){factor * h, rk->push_at[0], rk->push[0]}, e->position, e->velocity);
  PetscFunctionReturn(0);
}

static PetscErrorCode take_step(sb_runge_kutta *rk, int64_t step, sb_advance_report *report)
{
  const sb_runge_kutta_tableau *tableau = rk->tableau;
  sb_explicit                  *e = &rk->explicit;
  const double                  h = e->h_seconds;

  PetscFunctionBeginUser;
  sb_explicit_begin_step(e, step);
  start_step(rk);
  for (int i = 0; i < tableau->stages; ++i) {
    const double t = ((double)step + tableau->at[i]) * h;
    if (i > 0) next_stage(rk, tableau->at[i] * h);
    if (i > 0 && e->moves_pins) {
      sb_system_place_pins(e->system, t, e->position);
      sb_explicit_hold_pins(e);
    }
    PetscCall(sb_explicit_forces(e, t));
    PetscCall(sb_explicit_damp(e));
    add_slope(rk, tableau->weight[i]);
    if (!e->filters) continue;
    add_push(rk, 0, tableau->weight[i], t);
    if (i + 1 < tableau->stages) add_push(rk, 1, 2 * tableau->weight[i + 1] * tableau->at[i + 1], t);
  }
  PetscCall(finish_step(rk, step, report));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_runge_kutta_advance(sb_runge_kutta *rk, int64_t first_step, int64_t steps, Vec x, Vec v,
                                      sb_advance_report *report)
{
  sb_explicit *e = &rk->explicit;
  int64_t      step = first_step;

  PetscFunctionBeginUser;
  PetscCall(sb_explicit_begin(e, step, x, v));
  while (step < first_step + steps && report->status == SB_OK) {
    PetscCall(take_step(rk, step, report));
    if (report->status != SB_OK) break;
    PetscCall(sb_bounds_finish_step(&e->bounds, ++step, e->position, report));
  }
  PetscCall(sb_explicit_end(e, step));
  PetscFunctionReturn(0);
}

/* The same stages in (x, h v), from each of the two unit states. */
double sb_runge_kutta_growth(const sb_runge_kutta_tableau *tableau, double z, double d, double f)
{
  double step[4];
  for (int column = 0; column < 2; ++column) {
    const double x0 = column == 0 ? 1 : 0, v0 = 1 - x0;
    double       slope_x = 0, slope_v = 0, mean_x = 0, mean_v = 0;
    for (int i = 0; i < tableau->stages; ++i) {
      const double x = x0 + tableau->at[i] * slope_x, v = v0 + tableau->at[i] * slope_v;
      slope_x = v;
      slope_v = -z * z * x - d * v;
      mean_x += tableau->weight[i] * slope_x;
      mean_v += tableau->weight[i] * slope_v;
    }
    step[column] = x0 + mean_x;
    step[2 + column] = f * (v0 + mean_v);
  }
  return sb_spectral_radius(2, step);
}
