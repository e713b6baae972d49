/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symplectic (semi-implicit) Euler: the new velocity moves the position (docs/model.md section 2).
 *
 *     v+ = contact((v + h a(x, v)) * factor),  x+ = x + h v+
 *
 * Hairer, Lubich, Wanner: Geometric Numerical Integration, 2006, section I.1. On the undamped oscillator it conserves
 * m v^2/2 + k x^2/2 - h k x v/2. */
#include "solvers/integrate/explicit.h"
#include "solvers/integrate/growth.h"

static PetscErrorCode prepare(void *state, const sb_integrator_setup *setup)
{
  PetscFunctionBeginUser;
  PetscCall(sb_explicit_prepare_fused(state, setup, SB_FUSED_SYMPLECTIC_EULER));
  PetscFunctionReturn(0);
}

static PetscErrorCode advance(void *state, int64_t first_step, int64_t steps, Vec x, Vec v, sb_advance_report *report)
{
  sb_explicit *e = state;
  int64_t      step = first_step;

  PetscFunctionBeginUser;
  PetscCall(sb_explicit_begin(e, step, x, v));
  PetscCall(sb_explicit_take_fused(e, SB_FUSED_SYMPLECTIC_EULER, &step, first_step + steps, report));
  while (step < first_step + steps && report->status == SB_OK) {
    const double t = (double)step * e->h_seconds;
    sb_explicit_begin_step(e, step);
    PetscCall(sb_explicit_forces(e, t));
    PetscCall(sb_explicit_damp(e));
    sb_explicit_kick(e, e->h_seconds, e->factor);
    sb_explicit_filter(e, t, &(sb_contact_push){e->factor * e->h_seconds, t, e->position}, e->position, e->velocity);
    sb_explicit_drift(e);
    PetscCall(sb_explicit_resolve(e, step, report));
    if (report->status != SB_OK) break;
    PetscCall(sb_bounds_finish_step(&e->bounds, ++step, e->position, report));
  }
  PetscCall(sb_explicit_end(e, step));
  PetscFunctionReturn(0);
}

static double growth(double z, double d, double f)
{
  const double v_x = -f * z * z, v_v = f * (1 - d);
  return sb_spectral_radius(2, (double[]){1 + v_x, v_v, v_x, v_v});
}

const sb_integrator_method sb_integrator_symplectic_euler = {
    .name = "symplectic_euler",
    .summary = "semi-implicit Euler, velocity first",
    .uses = "device precision",
    .aliases = (const sb_alias[]){{"semi_implicit_euler", NULL}, {NULL, NULL}},
    .traits = SB_SYMPLECTIC | SB_CONSERVES_ANGULAR_MOMENTUM,
    .order_position = 1,
    .order_velocity = 1,
    .stability_limit = 2,
    .growth = growth,
    .device = SB_DEVICE_SYMPLECTIC_EULER,
    .state_bytes = sizeof(sb_explicit),
    .prepare = prepare,
    .advance = advance,
    .destroy = sb_explicit_destroy_state,
};
