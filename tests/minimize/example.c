/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A test to copy for a minimiser: its step of implicit Euler has a closed form.
 *
 * Scene `oscillator` is a mass on a spring along x with k/m = 4 and displacement u = x - 1. The minimum of the
 * incremental potential is u_1 = (u_0 + h v_0)/(1 + h^2 k/m). */
#include "tests/minimize/world.h"

#include <math.h>
#include <stdlib.h>

#define MINIMIZER "minimizer=newton" /* in a copy: the name of the new minimiser, and its options, separated by ; */

static void step_of_the_oscillator(void)
{
  const double       h = 0.1, u = 0.2, v = -0.3, expected = (u + h * v) / (1 + h * h * 4);
  world              w;
  sb_minimize_report report;
  world_open(&w, PETSC_COMM_WORLD, "scene=oscillator;amplitude=%g;initial_velocity=[%g,0,0];h=%g;%s", u, v, h,
             MINIMIZER ";gradient_tolerance=1e-12;max_iterations=100");
  world_minimize(&w, &report);
  double *z = world_gather(&w, w.z); /* [vertices][3]; vertex 0 is pinned, vertex 1 is the mass */
  assert_true(report.converged);
  assert_at_most(fabs(z[3] - 1 - expected), 1e-13);
  free(z);
  world_close(&w);
}

PETSC_TEST_MAIN(step_of_the_oscillator)
