/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See rk4_reference.h. */
#include "drivers/rk4_reference.h"

#include <math.h>

#include "drivers/frequency.h"

#define RESOLUTION 0.125 /* h omega */
enum { LEAST_STEPS = 16, STEPS_MAX = 1 << 20 };

static PetscErrorCode create(const sb_setup *setup, const sb_case *c, const char *method, double h_seconds,
                             sb_integrator **integrator)
{
  const char *const pairs[] = {method,        "pin_method=reduce", "passes=1", "verlet_damping=0",
                               "device=none", "precision=double",  NULL};
  sb_options *options = sb_options_with(c->options, pairs); /* without options that only the case's own method reads */

  PetscFunctionBeginUser;
  PetscCall(sb_integrator_create(setup->system, options, h_seconds, integrator));
  sb_options_destroy(&options);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_rk4_reference_create(const sb_setup *setup, const sb_case *c, double h_seconds,
                                       sb_integrator **integrator)
{
  PetscFunctionBeginUser;
  PetscCall(create(setup, c, "integrator=rk4", h_seconds, integrator));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_acceleration_create(const sb_setup *setup, const sb_case *c, double h_seconds,
                                      sb_integrator **integrator)
{
  PetscFunctionBeginUser;
  PetscCall(create(setup, c, "integrator=explicit_euler", h_seconds, integrator));
  PetscFunctionReturn(0);
}

/* A step of explicit Euler has v+ = f (v + h a), f = exp(-damping_rate h). */
PetscErrorCode sb_acceleration_at(sb_integrator *integrator, int64_t step, double h_seconds, const sb_start_state *at,
                                  Vec acceleration)
{
  const double      factor = sb_integrator_velocity_factor(integrator);
  sb_advance_report report;
  Vec               x;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(at->x, &x));
  PetscCall(VecCopy(at->x, x));
  PetscCall(VecCopy(at->v, acceleration));
  PetscCall(sb_integrator_advance(integrator, step, 1, x, acceleration, &report));
  PetscCall(VecScale(acceleration, 1 / factor));
  PetscCall(VecAXPY(acceleration, log(factor) - 1, at->v));
  PetscCall(VecScale(acceleration, 1 / h_seconds));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_rk4_reference_steps(const sb_setup *setup, double frame_seconds, int64_t *steps)
{
  double omega;

  PetscFunctionBeginUser;
  PetscCall(sb_frequency_any_stretch(setup->system, SB_FREQUENCY_TOLERANCE, &omega));
  for (*steps = LEAST_STEPS; *steps < STEPS_MAX && frame_seconds / (double)*steps * omega > RESOLUTION;) *steps *= 2;
  PetscFunctionReturn(0);
}

bool sb_rk4_reference_check(const sb_case *c, const sb_pose *pose, sb_diagnostics *diagnostics)
{
  const char *driver = SB_TEXT(c->options, driver);
  bool        good = true;
  (void)pose;
  if (SB_REAL(c->options, velocity_factor) != 1)
    good = sb_error_at(diagnostics, sb_options_blame(c->options, SB_ID(velocity_factor)), "E106",
                       "driver '%s': with a velocity_factor per step small steps do not converge to a motion; give "
                       "damping_rate instead",
                       driver);
  if (SB_IS(c->options, self_contact, "barrier"))
    good = sb_error_at(diagnostics, sb_options_blame(c->options, SB_ID(self_contact)), "E106",
                       "driver '%s' compares with a run of rk4, which has no barrier; choose another self_contact",
                       driver);
  if (SB_HAS(c->options, contact_implicit) && SB_FLAG(c->options, contact_implicit))
    good = sb_error_at(diagnostics, sb_options_blame(c->options, SB_ID(contact_implicit)), "E106",
                       "driver '%s' compares with a run of rk4, which has no implicit contact; leave "
                       "contact_implicit out",
                       driver);
  if (SB_IS(c->options, contact, "penalty") && SB_REAL(c->options, friction) > 0)
    good = sb_error_at(diagnostics, sb_options_blame(c->options, SB_ID(friction)), "E106",
                       "driver '%s' compares with a run of rk4, in which contact=penalty has no friction; choose "
                       "contact=cancel_velocity or combined",
                       driver);
  return good;
}

PetscErrorCode sb_rk4_reference_distance(Vec a, Vec b, double *largest)
{
  Vec difference = NULL;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(a, &difference));
  PetscCall(VecWAXPY(difference, -1, b, a));
  PetscCall(VecNorm(difference, NORM_INFINITY, largest));
  PetscCall(VecDestroy(&difference));
  PetscFunctionReturn(0);
}

double sb_rk4_reference_error(const sb_setup *setup, double distance)
{
  return setup->system->contact ? distance : distance / 15;
}
