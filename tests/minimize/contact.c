/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Penalty contact inside g: its energy and Hessian beside those without it, one vertex that rests where weight and
 * penalty balance, and what the filter alone cannot hold. */
#include "tests/minimize/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Vertex 1 at (1, 0, 0), m = 1; the ball's surface, margin counted, is at distance 0.5 of its centre. */
#define ONE                                                                                                            \
  "scene=oscillator;amplitude=0;h=0.1;gravity=[0,0,-9.8];contact=penalty;contact_stiffness=200;margin=1.25;"           \
  "collider=sphere:centre=[1.18,0,-0.24],radius=0.4"

static const double normal[3] = {-0.6, 0, 0.8}, radius = 0.5, depth = 0.2; /* |x - c| = 0.3 */

/* The block of vertex 1, and g, at z = x. */
static double hessian_at_start(const char *implicit, double negative, double block[9])
{
  const PetscInt index[3] = {0, 1, 2};
  world          w;
  Mat            matrix;
  double         value;
  world_open_bare(&w, PETSC_COMM_SELF, ONE ";%s", implicit);
  OK(sb_potential_set_state(w.potential, 0, w.x, w.v));
  OK(sb_system_create_block_matrix(w.system, &matrix));
  OK(sb_potential_hessian(w.potential, negative, w.x, matrix));
  OK(MatGetValues(matrix, 3, index, 3, index, block));
  OK(VecCopy(w.x, w.potential->y)); /* so that inertia is nothing */
  OK(sb_potential_value(w.potential, w.x, &value));
  OK(MatDestroy(&matrix));
  world_close(&w);
  return value;
}

/* k_c n n^T, and exactly - k_c depth (I - n n^T)/|x - c| too; blended, that in part. */
static void test_value_and_hessian(void)
{
  for (double negative = SB_HESSIAN_PROJECTED; negative <= SB_HESSIAN_EXACT; negative += 0.5) {
    double       with[9], without[9];
    const double value = hessian_at_start("contact_implicit=true", negative, with);
    assert_at_most(fabs(value - 0.5 * 200 * depth * depth), 1e-12);
    assert_at_most(fabs(hessian_at_start("contact_implicit=false", negative, without)), 0);
    for (int c = 0; c < 9; ++c) {
      const double nn = normal[c / 3] * normal[c % 3], flat = (c % 4 == 0) - nn;
      const double curved = -200 * negative * depth / (radius - depth) * flat;
      assert_at_most(fabs(with[c] - without[c] - 200 * nn - curved), 1e-11);
    }
  }
}

/* A net that falls on a plane by large steps comes to rest where k_c depth = m g, which lagged contact at this step,
 * h^2 k_c/m = 25, cannot find: it throws the net off. */
static void test_implicit_contact_holds_a_net(void)
{
  if (world_ranks() > 1) skip();
  world              w;
  sb_minimize_report report;
  world_open(
      &w, PETSC_COMM_WORLD,
      "scene=cloth;grid=3;pins=none;stiffness=1000;h=0.1;velocity_factor=1;contact=penalty;contact_implicit=true;"
      "contact_stiffness=156.25;collider=plane:point=[0,0,-0.1];step=armijo;gradient_tolerance=1e-9");
  for (int step = 0; step < 150; ++step) {
    world_step(&w, &report);
    assert_true(report.converged);
  }
  double *x = world_gather(&w, w.x);
  for (size_t i = 0; i < w.pose.vertices; ++i) assert_at_most(fabs(x[3 * i + 2] + 0.1 + 9.8 / 16 / 156.25), 1e-9);
  free(x);
  world_close(&w);
}

/* Both see the same force where the step is so small that a lag is nothing. */
static void test_lagged_and_implicit_meet(void)
{
  if (world_ranks() > 1) skip();
  double distance[2];
  for (int halved = 0; halved < 2; ++halved) {
    world              lagged, implicit;
    sb_minimize_report report;
    const double       h = halved ? 0.0005 : 0.001;
    const char        *scene = "scene=cloth;grid=3;stiffness=100;contact=penalty;contact_stiffness=50;max_iterations=8;"
                               "collider=sphere:centre=[0,0,-0.4],radius=0.7";
    world_open(&lagged, PETSC_COMM_WORLD, "%s;h=%.17g", scene, h);
    world_open(&implicit, PETSC_COMM_WORLD, "%s;contact_implicit=true;h=%.17g", scene, h);
    for (int step = 0; step < 0.02 / h - 0.5; ++step) {
      world_step(&lagged, &report);
      world_step(&implicit, &report);
    }
    distance[halved] = world_distance(&lagged, lagged.x, &implicit, implicit.x);
    world_close(&lagged);
    world_close(&implicit);
  }
  assert_at_most(1e-6, distance[0]);
  assert_at_most(fabs(distance[0] / distance[1] - 2), 0.2);
}

/* A ball that moves through a net: lagged, implicit, filtered, the same on any number of ranks. */
static void test_ranks_agree(void)
{
  static const char *const contacts[] = {"contact=combined", "contact=penalty;contact_implicit=true"};
  for (int c = 0; c < 2; ++c) {
    world              serial, parallel;
    sb_minimize_report report;
    const char        *scene = "scene=cloth;grid=4;stiffness=100;h=0.01;max_iterations=4;collider_path=linear:velocity="
                               "[0,0,3];collider=sphere:centre=[0,0,-0.65],radius=0.6";
    world_open(&serial, PETSC_COMM_SELF, "%s;%s", scene, contacts[c]);
    world_open(&parallel, PETSC_COMM_WORLD, "%s;%s", scene, contacts[c]);
    for (int step = 0; step < 4; ++step) {
      world_step(&serial, &report);
      world_step(&parallel, &report);
    }
    assert_at_most(world_distance(&serial, serial.x, &parallel, parallel.x), 1e-11);
    double *x = world_gather(&serial, serial.x);
    assert_at_most(1e-3, x[3 * 12 + 2]); /* the middle was pushed up */
    free(x);
    world_close(&serial);
    world_close(&parallel);
  }
}

/* Every method that can have contact in g finds the same minimum with it, of a net on a ball that moves, from ten
 * states of a motion in which vertices come and go. */
static void test_methods_agree(void)
{
  const char *scene = "scene=cloth;grid=6;stiffness=100;h=0.01;perturbation=0.02;contact=penalty;contact_implicit=true;"
                      "contact_stiffness=40;collider_path=linear:velocity=[0,0,3];"
                      "collider=sphere:centre=[0.1,0,-0.75],radius=0.6";
  const int   steps = world_ranks() > 1 ? 4 : 10; /* ranks wait for each other */
  int         able = 0;
  for (size_t m = 0; m < sb_minimizer_method_count(); ++m) {
    const sb_minimizer_method *method = sb_minimizer_method_at(m);
    world                      w, reference;
    sb_minimize_report         report;
    if (!(sb_minimizer_method_traits(method) & SB_IMPLICIT_CONTACT) || !world_runs(method)) continue;
    if (sb_minimizer_method_traits(method) & SB_OTHER_LIMIT) continue;
    ++able;
    world_open(&reference, PETSC_COMM_SELF, "%s;step=armijo;gradient_tolerance=1e-11", scene);
    world_open(&w, PETSC_COMM_WORLD, "%s;minimizer=%s;max_iterations=3000;gradient_tolerance=1e-9", scene,
               method->name);
    for (int step = 0; step < steps; ++step) {
      world_step(&reference, &report);
      world_minimize(&w, &report);
      if (!report.converged) fail_msg("%s, step %d: %s", method->name, step, report.reason);
      assert_at_most(world_distance(&w, w.z, &reference, reference.x), 1e-10);
      OK(VecWAXPY(w.v, -1, w.x, w.z));
      OK(VecScale(w.v, 1 / w.h));
      OK(VecCopy(w.z, w.x));
      w.steps++;
    }
    const sb_linear_totals *totals = sb_linear_solver_totals(sb_minimizer_linear(w.minimizer));
    if (strcmp(method->name, "lbfgs") == 0 && steps == 10)
      assert_in_range(totals->factorizations, 3, totals->solves - 1);
    double *x = world_gather(&w, w.x);
    if (steps == 10) assert_at_most(1e-3, x[3 * 24 + 2]); /* the middle was pushed up */
    free(x);
    world_close(&w);
    world_close(&reference);
  }
  assert_true(able >= 6);
}

/* On a line, where directions do not change, the limit of XPBD is the minimum: of a strand that a plane pushes together
 * from below, and of one that it has pushed and lets go. Its multipliers are the pushes. */
static void test_xpbd_is_exact_on_a_line(void)
{
  static const char *const planes[] = {"linear:velocity=[0,2,0]", "linear:velocity=[0,-3,0]"};
  if (world_ranks() > 1) skip();
  for (int p = 0; p < 2; ++p) {
    world              xpbd, newton;
    sb_minimize_report report;
    const char *scene = "scene=rope;nodes=5;rope_from=[0,1,0];rope_to=[0,0,0];stiffness=200;vertex_mass=0.1;h=0.02;"
                        "contact=penalty;contact_implicit=true;contact_stiffness=300;"
                        "collider=plane:point=[0,0.05,0],normal=[0,1,0]";
    world_open(&newton, PETSC_COMM_SELF, "%s;collider_path=%s;step=armijo;gradient_tolerance=1e-11", scene, planes[p]);
    world_open(&xpbd, PETSC_COMM_SELF, "%s;collider_path=%s;minimizer=xpbd;max_iterations=3000", scene, planes[p]);
    for (int step = 0; step < 4; ++step) {
      world_step(&newton, &report);
      world_minimize(&xpbd, &report);
      assert_at_most(world_distance(&xpbd, xpbd.z, &newton, newton.x), 1e-12);
      OK(VecWAXPY(xpbd.v, -1, xpbd.x, xpbd.z));
      OK(VecScale(xpbd.v, 1 / xpbd.h));
      OK(VecCopy(xpbd.z, xpbd.x));
      xpbd.steps++;
    }
    world_close(&xpbd);
    world_close(&newton);
  }
}

typedef struct {
  double point[3]; /* of a plane, or the centre of a ball */
  double normal[3], radius;
} shape;

/* |grad g| at z of vertex 1, m = 1, by the formulas of its spring and of two colliders. */
static double stationarity(const world *w, const double *y, const shape colliders[2], double stiffness, const double *z)
{
  const double r = sqrt(z[0] * z[0] + z[1] * z[1] + z[2] * z[2]);
  const double pull = w->system->springs.stiffness[0] * (1 - w->system->springs.rest_length[0] / r);
  double       g[3];
  for (int c = 0; c < 3; ++c) g[c] = (z[c] - y[c]) / (w->h * w->h) + pull * z[c];
  for (int k = 0; k < 2; ++k) {
    const shape *s = &colliders[k];
    const double d[3] = {z[0] - s->point[0], z[1] - s->point[1], z[2] - s->point[2]};
    const double far = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    const double along = d[0] * s->normal[0] + d[1] * s->normal[1] + d[2] * s->normal[2];
    const double phi = s->radius > 0 ? far - s->radius : along;
    assert_at_most(phi, 0); /* both touch */
    for (int c = 0; c < 3; ++c) g[c] += stiffness * phi * (s->radius > 0 ? d[c] / far : s->normal[c]);
  }
  return sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
}

static void check_two_colliders(const char *colliders, const shape shapes[2])
{
  int able = 0;
  for (size_t m = 0; m < sb_minimizer_method_count(); ++m) {
    const sb_minimizer_method *method = sb_minimizer_method_at(m);
    const bool                 other = sb_minimizer_method_traits(method) & SB_OTHER_LIMIT;
    world                      w;
    sb_minimize_report         report;
    if (!(sb_minimizer_method_traits(method) & SB_IMPLICIT_CONTACT) || !world_runs(method)) continue;
    ++able;
    world_open(&w, PETSC_COMM_SELF,
               "scene=oscillator;amplitude=0;h=0.01;gravity=[1,2,-9];initial_velocity=[0,0,-1];contact=penalty;"
               "contact_implicit=true;contact_stiffness=1e4;max_iterations=5000;gradient_tolerance=1e-8;"
               "collider=%s;minimizer=%s%s",
               colliders, method->name, other ? ";xpbd_momentum=restored" : "");
    world_minimize(&w, &report);
    if (!report.converged) fail_msg("%s, %s: %s", method->name, colliders, report.reason);
    double *y = world_gather(&w, w.potential->y), *z = world_gather(&w, w.z);
    assert_at_most(stationarity(&w, y + 3, shapes, 1e4, z + 3), 2e-8);
    free(y);
    free(z);
    world_close(&w);
  }
  assert_true(able >= 6);
}

/* Two colliders at a vertex: equal, at obtuse and acute angles, curved. */
static void test_two_colliders(void)
{
  const double s = 1 / sqrt(1.09);
  if (world_ranks() > 1) skip();
  check_two_colliders("plane:point=[1,0,0]~plane:point=[1,0,0]",
                      (const shape[2]){{{1, 0, 0}, {0, 0, 1}, 0}, {{1, 0, 0}, {0, 0, 1}, 0}});
  check_two_colliders("plane:point=[1,0,0],normal=[0,1,0.3]~plane:point=[1,0,0],normal=[0,-1,0.3]",
                      (const shape[2]){{{1, 0, 0}, {0, s, 0.3 * s}, 0}, {{1, 0, 0}, {0, -s, 0.3 * s}, 0}});
  check_two_colliders("plane:point=[1,0,0],normal=[0,0.3,1]~plane:point=[1,0,0],normal=[0,-0.3,1]",
                      (const shape[2]){{{1, 0, 0}, {0, 0.3 * s, s}, 0}, {{1, 0, 0}, {0, -0.3 * s, s}, 0}});
  check_two_colliders("sphere:centre=[1,0.05,-0.1],radius=0.112~sphere:centre=[1.01,-0.06,-0.1],radius=0.117",
                      (const shape[2]){{{1, 0.05, -0.1}, {0, 0, 1}, 0.112}, {{1.01, -0.06, -0.1}, {0, 0, 1}, 0.117}});
}

/* Springs take a vertex away from the plane that inertia has brought it into: the plane lets go, and does not pull. */
static void test_xpbd_lets_go(void)
{
  static const char *const scene =
      "scene=rope;nodes=5;rope_from=[0,1,0];rope_to=[0,0,0];stiffness=2000;vertex_mass=0.1;h=0.02;"
      "initial_velocity=[0,-3,0];contact=penalty;contact_implicit=true;contact_stiffness=300;"
      "collider=plane:point=[0,-0.05,0],normal=[0,1,0]~plane:point=[0,-9,0],normal=[0,1,0]";
  world              xpbd, newton;
  sb_minimize_report report;
  if (world_ranks() > 1) skip();
  world_open(&newton, PETSC_COMM_SELF, "%s;step=armijo;gradient_tolerance=1e-11", scene);
  world_open(&xpbd, PETSC_COMM_SELF, "%s;minimizer=xpbd;max_iterations=3000", scene);
  world_minimize(&newton, &report);
  world_minimize(&xpbd, &report);
  double *z = world_gather(&newton, newton.z);
  assert_true(z[13] > -0.05 && z[13] < 0); /* the last vertex; its prediction is at -0.06 */
  free(z);
  assert_at_most(world_distance(&xpbd, xpbd.z, &newton, newton.z), 1e-12);
  world_close(&xpbd);
  world_close(&newton);
}

PETSC_TEST_MAIN(test_methods_agree, test_xpbd_lets_go, test_two_colliders, test_xpbd_is_exact_on_a_line,
                test_value_and_hessian, test_implicit_contact_holds_a_net, test_lagged_and_implicit_meet,
                test_ranks_agree)
