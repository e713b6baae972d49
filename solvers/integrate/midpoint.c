/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The explicit midpoint rule, Runge's method of order 2 (docs/model.md section 2; runge_kutta.c).
 *
 *     x+ = x + h (v + h/2 a(x, v)),  v+ = v + h a(x + h/2 v, v + h/2 a(x, v), t + h/2)
 *
 * On an undamped oscillator |lambda|^2 = 1 + (h w)^4/4 > 1: no step is stable. */
#include "solvers/integrate/runge_kutta.h"

#include <math.h>

static const sb_runge_kutta_tableau tableau = {.stages = 2, .at = {0, 0.5}, .weight = {0, 1}};

static PetscErrorCode advance(void *state, int64_t first_step, int64_t steps, Vec x, Vec v, sb_advance_report *report)
{
  sb_runge_kutta *rk = state;
  rk->tableau = &tableau;
  return sb_runge_kutta_advance(rk, first_step, steps, x, v, report);
}

static double growth(double z, double d, double f) { return sb_runge_kutta_growth(&tableau, z, d, f); }

static double phase(double z) { return atan2(z, 1 - z * z / 2); }

const sb_integrator_method sb_integrator_midpoint = {
    .name = "midpoint",
    .spelled = "midpoint rule",
    .summary = "Runge-Kutta of order 2 with the slope at the midpoint",
    .order_position = 2,
    .order_velocity = 2,
    .stability_limit = 0,
    .growth = growth,
    .phase = phase,
    .state_bytes = sizeof(sb_runge_kutta),
    .prepare = sb_runge_kutta_prepare,
    .advance = advance,
    .destroy = sb_runge_kutta_destroy,
};
