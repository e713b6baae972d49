/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SDIRK2: two stages of implicit Euler, gamma h long, gamma = 1 - 1/sqrt(2). Alexander: SIAM J. Numer. Anal. 14(6),
 * 1977. It has order 2 and is L-stable: R(mu) = (1 + (1 - 2 gamma) mu)/(1 - gamma mu)^2 is 0 at infinity.
 *
 *     stage 1 from (x, v), stage 2 from (x + (1 - gamma) h W_1, v + (1 - gamma) h a_1); x+ and v+ are its end. */
#include <math.h>

#include "solvers/integrate/stages.h"

#define GAMMA 0.29289321881345247560

static const sb_diagonal_rule rule = {2, GAMMA, 1 - GAMMA, {1 - GAMMA, GAMMA}};

static PetscErrorCode prepare(void *state, const sb_integrator_setup *setup)
{
  return sb_diagonal_prepare(state, setup, &rule);
}

static double growth(double z, double d, double f) { return sb_diagonal_rule_growth(&rule, z, d, f); }

/* arg R(i z), up to 3 pi/2: of the pair of eigenvalues, the angle below pi. */
static double phase(double z)
{
  const double angle = atan((1 - 2 * GAMMA) * z) + 2 * atan(GAMMA * z);
  return angle > M_PI ? 2 * M_PI - angle : angle;
}

const sb_integrator_method sb_integrator_sdirk2 = {
    .name = "sdirk2",
    .spelled = "SDIRK2",
    .summary = "two stages of backward Euler (Alexander 1977), L-stable",
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
    .advance = sb_diagonal_advance,
    .minimizer = sb_stages_minimizer,
    .destroy = sb_stages_destroy,
};
