/* SPDX-License-Identifier: GPL-3.0-or-later */
/* BDF2 (Hairer and Wanner 1996, V.1): one stage of implicit Euler, 2h/3 long, from states extrapolated over two steps.
 *
 *     y = (4 x - x_)/3,  w = (4 v - f v_)/3,  x+ = z,  v+ = f (z - y)/(2h/3)
 *
 * (x_, v_) is the start of the former step, and f the velocity factor, which thus acts on both velocities. The method
 * has order 2 and is L-stable. Its first step has two stages of the same length, with weights of 1/2, from (x, v) and
 * from (x - h/3 W_1, v - h/3 a_1). It has order 2, too, and is A-stable, with |R| = 7/8 at infinity. A step is a first
 * one at the start of a run, and after each step whose end contact has changed: a jump of v is not a slope. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "solvers/integrate/growth.h"
#include "solvers/integrate/stages.h"

#define PART (2. / 3)

static const sb_diagonal_rule first = {2, PART, -1. / 3, {0.5, 0.5}};

static void remember(sb_stages *s)
{
  for (int i = 0; i < 2; ++i) memcpy(s->memory[i], s->start[i], (size_t)s->explicit.count * sizeof(double));
}

static PetscErrorCode take_step(sb_stages *s, double t_seconds, double *x, double *v)
{
  const double   factor = s->explicit.factor, part = s->part_seconds;
  const PetscInt count = s->explicit.count;
  double        *y = s->wanted[0], *w = s->wanted[1];

  PetscFunctionBeginUser;
  if (s->fresh) {
    PetscCall(sb_stages_take(s, &first, t_seconds, x, v));
    remember(s);
    PetscFunctionReturn(0);
  }
  for (PetscInt k = 0; k < count; ++k) {
    y[k] = (4 * x[k] - s->memory[0][k]) / 3;
    w[k] = (4 * v[k] - factor * s->memory[1][k]) / 3;
  }
  PetscCall(sb_stages_solve(s, t_seconds + s->explicit.h_seconds - part, y, w, x));
  for (PetscInt k = 0; k < count; ++k) v[k] = (x[k] - y[k]) / part;
  remember(s);
  PetscFunctionReturn(0);
}

static PetscErrorCode prepare(void *state, const sb_integrator_setup *setup)
{
  return sb_stages_prepare(state, setup, PART, 2);
}

static PetscErrorCode advance(void *state, int64_t first_step, int64_t steps, Vec x, Vec v, sb_advance_report *report)
{
  return sb_stages_advance(state, take_step, first_step, steps, x, v, report);
}

/* In (x, x_, v, v_) with velocities times h: x+ = p (y + part w - part^2 d v), v+ = f (x+ - y)/part. */
static double growth(double z, double d, double f)
{
  const double p = 1 / (1 + PART * PART * z * z), back = f / PART;
  const double y[4] = {4. / 3, -1. / 3, 0, 0}, pw[4] = {0, 0, PART * (4. / 3 - PART * d), -PART * f / 3};
  double       m[16] = {[4] = 1, [14] = 1};
  for (int k = 0; k < 4; ++k) {
    m[k] = p * (y[k] + pw[k]);
    m[8 + k] = back * (m[k] - y[k]);
  }
  return sb_spectral_radius(4, m);
}

/* The root of (3/2 - i z) r^2 - 2 r + 1/2 = 0 that goes on from r = 1. */
static double phase(double z) { return carg((2 + csqrt(1 + 2 * I * z)) / (3 - 2 * I * z)); }

const sb_integrator_method sb_integrator_bdf2 = {
    .name = "bdf2",
    .spelled = "BDF2",
    .summary = "the second-order backward differentiation formula: a stage of backward Euler per step",
    .uses = "minimizer max_iterations step_tolerance gradient_tolerance start pin_method pin_weight",
    .traits = SB_MINIMIZES | SB_SERIAL_ONLY_INTEGRATOR,
    .order_position = 2,
    .order_velocity = 2,
    .order_braked = 1,
    .stability_limit = INFINITY,
    .growth = growth,
    .phase = phase,
    .refuses_friction = sb_stages_refuse_friction,
    .state_bytes = sizeof(sb_stages),
    .prepare = prepare,
    .advance = advance,
    .minimizer = sb_stages_minimizer,
    .memory_name = {"former_position", "former_velocity"},
    .memory = sb_stages_memory,
    .resume = sb_stages_resume,
    .destroy = sb_stages_destroy,
};
