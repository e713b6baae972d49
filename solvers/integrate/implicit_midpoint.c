/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The implicit midpoint rule by one stage of implicit Euler, h/2 long (Hairer, Lubich, Wanner: Geometric Numerical
 * Integration, 2006, sections II.1 and VI.4). With x+ = x + h W and v+ = v + h a the stage ends in the middle, at
 * (x + x+)/2 and (v + v+)/2. */
#include <math.h>

#include "solvers/integrate/stages.h"

static const sb_diagonal_rule rule = {1, 0.5, 0, {1, 0}};

static PetscErrorCode prepare(void *state, const sb_integrator_setup *setup)
{
  return sb_diagonal_prepare(state, setup, &rule);
}

static double growth(double z, double d, double f) { return sb_diagonal_rule_growth(&rule, z, d, f); }

static double phase(double z) { return 2 * atan(z / 2); }

const sb_integrator_method sb_integrator_implicit_midpoint = {
    .name = "implicit_midpoint",
    .summary = "the implicit midpoint rule by a minimiser: a stage of backward Euler, and as far again",
    .uses = "minimizer max_iterations step_tolerance gradient_tolerance start pin_method pin_weight",
    .traits =
        SB_MINIMIZES | SB_SYMPLECTIC | SB_TIME_SYMMETRIC | SB_CONSERVES_ANGULAR_MOMENTUM | SB_SERIAL_ONLY_INTEGRATOR,
    .order_position = 2,
    .order_velocity = 2,
    .order_braked = 1,
    .stability_limit = INFINITY,
    .growth = growth,
    .phase = phase,
    .refuses_friction = sb_stages_refuse_friction,
    .state_bytes = sizeof(sb_stages),
    .prepare = prepare,
    .advance = sb_diagonal_advance,
    .minimizer = sb_stages_minimizer,
    .destroy = sb_stages_destroy,
};
