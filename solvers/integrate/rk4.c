/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The classical Runge-Kutta method of order 4 (docs/model.md section 2; runge_kutta.c).
 *
 * On an undamped oscillator |lambda|^2 = 1 - z^6/72 + z^8/576, z = h w: it dissipates up to z = sqrt(8), where it is
 * neutral, and grows beyond. */
#include "solvers/integrate/runge_kutta.h"

#include <math.h>

static const sb_runge_kutta_tableau tableau = {
    .stages = 4, .at = {0, 0.5, 0.5, 1}, .weight = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}};

static PetscErrorCode advance(void *state, int64_t first_step, int64_t steps, Vec x, Vec v, sb_advance_report *report)
{
  sb_runge_kutta *rk = state;
  rk->tableau = &tableau;
  return sb_runge_kutta_advance(rk, first_step, steps, x, v, report);
}

static double growth(double z, double d, double f) { return sb_runge_kutta_growth(&tableau, z, d, f); }

/* In (0, pi) also beyond z = sqrt(6), where the eigenvalues cross. */
static double phase(double z) { return atan2(fabs(z - z * z * z / 6), 1 - z * z / 2 + z * z * z * z / 24); }

const sb_integrator_method sb_integrator_rk4 = {
    .name = "rk4",
    .spelled = "Runge-Kutta 4",
    .summary = "classical Runge-Kutta of order 4, four force evaluations per step",
    .order_position = 4,
    .order_velocity = 4,
    .stability_limit = 2.8284271247461903, /* sqrt(8) */
    .growth = growth,
    .phase = phase,
    .state_bytes = sizeof(sb_runge_kutta),
    .prepare = sb_runge_kutta_prepare,
    .advance = advance,
    .destroy = sb_runge_kutta_destroy,
};
