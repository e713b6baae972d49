/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hybrid: conjugate gradients to the bit until it switches, Newton from there, at the minimum in fewer iterations; and
 * no switch where little is left to do. */
#include "tests/minimize/world.h"

#include <stdio.h>

#define STIFF "scene=curtain;grid=8;stiffness=3000;h=1/30;initial_velocity=[0,0,-3];perturbation=0.01;start=previous"

static void take(world *w, const char *method, int iterations, const char *more)
{
  sb_minimize_report report;
  world_open(w, PETSC_COMM_WORLD, STIFF ";minimizer=%s;max_iterations=%d;gradient_tolerance=0;%s", method, iterations,
             more);
  world_minimize(w, &report);
  assert_int_equal(report.iterations, iterations);
}

/* The first iteration after which it is not where conjugate gradients are. */
static int find_switch(void)
{
  for (int n = 1; n < 60; ++n) {
    world a, b;
    take(&a, "hybrid", n, "hessian=projected");
    take(&b, "nonlinear_cg", n, "linear=cholesky");
    const double apart = world_distance(&a, a.z, &b, b.z);
    world_close(&a);
    world_close(&b);
    if (apart > 0) return n;
  }
  return 0;
}

static void test_one_and_then_the_other(void)
{
  world              hybrid, gradients, newton;
  sb_minimize_report report;
  const int          n = find_switch();
  assert_in_range(n, 6, 30); /* not before five rates are known */
  take(&hybrid, "hybrid", n, "hessian=projected");
  take(&gradients, "nonlinear_cg", n - 1, "linear=cholesky");
  world_open(&newton, PETSC_COMM_WORLD, STIFF ";minimizer=newton;step=armijo;hessian=projected;max_iterations=1");
  OK(sb_minimizer_continue(newton.minimizer, gradients.potential, gradients.z, &report));
  assert_at_most(world_distance(&hybrid, hybrid.z, &gradients, gradients.z), 1e-13);
  world_close(&hybrid);
  world_close(&gradients);
  world_close(&newton);
}

static void test_sooner_at_the_minimum(void)
{
  static const char *const methods[] = {"hybrid", "nonlinear_cg", "newton;step=armijo"};
  world                    w[3];
  sb_minimize_report       report[3];
  for (int m = 0; m < 3; ++m) {
    world_open(&w[m], PETSC_COMM_WORLD, STIFF ";minimizer=%s;max_iterations=2000;gradient_tolerance=1e-9", methods[m]);
    world_minimize(&w[m], &report[m]);
    assert_true(report[m].converged);
    assert_at_most(world_distance(&w[m], w[m].z, &w[0], w[0].z), 1e-9);
  }
  assert_true(report[0].iterations < report[1].iterations);
  assert_true(report[0].iterations > report[2].iterations);
  for (int m = 0; m < 3; ++m) world_close(&w[m]);
}

/* A tolerance that is met before five rates are known, or soon, is met without Newton. */
static void test_no_switch_for_little(void)
{
  world              w, gradients;
  sb_minimize_report report, other;
  const double       rates[] = {0.3, 0.03};
  for (int i = 0; i < 2; ++i) {
    world_open(&gradients, PETSC_COMM_WORLD, STIFF ";minimizer=nonlinear_cg;max_iterations=1");
    const double tolerance = rates[i] * world_gradient_norm(&gradients, gradients.x);
    world_close(&gradients);
    world_open(&gradients, PETSC_COMM_WORLD,
               STIFF ";minimizer=nonlinear_cg;max_iterations=500;gradient_tolerance=%.17g", tolerance);
    world_open(&w, PETSC_COMM_WORLD, STIFF ";minimizer=hybrid;max_iterations=500;gradient_tolerance=%.17g", tolerance);
    world_minimize(&gradients, &other);
    world_minimize(&w, &report);
    assert_true(report.converged && other.converged);
    assert_int_equal(report.iterations, other.iterations);
    assert_at_most(world_distance(&w, w.z, &gradients, gradients.z), 0);
    world_close(&w);
    world_close(&gradients);
  }
}

PETSC_TEST_MAIN(test_one_and_then_the_other, test_sooner_at_the_minimum, test_no_switch_for_little)
