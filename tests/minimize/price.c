/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The price of a factorisation against what PETSc counts, and against counts by hand. */
#include "solvers/minimize/price.h"

#include <math.h>

#include "tests/minimize/world.h"

/* A chain of 100, one end held: 99 blocks in a row, whose columns have 6, 5, 4 entries, of the last 3, 2, 1. */
#define CHAIN "scene=rope;nodes=100;h=1/30"
/* Two free vertices, held by two others; five springs. The factor is full: columns of 6 to 1. */
#define FULL "scene=curtain;grid=1;h=1/30"
#define NET  "scene=curtain;grid=6;stiffness=1e5;h=1/30"

static sb_price price_of(const char *scene, const char *linear)
{
  world w;
  world_open(&w, PETSC_COMM_WORLD, "%s;minimizer=newton;hessian=projected;linear=%s", scene, linear);
  const sb_price price = sb_factor_price(w.system, sb_minimizer_linear(w.minimizer));
  world_close(&w);
  return price;
}

static void check(sb_price price, double springs, double vertices, double factor)
{
  assert_true(price.product == 23 * springs + 51 * vertices);
  assert_true(price.factor == 60 * springs + 3 * vertices + factor);
  assert_true(sb_price_ratio(price) == price.factor / price.product);
}

static void test_price_of_a_chain_and_of_a_full_matrix(void)
{
  check(price_of(CHAIN, "cholesky"), 99, 100, 98 * (36 + 25 + 16) + 9 + 4 + 1);
  check(price_of(FULL, "cholesky"), 5, 4, 36 + 25 + 16 + 9 + 4 + 1);
  check(price_of(FULL, "panel"), 5, 4, 36 + 25 + 16 + 9 + 4 + 1);
}

/* The flops of five iterations of Newton-CG, and those of CG in them, of which each has at most so many. */
static double flops_of(int most, long *iterations)
{
  world              w;
  sb_minimize_report report;
  PetscLogDouble     before, after;
  world_open(&w, PETSC_COMM_SELF,
             NET ";minimizer=newton_cg;cg_hessian=projected;max_iterations=5;gradient_tolerance=0;cg_max_iterations=%d",
             most);
  OK(sb_potential_set_state(w.potential, 0, w.x, w.v));
  OK(PetscGetFlops(&before));
  OK(sb_minimizer_run(w.minimizer, w.potential, w.z, &report));
  OK(PetscGetFlops(&after));
  *iterations = report.linear_iterations;
  world_close(&w);
  return after - before;
}

static void test_a_product_is_an_iteration_of_cg(void)
{
  long         few, many;
  const double flops_few = flops_of(2, &few), flops_many = flops_of(100, &many);
  assert_true(many > few + 4);
  assert_true(flops_many - flops_few == (double)(many - few) * price_of(NET, "panel").product);
}

/* An iteration of Newton's method also computes g and its gradient, and solves. */
static void test_a_factorisation_is_that_of_newton(void)
{
  const sb_price     price = price_of(NET, "panel");
  sb_minimize_report report;
  PetscLogDouble     before, after;
  world              w;
  world_open(&w, PETSC_COMM_SELF, NET ";minimizer=newton;hessian=projected;linear=panel;max_iterations=1");
  OK(sb_potential_set_state(w.potential, 0, w.x, w.v));
  OK(PetscGetFlops(&before));
  OK(sb_minimizer_run(w.minimizer, w.potential, w.z, &report));
  OK(PetscGetFlops(&after));
  const double solve = 4 * sb_linear_solver_facts(sb_minimizer_linear(w.minimizer))->nonzeros_factor;
  const double left = after - before - price.factor - solve;
  assert_true(left > 0 && left < 80.0 * w.system->springs_global);
  world_close(&w);
}

static void test_there_is_no_price_without_a_factor(void)
{
  const sb_price price = price_of(NET, "jacobi");
  assert_true(price.factor == 0 && isnan(sb_price_ratio(price)));
}

PETSC_TEST_MAIN(test_price_of_a_chain_and_of_a_full_matrix, test_a_product_is_an_iteration_of_cg,
                test_a_factorisation_is_that_of_newton, test_there_is_no_price_without_a_factor)
