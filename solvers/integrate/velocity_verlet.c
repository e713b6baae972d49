/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Velocity Verlet: half a kick, a drift, half a kick (docs/model.md section 2).
 *
 *     v' = contact((v + h/2 a(x, v)) * factor),  x+ = x + h v',  v+ = contact(v' + h/2 a(x+, v'))
 *
 * Swope, Andersen, Berens, Wilson: J. Chem. Phys. 76, 1982. The force of positions at x+ is used in the second half of
 * one step and the first half of the next, also across calls, so a step costs one evaluation. Drag and dampers are
 * evaluated at each half, at v and at v', which makes the order 1 if there are any. Contact sees v' at x and v+ at x+.
 */
#include "solvers/integrate/explicit.h"
#include "solvers/integrate/growth.h"

static PetscErrorCode prepare(void *state, const sb_integrator_setup *setup)
{
  PetscFunctionBeginUser;
  PetscCall(sb_explicit_prepare_fused(state, setup, SB_FUSED_VELOCITY_VERLET));
  PetscFunctionReturn(0);
}

static PetscErrorCode advance(void *state, int64_t first_step, int64_t steps, Vec x, Vec v, sb_advance_report *report)
{
  sb_explicit *e = state;
  int64_t      step = first_step;

  PetscFunctionBeginUser;
  PetscCall(sb_explicit_begin(e, step, x, v));
  const double half = 0.5 * e->h_seconds;
  if (!e->resumed) PetscCall(sb_explicit_forces(e, (double)step * e->h_seconds));
  while (step < first_step + steps && report->status == SB_OK) {
    const double now = (double)step * e->h_seconds;
    sb_explicit_begin_step(e, step);
    PetscCall(sb_explicit_damp(e));
    sb_explicit_kick(e, half, e->factor);
    sb_explicit_filter(e, now, &(sb_contact_push){e->factor * half, now, e->position}, e->position, e->velocity);
    sb_explicit_drift(e);
    PetscCall(sb_explicit_resolve(e, step, report));
    if (report->status != SB_OK) break;
    /* from x+ and v' of this step to those of a later step */
    PetscCall(sb_explicit_pass_fused(e, SB_FUSED_VELOCITY_VERLET, &step, first_step + steps, NULL, NULL, report));
    const double t = (double)++step * e->h_seconds;
    PetscCall(sb_explicit_forces(e, t));
    PetscCall(sb_explicit_damp(e));
    sb_explicit_kick(e, half, 1);
    sb_explicit_filter(e, t, &(sb_contact_push){half, t, e->position}, e->position, e->velocity);
    PetscCall(sb_bounds_finish_step(&e->bounds, step, e->position, report));
  }
  PetscCall(sb_explicit_end(e, step));
  PetscFunctionReturn(0);
}

/* v' = f (a v - z^2/2 x), x+ = x + v', v+ = a v' - z^2/2 x+, with a = 1 - d/2. */
static double growth(double z, double d, double f)
{
  const double a = 1 - d / 2, b = z * z / 2, half_x = -f * b, half_v = f * a;
  return sb_spectral_radius(2, (double[]){1 + half_x, half_v, (a - b) * half_x - b, (a - b) * half_v});
}

const sb_integrator_method sb_integrator_velocity_verlet = {
    .name = "velocity_verlet",
    .summary = "half kick, drift, half kick; one force evaluation per step",
    .uses = "device precision",
    .traits = SB_SYMPLECTIC | SB_TIME_SYMMETRIC | SB_CONSERVES_ANGULAR_MOMENTUM,
    .order_position = 2,
    .order_velocity = 2,
    .order_braked = 1,
    .stability_limit = 2,
    .growth = growth,
    .device = SB_DEVICE_VELOCITY_VERLET,
    .state_bytes = sizeof(sb_explicit),
    .prepare = prepare,
    .advance = advance,
    .destroy = sb_explicit_destroy_state,
};
