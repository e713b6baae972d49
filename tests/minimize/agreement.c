/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One minimum: every minimiser with every backend, on any number of ranks, finds the same (V10, V39, V42), and the
 * published end of one cloth. */
#include "solvers/conform/conform.h"
#include "tests/minimize/world.h"
#include "tests/model_vocabulary.h"

#include <math.h>
#include <stdlib.h>

#define MILD "scene=cloth;grid=4;stiffness=100;h=0.01;perturbation=0.02;initial_velocity=[0.5,0,-2]"

/* One step from the same state against Newton with the direct solver on one rank. */
static void compare_with_reference(const sb_minimizer_method *method, const sb_linear_backend *backend)
{
  world              w, reference;
  sb_minimize_report report;
  char               pair[160];
  if (sb_minimizer_method_traits(method) & SB_OTHER_LIMIT) return;
  world_open(&reference, PETSC_COMM_SELF, MILD ";linear=cholesky;max_iterations=12");
  world_minimize(&reference, &report);
  assert_at_most(world_gradient_norm(&reference, reference.z), 1e-11);
  world_open(&w, PETSC_COMM_WORLD, MILD ";%s;max_iterations=2000;step_tolerance=3e-15",
             world_pair_options(method, backend, pair));
  world_minimize(&w, &report);
  assert_true(report.converged);
  const bool direct = (backend->traits & SB_DIRECT) != 0;
  assert_at_most(world_distance(&w, w.z, &reference, reference.z), direct ? 1e-12 : 1e-10);
  world_close(&w);
  world_close(&reference);
}

static void test_every_pair_finds_the_minimum(void) { world_for_each_pair(compare_with_reference); }

/* The same few iterations on one rank and on all, far from the minimum. */
static void compare_ranks(const sb_minimizer_method *method, const sb_linear_backend *backend)
{
  world              serial, parallel;
  sb_minimize_report report;
  char               pair[160];
  world_open(&serial, PETSC_COMM_SELF, MILD ";%s;max_iterations=2", world_pair_options(method, backend, pair));
  world_open(&parallel, PETSC_COMM_WORLD, MILD ";%s;max_iterations=2", pair);
  world_step(&serial, &report);
  world_step(&parallel, &report);
  assert_at_most(world_distance(&serial, serial.x, &parallel, parallel.x), 1e-12);
  world_close(&serial);
  world_close(&parallel);
}

static void test_ranks_agree(void) { world_for_each_pair(compare_ranks); }

/* If full steps descend, the line search takes all of them, also near the minimum, where their decrease is lost in the
 * rounding of g. */
static void test_line_search_that_is_not_needed(void)
{
  world              with, without;
  sb_minimize_report report;
  const char        *scene = "scene=cloth;grid=10;stiffness=100;h=0.01;initial_velocity=[5,0,-9];max_iterations=9";
  world_open(&with, PETSC_COMM_SELF, "%s;step=armijo", scene);
  world_open(&without, PETSC_COMM_SELF, "%s;step=unit", scene);
  world_minimize(&with, &report);
  assert_int_equal(report.iterations, 9);
  world_minimize(&without, &report);
  assert_at_most(world_distance(&with, with.z, &without, without.z), 0);
  world_close(&with);
  world_close(&without);
}

/* V10: on a line the local step is exact, so that one global step is the minimum: with the spring stretched,
 * g' = m (z - y)/h^2 + k (z - l) = 0 at z = (m y + h^2 k l)/(m + h^2 k). */
static void test_one_iteration_on_a_line(void)
{
  world              w;
  sb_minimize_report report;
  const double       h = 0.3, y = 1.4 + 0.3 * 0.7;
  world_open(&w, PETSC_COMM_SELF,
             "scene=oscillator;amplitude=0.4;initial_velocity=[0.7,0,0];h=0.3;"
             "minimizer=local_global;max_iterations=1");
  world_minimize(&w, &report);
  double *z = world_gather(&w, w.z);
  assert_at_most(fabs(z[3] - (y + h * h * 4) / (1 + h * h * 4)), 1e-13);
  assert_at_most(fabs(z[4]) + fabs(z[5]), 0);
  free(z);
  world_close(&w);
}

/* Cloth of a published exercise: 20 steps of implicit Euler by one Newton iteration each from the place before. */
static void test_published_cloth(void)
{
  world              w;
  sb_minimize_report report;
  world_open(&w, PETSC_COMM_WORLD,
             "scene=cloth;grid=10;stiffness=1000;h=0.01;minimizer=newton;hessian=projected;"
             "max_iterations=1;start=previous;linear=cholesky");
  for (int step = 0; step < 20; ++step) {
    world_step(&w, &report);
    assert_int_equal(report.iterations, 1);
    assert_true(report.converged);
  }
  double *x = world_gather(&w, w.x);
  assert_at_most(fabs(x[360] - 1.00582114), 5e-9);
  assert_at_most(fabs(x[361] - 0.97114914), 5e-9);
  assert_at_most(fabs(x[362] + 0.2058), 5e-9);
  free(x);
  world_close(&w);
}

/* The checks that `springbench conform` makes of a minimiser; admm converges with the weight of local-global here. */
static void test_conformance(void)
{
  const sb_location nowhere = {0};
  for (size_t m = 0; world_ranks() == 1 && m < sb_minimizer_method_count(); ++m)
    for (size_t i = 0; sb_conform_minimizer_at(i); ++i) {
      sb_options *options = sb_options_create(model_vocabulary());
      sb_options_set(options, SB_ID(minimizer), sb_minimizer_method_at(m)->name, SB_FROM_USER, nowhere, NULL);
      sb_options_set(options, SB_ID(admm_weight), "1", SB_FROM_USER, nowhere, NULL);
      sb_options_set(options, SB_ID(petsc_nonlinear), "-snes_type newtonls", SB_FROM_USER, nowhere, NULL);
      if (sb_conform_minimizer_at(i)->check(options) != 0)
        fail_msg("%s: %s", sb_minimizer_method_at(m)->name, sb_conform_minimizer_at(i)->name);
      sb_options_destroy(&options);
    }
}

PETSC_TEST_MAIN(test_conformance, test_one_iteration_on_a_line, test_every_pair_finds_the_minimum, test_ranks_agree,
                test_line_search_that_is_not_needed, test_published_cloth)
