/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A test to copy for a time integrator: half the step divides the error by 2^order.
 *
 * Scene `oscillator` is a mass on a spring along x with k/m = 4, so that omega = 2. Its displacement is
 * u(t) = u_0 cos(omega t) + (v_0/omega) sin(omega t). */
#include "tests/integrate/trial.h"

#include <math.h>
#include <stdio.h>

#define INTEGRATOR "integrator=velocity_verlet" /* in a copy: the name of the new integrator, and its options */

static const double order = 2; /* in a copy: the order that the method claims */

/* |u - exact| at t = 2.7 s after so many steps. */
static double error_after(int steps)
{
  const double end = 2.7, u = 0.2, v = -0.3, exact = u * cos(2 * end) + v / 2 * sin(2 * end);
  char         pairs[200];
  sb_trial     trial;
  snprintf(pairs, sizeof pairs, "scene=oscillator amplitude=%g initial_velocity=[%g,0,0] %s", u, v, INTEGRATOR);
  sb_trial_open(&trial, PETSC_COMM_WORLD, end / steps, pairs, NULL, NULL);
  sb_trial_advance(&trial, steps);
  assert_int_equal(trial.report.status, SB_OK);
  const double error = fabs(trial.position[3] - 1 - exact); /* vertex 0 is pinned, vertex 1 is the mass */
  sb_trial_close(&trial);
  return error;
}

static void half_the_step_divides_the_error(void)
{
  sb_near("order", "of the displacement", log2(error_after(500) / error_after(1000)), order, 0.05);
}

PETSC_TEST_MAIN(half_the_step_divides_the_error)
