/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Equilibria by implicit Euler: the hanging string (V16) and the discrete catenary (V17), both exact, and the static
 * limit reached by two routes (V19). At rest the inertial force M (z - y)/h^2 is the weight whatever h is, so that any
 * step size has the same equilibrium: large ones only get there sooner. */
#include "tests/minimize/world.h"
#include "tests/sample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROPE "scene=rope;start=previous;step=armijo;max_iterations=200;gradient_tolerance=1e-10"
#define SPAN 400.0
enum { NODES = 16, SEGMENTS = NODES - 1 };

static const double stiffness = 100, gravity = 1; /* of the scene; masses are 1 */

/* At most that many steps of length h, each from rest: quasi-static relaxation, until a step moves nothing any more. */
static void relax(world *w, double h, int steps)
{
  sb_minimize_report report;
  Vec                before;
  double             moved = SPAN;
  OK(sb_minimizer_destroy(&w->minimizer));
  OK(sb_potential_destroy(&w->potential));
  w->h = h;
  OK(sb_potential_create(w->system, h, &w->potential));
  OK(sb_minimizer_create(w->system, w->options, h, "", &w->minimizer));
  OK(VecDuplicate(w->x, &before));
  for (int s = 0; s < steps && moved > 1e-13 * SPAN; ++s) {
    OK(VecCopy(w->x, before));
    OK(VecZeroEntries(w->v));
    world_step(w, &report);
    assert_true(sb_outcome_accepted(report.linear_outcome));
    OK(VecAXPY(before, -1, w->x));
    OK(VecNorm(before, NORM_INFINITY, &moved));
  }
  OK(VecDestroy(&before));
}

/* V16: spring i carries the weight below it: r_i = l + (masses below) g/k. */
static void test_hanging_string(void)
{
  world w;
  world_open(&w, PETSC_COMM_SELF, ROPE ";nodes=16;pins=first;h=1");
  for (double h = 1; h < 1e5; h *= 10) relax(&w, h, 12);
  double *x = world_gather(&w, w.x);
  for (int i = 0; i < SEGMENTS; ++i) {
    const double expected = SPAN / SEGMENTS + (SEGMENTS - i) * gravity / stiffness;
    assert_at_most(fabs(x[3 * i + 1] - x[3 * i + 4] - expected), 1e-12 * expected);
  }
  free(x);
  world_close(&w);
}

/* The discrete catenary: H the horizontal tension, segment i has the vertical one V_i = V_0 + i m g, and
 * dx_i = H (l/T_i + 1/k), dy_i = V_i (l/T_i + 1/k). place [NODES][2], from the first pin. */
static void catenary(double H, double V0, double place[NODES][2])
{
  place[0][0] = place[0][1] = 0;
  for (int i = 0; i < SEGMENTS; ++i) {
    const double V = V0 + i * gravity, slackness = SPAN / SEGMENTS / sqrt(H * H + V * V) + 1 / stiffness;
    place[i + 1][0] = place[i][0] + H * slackness;
    place[i + 1][1] = place[i][1] + V * slackness;
  }
}

/* Both pins at one height: V_0 by symmetry, H by bisection on the span, which grows with H. */
static void solve_catenary(double place[NODES][2])
{
  const double V0 = -0.5 * gravity * (SEGMENTS - 1);
  double       low = 0, high = stiffness * SPAN;
  for (int i = 0; i < 200; ++i) {
    const double H = 0.5 * (low + high);
    catenary(H, V0, place);
    if (place[SEGMENTS][0] < SPAN)
      low = H;
    else
      high = H;
  }
  assert_at_most(fabs(place[SEGMENTS][0] - SPAN), 1e-11 * SPAN);
  assert_at_most(fabs(place[SEGMENTS][1]), 1e-11 * SPAN);
}

static void check_catenary(const char *method, int rounds)
{
  double place[NODES][2];
  world  w;
  solve_catenary(place);
  world_open(&w, PETSC_COMM_SELF, ROPE ";nodes=16;pins=[0,15];h=1;%s", method);
  for (double h = 1; h < 1e4; h *= 10) relax(&w, h, rounds);
  double *x = world_gather(&w, w.x);
  for (int i = 0; i < NODES; ++i) {
    assert_at_most(fabs(-x[3 * i] - place[i][0]), 1e-9 * SPAN);
    assert_at_most(fabs(x[3 * i + 1] - 200 - place[i][1]), 1e-9 * SPAN);
  }
  free(x);
  world_close(&w);
}

/* The reference itself: the sum of forces on every free node, from its place alone. */
static void test_reference_is_in_balance(void)
{
  double place[NODES][2], tension[SEGMENTS][2];
  solve_catenary(place);
  for (int i = 0; i < SEGMENTS; ++i) {
    const double dx = place[i + 1][0] - place[i][0], dy = place[i + 1][1] - place[i][1], r = hypot(dx, dy);
    tension[i][0] = stiffness * (r - SPAN / SEGMENTS) * dx / r;
    tension[i][1] = stiffness * (r - SPAN / SEGMENTS) * dy / r;
  }
  for (int i = 1; i < SEGMENTS; ++i) {
    assert_at_most(fabs(tension[i][0] - tension[i - 1][0]), 1e-10 * gravity);
    assert_at_most(fabs(tension[i][1] - tension[i - 1][1] - gravity), 1e-10 * gravity);
  }
}

/* V17, by every minimiser with every backend; Jacobi by vertices, damped, which converges on any of these matrices. */
static void check_catenary_of_pair(const sb_minimizer_method *method, const sb_linear_backend *backend)
{
  static size_t number; /* 5 has no divisor in common with the number of backends: each has its turn */
  char          pair[220], options[160];
  if (sb_minimizer_method_traits(method) & SB_OTHER_LIMIT || !sb_makes_trial(number++, 5)) return;
  const unsigned traits = sb_minimizer_method_traits(method);
  const bool     leaves = !(traits & (SB_QUADRATIC | SB_DESCENDS)); /* even a minimum, for a while */
  const int      rounds = traits & SB_QUADRATIC ? 10 : 100;
  snprintf(pair, sizeof pair, "%s;linear_tolerance=1e-12%s%s", world_pair_options(method, backend, options),
           leaves ? ";max_iterations=1000" : "",
           strcmp(backend->name, "jacobi") == 0 ? ";jacobi_block=3;jacobi_omega=0.9" : "");
  check_catenary(pair, rounds);
}

static void test_catenary(void)
{
  world_for_each_pair(check_catenary_of_pair);
  check_catenary("hessian=adaptive", 10);
  check_catenary("linear_tolerance=1e-12;linear=petsc;petsc=-ksp_type cg -pc_type icc", 10);
}

/* V19: the moving rope, slowed by implicit Euler's own damping alone, ends where large steps went at once. */
static void test_static_limit_by_two_routes(void)
{
  world              moving, at_once;
  sb_minimize_report report;
  world_open(&at_once, PETSC_COMM_SELF, ROPE ";nodes=16;pins=[0,15];h=1");
  for (double h = 1; h < 1e4; h *= 10) relax(&at_once, h, 10);
  world_open(&moving, PETSC_COMM_SELF, ROPE ";nodes=16;pins=[0,15];h=10");
  for (int s = 0; s < 500; ++s) world_step(&moving, &report);
  assert_at_most(world_distance(&moving, moving.x, &at_once, at_once.x), 1e-8 * SPAN);
  world_close(&moving);
  world_close(&at_once);
}

PETSC_TEST_MAIN(test_hanging_string, test_reference_is_in_balance, test_catenary, test_static_limit_by_two_routes)
