/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work beside time: how often each method evaluates, assembles, factors and solves, and the flops that PETSc has
 * counted of it, whoever watches. */
#include "tests/minimize/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ITERATIONS = 4 };
#define SCENE "scene=curtain;grid=6;h=0.02;initial_velocity=[0.5,0,-2];linear=panel;gradient_tolerance=0"

static void evaluate(const world *w, Vec z)
{
  double value;
  Vec    gradient;
  OK(sb_system_create_unknowns(w->system, &gradient));
  OK(sb_potential_value(w->potential, z, &value));
  OK(sb_potential_gradient(w->potential, z, gradient));
  OK(VecNorm(gradient, NORM_2, &value));
  OK(VecDestroy(&gradient));
}

static PetscErrorCode watch(void *context, PetscInt k, Vec z, bool *stop)
{
  (void)k;
  (void)stop;
  evaluate(context, z);
  return 0;
}

/* The operations of one step of ITERATIONS iterations, and its flops; of `springs` springs. */
static double work_of(const char *options, bool watched, long operations[SB_OPERATION_COUNT], world *w)
{
  sb_profile         profile = {0};
  sb_minimize_report report;
  PetscLogDouble     before, after;
  world_open_bare(w, PETSC_COMM_SELF, SCENE ";%s", options);
  w->system->profile = &profile;
  OK(sb_minimizer_create(w->system, w->options, w->h, "", &w->minimizer));
  OK(sb_potential_set_state(w->potential, 0, w->x, w->v));
  const sb_profile prepared = profile;
  if (watched) OK(sb_minimizer_set_monitor(w->minimizer, watch, w));
  OK(PetscGetFlops(&before));
  OK(sb_minimizer_run(w->minimizer, w->potential, w->z, &report));
  OK(PetscGetFlops(&after));
  assert_int_equal(report.iterations, ITERATIONS);
  for (int o = 0; o < SB_OPERATION_COUNT; ++o) operations[o] = profile.operations[o] - prepared.operations[o];
  w->system->profile = NULL;
  return after - before - (profile.check_flops - prepared.check_flops);
}

/* The counts of each method, by name: energies, gradients, curvatures, products, assemblies, factorisations, right-hand
 * sides, passes of ITERATIONS iterations. Nonlinear CG computes g once more at the start, to test whether it falls. */
static const struct {
  const char *options;
  long        expected[SB_OPERATION_COUNT];
} methods[] = {
    {"minimizer=local_global;max_iterations=4", {0, 0, 0, 0, 0, 0, 12, 4}},
    {"minimizer=newton;hessian=projected;max_iterations=4", {0, 4, 0, 0, 4, 4, 4, 0}},
    {"minimizer=chebyshev;chebyshev_rho=0.9;max_iterations=4", {0, 4, 0, 0, 0, 0, 12, 0}},
    {"minimizer=nonlinear_cg;max_iterations=4", {5, 4, 4, 0, 0, 0, 12, 0}},
    {"minimizer=nonlinear_cg;metric=block_jacobi;max_iterations=4", {5, 4, 4, 0, 4, 0, 0, 0}},
    {"minimizer=admm;max_iterations=4", {0, 0, 0, 0, 0, 0, 12, 4}},
    {"minimizer=vertex_block_descent;max_iterations=4", {0, 0, 0, 0, 0, 0, 0, 4}},
    {"minimizer=xpbd;max_iterations=4", {0, 0, 0, 0, 0, 0, 0, 4}},
};

static void test_operations_are_those_of_the_method(void)
{
  for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
    long  found[SB_OPERATION_COUNT];
    world w;
    work_of(methods[m].options, false, found, &w);
    world_close(&w);
    for (int o = 0; o < SB_OPERATION_COUNT; ++o)
      if (found[o] != methods[m].expected[o])
        fail_msg("%s: %ld %s, not %ld", methods[m].options, found[o], sb_operation_name((sb_operation)o),
                 methods[m].expected[o]);
  }
}

static void test_who_watches_does_no_work(void)
{
  for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
    long         alone[SB_OPERATION_COUNT], watched[SB_OPERATION_COUNT];
    world        w;
    const double flops = work_of(methods[m].options, false, alone, &w);
    world_close(&w);
    assert_true(flops > 0);
    assert_true(fabs(work_of(methods[m].options, true, watched, &w) - flops) <= 1e-12 * flops);
    world_close(&w);
    assert_memory_equal(alone, watched, sizeof alone);
  }
}

/* The solves and the local steps are nearly all operations of local-global; the springs are all of a pass of XPBD; the
 * factorisation is most of a Newton iteration. */
static void test_flops_are_those_of_the_formulas(void)
{
  long   operations[SB_OPERATION_COUNT];
  world  w;
  double flops = work_of("minimizer=local_global;max_iterations=4", false, operations, &w);
  double known = ITERATIONS * (12 * sb_linear_solver_facts(sb_minimizer_linear(w.minimizer))->nonzeros_factor +
                               21.0 * w.system->springs.count);
  assert_true(flops >= known && flops <= known + ITERATIONS * 30.0 * w.system->owned);
  world_close(&w);
  flops = work_of("minimizer=xpbd;max_iterations=4", false, operations, &w);
  known = ITERATIONS * 37.0 * w.system->springs.count;
  assert_true(flops >= known && flops <= known + 10.0 * w.system->owned); /* once, whether the start is finite */
  world_close(&w);
  flops = work_of("minimizer=newton;hessian=projected;max_iterations=4", false, operations, &w);
  const sb_factor_facts *facts = sb_linear_solver_facts(sb_minimizer_linear(w.minimizer));
  known = ITERATIONS * (facts->flops_factor + 4 * facts->nonzeros_factor + 81.0 * w.system->springs.count);
  assert_true(flops >= known && flops <= known + ITERATIONS * 40.0 * w.system->owned);
  world_close(&w);
}

PETSC_TEST_MAIN(test_operations_are_those_of_the_method, test_who_watches_does_no_work,
                test_flops_are_those_of_the_formulas)
