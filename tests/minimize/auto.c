/* SPDX-License-Identifier: GPL-3.0-or-later */
/* auto: the iterates of the method that it chooses, to the bit; a factor where it pays, and none in contact; the minimum
 * of Newton's method, at which it stops by itself. Also step watchdog, by its promise. */
#include "tests/minimize/world.h"

#define NET   "scene=curtain;grid=20;stiffness=300;h=1/30;initial_velocity=[0,0,-3];start=previous;perturbation=0.001"
#define BAR   "scene=bar;grid=4;stiffness=3000;h=1/30;initial_velocity=[0,0,-3];start=previous;perturbation=0.001"
#define CHAIN "scene=rope;nodes=12;h=1/30;stiffness=1000;initial_velocity=[0,0,-3];start=previous"
#define PLANE ";contact=penalty;contact_implicit=true;collider=plane:point=[0,0,-9],normal=[0,0,1]"
#define WHOLE "newton;hessian=blended;step=watchdog"

static void take(world *w, const char *scene, const char *method, int iterations)
{
  sb_minimize_report report;
  world_open(w, PETSC_COMM_WORLD, "%s;minimizer=%s;max_iterations=%d;gradient_tolerance=0;linear=cholesky", scene,
             method, iterations);
  world_minimize(w, &report);
  assert_int_equal(report.iterations, iterations);
}

/* Without those of prepare, which makes room: two on a chain. */
static long factorizations(const world *w)
{
  return sb_linear_solver_totals(sb_minimizer_linear(w->minimizer))->factorizations - 1;
}

static void check_same(const char *scene, const char *method, int iterations)
{
  world chosen, other;
  take(&chosen, scene, "auto", iterations);
  take(&other, scene, method, iterations);
  assert_at_most(world_distance(&chosen, chosen.z, &other, other.z), 0);
  world_close(&chosen);
  world_close(&other);
}

/* A factorisation of a chain costs 4 products with H. */
static void test_newton_on_a_chain(void)
{
  for (int n = 1; n < 5; ++n) check_same(CHAIN, WHOLE, n);
}

/* The coarse space comes with the second iterate, as the first one has cost more than it does. */
static void test_coarse_space_on_a_net(void)
{
  world              chosen, before, other;
  sb_minimize_report report;
  check_same(NET, "newton_cg;cg_hessian=exact;cg_max_iterations=10", 1);
  take(&before, NET, "auto", 1);
  take(&chosen, NET, "auto", 4);
  assert_int_equal(factorizations(&chosen), 0);
  world_open(&other, PETSC_COMM_WORLD,
             "%s;minimizer=newton_cg;cg_hessian=exact;preconditioner=aggregates;max_iterations=3;linear=cholesky", NET);
  OK(sb_minimizer_continue(other.minimizer, before.potential, before.z, &report));
  assert_at_most(world_distance(&chosen, chosen.z, &before, before.z), 1e-13);
  world_close(&chosen);
  world_close(&before);
  world_close(&other);
}

/* As Newton's method, and not by max_iterations. */
static void check_minimum(const char *scene, bool factors)
{
  world              w[2];
  sb_minimize_report report;
  for (int m = 0; m < 2; ++m) {
    world_open(&w[m], PETSC_COMM_WORLD, "%s;minimizer=%s;max_iterations=300;gradient_tolerance=%s", scene,
               m == 0 ? "auto" : "newton;step=armijo;hessian=blended", m == 0 ? "auto" : "1e-9");
    world_minimize(&w[m], &report);
    assert_true(report.converged);
    assert_in_range(report.iterations, 1, 60);
    if (m == 0) assert_string_equal(report.reason, "gradient_tolerance met");
    if (m == 0) assert_int_equal(factorizations(&w[m]) > 0, factors);
  }
  assert_at_most(world_distance(&w[0], w[0].z, &w[1], w[1].z), 1e-6);
  for (int m = 0; m < 2; ++m) world_close(&w[m]);
}

static void test_same_minimum(void)
{
  check_minimum(CHAIN, true);
  check_minimum(NET, false);
  check_minimum(BAR, true);
}

/* The same bar above a plane, which it does not reach. */
static void test_no_factor_in_contact(void) { check_minimum(BAR PLANE, false); }

#define FALLS  ";start=previous;gradient_tolerance=1e-2"
#define STRAND "scene=strand_springs;h=1/60;initial_velocity=[0,0,-3];perturbation=0.001" FALLS
#define STIFF_ROPE                                                                                                     \
  "scene=rope;nodes=20;stiffness=1e6;h=1/10;initial_velocity=[9,30,-30];perturbation=0.1" FALLS
#define LIGHT_ROPE                                                                                                     \
  "scene=rope;nodes=12;rope_from=[0,0,0];rope_to=[1,0,0];vertex_mass=0.01;stiffness=1e4;h=1/10;"                       \
  "initial_velocity=[0,3,-9];perturbation=0.05" FALLS

/* Runs Newton's method with this step rule to a tolerance, or for at most `most` iterations; g(z) at its end. */
static int iterate_with(const char *scene, const char *rule, int most, double *value)
{
  world              w;
  sb_minimize_report report;
  world_open(&w, PETSC_COMM_WORLD, "%s;minimizer=newton;hessian=blended;step=%s;max_iterations=%d", scene, rule, most);
  world_minimize(&w, &report);
  OK(sb_potential_value(w.potential, w.z, value));
  world_close(&w);
  return report.iterations;
}

/* One step may raise g; the next one, or the return from it, ends below where it began. */
static void check_watchdog(const char *scene)
{
  enum { MOST = 25 };
  double    value[MOST], last;
  const int count = iterate_with(scene, "watchdog", MOST, &last);
  int       rises = 0;
  for (int n = 1; n <= count; ++n) iterate_with(scene, "watchdog", n, &value[n - 1]);
  for (int n = 1; n + 1 < count; ++n) {
    if (value[n] <= value[n - 1]) continue;
    ++rises;
    assert_true(value[n + 1] < value[n - 1]);
  }
  assert_in_range(rises, 1, MOST);
}

/* On the strand the second step makes up for the first; on the ropes z returns. */
static void test_watchdog(void)
{
  double    last;
  const int watched = iterate_with(STRAND, "watchdog", 60, &last);
  assert_in_range(watched, 3, iterate_with(STRAND, "armijo", 60, &last) - 1);
  check_watchdog(STRAND);
  check_watchdog(STIFF_ROPE);
  check_watchdog(LIGHT_ROPE);
}

PETSC_TEST_MAIN(test_newton_on_a_chain, test_coarse_space_on_a_net, test_same_minimum, test_no_factor_in_contact,
                test_watchdog)
