/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Explicit Euler: both updates from the state at the start of the step (docs/model.md section 2).
 *
 *     x+ = x + h v,  v+ = (v + h a(x, v)) * factor
 *
 * On an undamped oscillator the energy grows by 1 + h^2 w^2 a step, at any h; it is here to be compared with. Contact
 * acts on v, which moves the position: before the force update, so that a vertex at rest on a plane creeps in. */
#include "solvers/integrate/explicit.h"
#include "solvers/integrate/growth.h"

#include <math.h>

static PetscErrorCode prepare(void *state, const sb_integrator_setup *setup)
{
  PetscFunctionBeginUser;
  PetscCall(sb_explicit_prepare_fused(state, setup, SB_FUSED_EXPLICIT_EULER));
  PetscFunctionReturn(0);
}

static PetscErrorCode advance(void *state, int64_t first_step, int64_t steps, Vec x, Vec v, sb_advance_report *report)
{
  sb_explicit *e = state;
  int64_t      step = first_step;

  PetscFunctionBeginUser;
  PetscCall(sb_explicit_begin(e, step, x, v));
  PetscCall(sb_explicit_take_fused(e, SB_FUSED_EXPLICIT_EULER, &step, first_step + steps, report));
  while (step < first_step + steps && report->status == SB_OK) {
    const double t = (double)step * e->h_seconds;
    sb_explicit_begin_step(e, step);
    sb_explicit_filter(e, t, &(sb_contact_push){e->factor * e->h_seconds, t, e->position}, e->position, e->velocity);
    PetscCall(sb_explicit_forces(e, t));
    PetscCall(sb_explicit_damp(e));
    sb_explicit_drift(e);
    sb_explicit_kick(e, e->h_seconds, e->factor);
    PetscCall(sb_explicit_resolve(e, step, report));
    if (report->status != SB_OK) break;
    PetscCall(sb_bounds_finish_step(&e->bounds, ++step, e->position, report));
  }
  PetscCall(sb_explicit_end(e, step));
  PetscFunctionReturn(0);
}

static double growth(double z, double d, double f)
{
  return sb_spectral_radius(2, (double[]){1, 1, -f * z * z, f * (1 - d)});
}

static double phase(double z) { return atan(z); }

const sb_integrator_method sb_integrator_explicit_euler = {
    .name = "explicit_euler",
    .summary = "forward Euler, position and velocity from the old state",
    .uses = "device precision",
    .aliases = (const sb_alias[]){{"explicit", NULL}, {"forward_euler", NULL}, {NULL, NULL}},
    .order_position = 1,
    .order_velocity = 1,
    .stability_limit = 0,
    .growth = growth,
    .phase = phase,
    .device = SB_DEVICE_EXPLICIT_EULER,
    .state_bytes = sizeof(sb_explicit),
    .prepare = prepare,
    .advance = advance,
    .destroy = sb_explicit_destroy_state,
};
