/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The target of a step of implicit Euler, y = x + h v + h^2 f_ext/m, by formula for every part of f_ext; closed forms
 * of steps whose only difficulty is y; and pinned vertices on a path. */
#include "tests/minimize/world.h"

#include <math.h>
#include <stdlib.h>

/* One free vertex at (1, 0, 0), m = 1, on a spring at its rest length. */
#define ONE "scene=oscillator;amplitude=0;h=0.1;gravity=[0,0,-9.8]"

/* y or x + h v of the first step, all vertices. */
static double *first_iterate(world *w, sb_start start)
{
  OK(sb_potential_set_state(w->potential, w->steps * w->h, w->x, w->v));
  OK(sb_potential_start(w->potential, start, w->z));
  return world_gather(w, w->z);
}

static void assert_place(const double *z, double x, double y, double height)
{
  assert_at_most(fabs(z[0] - x), 1e-15);
  assert_at_most(fabs(z[1] - y), 1e-15);
  assert_at_most(fabs(z[2] - height), 1e-15);
}

/* A net at rest length falls as a point does: x_n = x_0 + n h v_0 + a h^2 n (n + 1)/2. */
static void test_uniform_field(void)
{
  const double       a[3] = {0.5, -2, 3}, v[3] = {1, 0, 2}, h = 0.1;
  world              w;
  sb_minimize_report report;
  for (size_t m = 0; m < sb_minimizer_method_count(); ++m) {
    if (!world_runs(sb_minimizer_method_at(m))) continue;
    world_open(&w, PETSC_COMM_WORLD,
               "scene=chain;nodes=5;ends=free_free;amplitude=0;gravity=[0,0,0];h=0.1;initial_velocity=[1,0,2];"
               "wind=uniform:acceleration=[0.5,-2,3];max_iterations=4;minimizer=%s",
               sb_minimizer_method_at(m)->name);
    for (int n = 1; n <= 10; ++n) {
      world_step(&w, &report);
      double *x = world_gather(&w, w.x);
      for (size_t i = 0; i < 15; ++i) {
        const double want = w.pose.position[i] + n * h * v[i % 3] + a[i % 3] * h * h * n * (n + 1) / 2;
        assert_at_most(fabs(x[i] - want), 1e-12);
      }
      free(x);
    }
    world_close(&w);
  }
}

/* At (x, t) of the start of the step; pinned vertices take no force. */
static void test_field_of_place_and_time(void)
{
  world w;
  world_open_bare(&w, PETSC_COMM_WORLD,
                  "scene=cloth;grid=3;h=0.05;perturbation=0.1;drag=0.02;initial_velocity=[0.3,-0.2,1.5];"
                  "wind=expression:x=10*x,y=10*y+t,z=0");
  w.steps = 7;
  double *x = world_gather(&w, w.x), *v = world_gather(&w, w.v), *y = first_iterate(&w, SB_START_INERTIAL);
  for (size_t i = 0; i < w.pose.vertices; ++i) {
    const double a[3] = {10 * x[3 * i], 10 * x[3 * i + 1] + 7 * w.h, -9.8};
    for (size_t c = 3 * i; c < 3 * i + 3; ++c) {
      const double full = a[c - 3 * i] - 0.02 * v[c] / w.pose.mass[i];
      assert_at_most(fabs(y[c] - (w.pose.pinned[i] ? x[c] : x[c] + w.h * v[c] + w.h * w.h * full)), 1e-14);
    }
  }
  free(x);
  free(v);
  free(y);
  world_close(&w);
}

/* Gravity alone; pinned vertices stay, whatever velocity somebody gave them. Odd and even numbers of vertices. */
static void test_free_fall(void)
{
  static const double g[3] = {0.5, -2, -9.8};
  for (int grid = 2; grid <= 3; ++grid) {
    world w;
    world_open_bare(&w, PETSC_COMM_WORLD, "scene=cloth;grid=%d;h=0.05;perturbation=0.1;gravity=[0.5,-2,-9.8]", grid);
    OK(VecSet(w.v, 0.75));
    double *x = world_gather(&w, w.x), *y = first_iterate(&w, SB_START_INERTIAL),
           *coast = first_iterate(&w, SB_START_COAST);
    for (size_t k = 0; k < 3 * w.pose.vertices; ++k) {
      const bool moves = !w.pose.pinned[k / 3];
      assert_at_most(fabs(coast[k] - x[k] - (moves ? w.h * 0.75 : 0)), 1e-15);
      assert_at_most(fabs(y[k] - x[k] - (moves ? w.h * 0.75 + w.h * w.h * g[k % 3] : 0)), 1e-15);
    }
    free(x);
    free(y);
    free(coast);
    world_close(&w);
  }
}

/* The damper acts at the start of the step: u+ = (u + h v (1 - h k_d/m))/(1 + h^2 k/m) on a line. */
static void test_lagged_damper(void)
{
  world              w;
  sb_minimize_report report;
  const double       h = 0.05, damping = 1.5, u = 0.3, v = -0.8;
  world_open(&w, PETSC_COMM_WORLD,
             "scene=oscillator;amplitude=0.3;initial_velocity=[-0.8,0,0];h=0.05;spring_damping=1.5;max_iterations=5");
  world_minimize(&w, &report);
  double *z = world_gather(&w, w.z);
  assert_at_most(fabs(z[3] - 1 - (u + h * v * (1 - h * damping)) / (1 + h * h * 4)), 1e-14);
  free(z);
  world_close(&w);
}

/* The same on any number of ranks: a damper needs the velocities of neighbours. */
static void test_dampers_on_ranks(void)
{
  world       serial, parallel;
  const char *scene = "scene=cloth;grid=5;h=0.01;perturbation=0.1;initial_velocity=[1,2,3];spring_damping=0.7";
  world_open_bare(&serial, PETSC_COMM_SELF, "%s", scene);
  world_open_bare(&parallel, PETSC_COMM_WORLD, "%s", scene);
  free(first_iterate(&serial, SB_START_INERTIAL));
  free(first_iterate(&parallel, SB_START_INERTIAL));
  assert_at_most(world_distance(&serial, serial.z, &parallel, parallel.z), 1e-15);
  world_close(&serial);
  world_close(&parallel);
}

/* Pinned vertices are at path(t + h) in every first iterate, under every method. */
static void test_pins_on_a_path(void)
{
  static const char *const methods[] = {"reduce", "row_replace", "constraint_force", "penalty"};
  for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
    world w;
    world_open_bare(&w, PETSC_COMM_WORLD, "scene=cloth;grid=3;h=0.1;pin_path=linear:velocity=[0,0.5,-1];pin_method=%s",
                    methods[m]);
    w.steps = 3;
    for (int start = 0; start < 3; ++start) {
      double *z = first_iterate(&w, (sb_start)start);
      for (size_t i = 0; i < w.pose.vertices; ++i) {
        const double *rest = w.pose.position + 3 * i;
        if (w.pose.pinned[i]) assert_place(z + 3 * i, rest[0], rest[1] + 0.4 * 0.5, rest[2] - 0.4);
      }
      free(z);
    }
    world_close(&w);
  }
}

static void check_places(const char *contact, const char *more, const double y[2], const double coast[2])
{
  world w;
  world_open_bare(&w, PETSC_COMM_WORLD, ONE ";%s%s", contact, more);
  double *target = first_iterate(&w, SB_START_INERTIAL), *coasting = first_iterate(&w, SB_START_COAST);
  assert_place(target + 3, y[0], 0, y[1]);
  assert_place(coasting + 3, coast[0], 0, coast[1]);
  free(target);
  free(coasting);
  world_close(&w);
}

static void check_contact(const char *contact, double y, double coast)
{
  check_places(contact, "", (double[]){1.03, y}, (double[]){1.03, coast});
}

/* With friction 0.1, which leaves these values of x = 1.03. */
static void check_friction(const char *contact, double y, double coast, double rubbed_y, double rubbed_coast)
{
  check_contact(contact, y, coast);
  check_places(contact, ";friction=0.1", (double[]){rubbed_y, y}, (double[]){rubbed_coast, coast});
}

/* h = 0.1, so that h^2 g = 0.098. */
static void test_contact(void)
{
  /* It would pass through in this step: neither v nor gravity may take it there. */
  check_friction("initial_velocity=[0.3,0,-1];contact=cancel_velocity;collider=plane:point=[0,0,-0.05]", 0, 0,
                 1 + 0.1 * (0.2 - 0.1 * 0.98), 1.02); /* mu times 1 m/s that v loses, and times h g */
  /* It would not: nothing is asked. */
  check_contact("initial_velocity=[0.3,0,-1];contact=cancel_velocity;collider=plane:point=[0,0,-0.2]", -0.198, -0.1);
  check_contact("initial_velocity=[0.3,0,1];contact=cancel_velocity;collider=plane:point=[0,0,-0.05]", 0.002, 0.1);
  /* Inside by 0.02: a force of k_c 0.02. */
  check_friction("initial_velocity=[0.3,0,-1];contact=penalty;contact_stiffness=100;collider=plane:point=[0,0,0.02]",
                 -0.178, -0.1, 1 + 0.1 * (0.3 - 0.1 * 0.1 * 2), 1.03); /* mu h 2 N/m */
  /* With the filter, weight and penalty are one force: inwards, it goes; outwards, it stays. */
  check_friction("initial_velocity=[0.3,0,-1];contact=combined;contact_stiffness=100;collider=plane:point=[0,0,0.02]",
                 0, 0, 1 + 0.1 * (0.2 - 0.1 * 0.98), 1.02); /* penalty and filter push by the weight together */
  check_contact("initial_velocity=[0.3,0,-1];contact=combined;contact_stiffness=1000;collider=plane:point=[0,0,0.02]",
                0.102, 0);
  /* Implicit: not counted here. */
  check_friction("initial_velocity=[0.3,0,-1];contact=penalty;contact_stiffness=100;contact_implicit=true;"
                 "collider=plane:point=[0,0,0.02]",
                 -0.198, -0.1, 1 + 0.1 * (0.3 - 0.1 * 0.1 * 2), 1.03);
}

PETSC_TEST_MAIN(test_uniform_field, test_field_of_place_and_time, test_free_fall, test_lagged_damper,
                test_dampers_on_ranks, test_pins_on_a_path, test_contact)
