/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hybrid: the first iterates of the method that begins, to the bit; then those of frozen_newton, to the minimum of
 * Newton's method; no factor where little is left to do, and another where one has aged. */
#include "tests/minimize/world.h"

#define NET   "scene=curtain;h=1/30;initial_velocity=[0,0,-3];start=previous;perturbation=0.001;"
#define SOFT  NET "grid=20;stiffness=30"
#define STIFF NET "grid=12;stiffness=20000"
#define CHAIN "scene=rope;nodes=12;h=1/30;stiffness=1000;initial_velocity=[0,0,-3];start=previous"

static void take(world *w, const char *scene, const char *method, int iterations)
{
  sb_minimize_report report;
  world_open(w, PETSC_COMM_WORLD, "%s;minimizer=%s;max_iterations=%d;gradient_tolerance=0;linear=cholesky", scene,
             method, iterations);
  world_minimize(w, &report);
  assert_int_equal(report.iterations, iterations);
}

/* Without those of prepare, which makes room. */
static long factorizations(const world *w)
{
  return sb_linear_solver_totals(sb_minimizer_linear(w->minimizer))->factorizations - 1;
}

/* The first iteration with a factor. */
static int find_switch(const char *scene)
{
  for (int n = 1; n < 60; ++n) {
    world w;
    take(&w, scene, "hybrid", n);
    const long factors = factorizations(&w);
    world_close(&w);
    if (factors > 0) return n;
  }
  return 0;
}

/* `same` iterations of the method that begins, to the bit; after the switch that of frozen_newton. */
static void check_switch(const char *scene, const char *begins, int same)
{
  world              hybrid, before, other;
  sb_minimize_report report;
  const int          n = find_switch(scene);
  assert_in_range(n, same + 1, 40);
  take(&hybrid, scene, "hybrid", same);
  take(&other, scene, begins, same);
  assert_at_most(world_distance(&hybrid, hybrid.z, &other, other.z), 0);
  world_close(&hybrid);
  world_close(&other);
  take(&hybrid, scene, "hybrid", n);
  take(&before, scene, "hybrid", n - 1);
  world_open(&other, PETSC_COMM_WORLD, "%s;minimizer=frozen_newton;max_iterations=1;linear=cholesky", scene);
  OK(sb_minimizer_continue(other.minimizer, before.potential, before.z, &report));
  assert_at_most(world_distance(&hybrid, hybrid.z, &before, before.z), 1e-13);
  world_close(&hybrid);
  world_close(&before);
  world_close(&other);
}

static void test_newton_cg_begins(void) { check_switch(SOFT, "newton_cg;cg_hessian=exact", 4); }

static void test_gradients_begin_on_a_stiff_net(void) { check_switch(STIFF, "nonlinear_cg", 5); }

/* A factorisation of a chain costs little. */
static void test_factor_begins_on_a_chain(void)
{
  for (int n = 1; n < 4; ++n) {
    world hybrid, frozen;
    take(&hybrid, CHAIN, "hybrid", n);
    take(&frozen, CHAIN, "frozen_newton", n);
    assert_at_most(world_distance(&hybrid, hybrid.z, &frozen, frozen.z), 0);
    assert_int_equal(factorizations(&hybrid), 1);
    world_close(&hybrid);
    world_close(&frozen);
  }
}

/* As Newton's method, with another factor where the first has aged. */
static void test_same_minimum(void)
{
  static const char *const scenes[] = {SOFT, STIFF, CHAIN};
  static const int         factors[] = {0, 2, 1}; /* at least */
  for (int s = 0; s < 3; ++s) {
    world              w[2];
    sb_minimize_report report;
    for (int m = 0; m < 2; ++m) {
      world_open(&w[m], PETSC_COMM_WORLD, "%s;minimizer=%s;max_iterations=500;gradient_tolerance=1e-8", scenes[s],
                 m == 0 ? "hybrid" : "newton;step=armijo;hessian=blended");
      world_minimize(&w[m], &report);
      assert_true(report.converged);
    }
    assert_at_most(world_distance(&w[0], w[0].z, &w[1], w[1].z), 1e-9);
    assert_at_most(factors[s], (double)factorizations(&w[0]));
    for (int m = 0; m < 2; ++m) world_close(&w[m]);
  }
}

/* A tolerance that is met soon is met without a factor. */
static void test_no_factor_for_little(void)
{
  static const double parts[] = {0.03, 1e-3, 1e-6};
  for (int i = 0; i < 3; ++i) {
    world              hybrid, first;
    sb_minimize_report report, other;
    world_open(&first, PETSC_COMM_WORLD, SOFT ";minimizer=newton_cg;max_iterations=1");
    const double tolerance = parts[i] * world_gradient_norm(&first, first.x);
    world_close(&first);
    world_open(&first, PETSC_COMM_WORLD,
               SOFT ";minimizer=newton_cg;cg_hessian=exact;max_iterations=500;gradient_tolerance=%.17g", tolerance);
    world_open(&hybrid, PETSC_COMM_WORLD, SOFT ";minimizer=hybrid;max_iterations=500;gradient_tolerance=%.17g",
               tolerance);
    world_minimize(&first, &other);
    world_minimize(&hybrid, &report);
    assert_true(report.converged && other.converged);
    assert_int_equal(report.iterations, other.iterations);
    assert_at_most(world_distance(&hybrid, hybrid.z, &first, first.z), 0);
    assert_int_equal(factorizations(&hybrid), 0);
    world_close(&hybrid);
    world_close(&first);
  }
}

PETSC_TEST_MAIN(test_newton_cg_begins, test_gradients_begin_on_a_stiff_net, test_factor_begins_on_a_chain,
                test_same_minimum, test_no_factor_for_little)
