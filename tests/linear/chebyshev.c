/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Backend chebyshev: the residual polynomial to rounding, estimated ends, sweeps beneath it, and honest refusals. */
#include <math.h>
#include <string.h>

#include "tests/linear/systems.h"

enum { NODES = 12 };

static const sheet bent = {.cells = 12, .ratio = 100.0, .stretch = 1.2, .angle = 0.6};

/* Modes of the chain (systems.h): eigenvalues of D^-1 A are 1 - mu cos(j pi/(n+1)). */
static double slowest_mode(PetscInt index) { return chain_mode(NODES, 1, index); }

static double third_mode(PetscInt index) { return chain_mode(NODES, 3, index); }

static double eigenvalue(double ratio, int mode)
{
  return 1 - 2 * ratio / (1 + 2 * ratio) * cos(mode * M_PI / (NODES + 1));
}

/* After k iterations from zero. */
static sb_solve_report iterate(problem *p, double (*rhs)(PetscInt index), double low, double high, int k)
{
  fill(p->b, rhs);
  return solve(p, "solved",
               "linear=chebyshev;linear_tolerance=0;chebyshev_low=%.17g;chebyshev_high=%.17g;linear_max_iterations=%d",
               low, high, k);
}

/* T_k(t) by its recurrence. */
static double polynomial(int k, double t)
{
  double before = 1, now = t;
  for (int i = 1; i < k; ++i) {
    const double next = 2 * t * now - before;
    before = now;
    now = next;
  }
  return k == 0 ? 1 : now;
}

/* From an eigenvector of D^-1 A, D here a multiple of I, the residual is the polynomial's value: at the end of the
 * interval 1/T_k(theta/delta), inside it no more than that. */
static void test_polynomial(void)
{
  static const double ratios[] = {1.0, 100.0};
  for (size_t i = 0; i < 2; ++i) {
    problem      p = problem_of(matrix_of(NODES, 1, 1, chain, &ratios[i]), 1);
    const double a = eigenvalue(ratios[i], 1), b = eigenvalue(ratios[i], NODES);
    for (int k = 1; k <= 12; ++k) {
      const double          end = 1 / polynomial(k, (b + a) / (b - a));
      const double          third = end * polynomial(k, (b + a - 2 * eigenvalue(ratios[i], 3)) / (b - a));
      const sb_solve_report slowest = iterate(&p, slowest_mode, a, b, k);
      ASSERT_OUTCOME("truncated", slowest);
      assert_int_equal(slowest.iterations, k);
      ASSERT_WITHIN(fabs(slowest.relative - end), 1e-13);
      ASSERT_WITHIN(fabs(iterate(&p, third_mode, a, b, k).relative - fabs(third)), 1e-13);
      ASSERT_WITHIN(iterate(&p, waves, a, b, k).relative, end * (1 + 1e-12));
    }
    problem_free(&p);
  }
}

/* Iterations on the bent sheet, which must end so; if solved, to 1e-7. `reason`: a part of it, or NULL. */
static PetscInt iterations_of(int columns, const char *pairs, const char *outcome, const char *reason)
{
  problem               p = problem_of(columns == 1 ? sheet_block(&bent) : sheet_scalar(&bent), columns);
  const sb_solve_report report = solve(&p, "solved", "%s", pairs);
  ASSERT_OUTCOME(outcome, report);
  if (reason) assert_non_null(strstr(report.reason, reason));
  if (report.outcome == SB_SOLVED) ASSERT_WITHIN(distance(p.x, p.exact), 1e-7);
  problem_free(&p);
  return report.iterations;
}

/* With estimated ends: a fifth of the iterations of Jacobi at most, and over sweeps (one rank) half of those again. */
static void test_estimated_ends(void)
{
  for (int columns = 1; columns <= 3; columns += 2) {
    const char *const point = columns == 1 ? "linear=jacobi;jacobi_block=3" : "linear=jacobi";
    const PetscInt    over_jacobi = iterations_of(columns, "linear=chebyshev", "solved", NULL);
    assert_true(5 * over_jacobi < iterations_of(columns, point, "solved", NULL));
    if (rank_count() > 1) continue;
    assert_true(2 * iterations_of(columns, "linear=chebyshev;chebyshev_over=sor", "solved", NULL) < over_jacobi);
  }
}

/* Too low an upper end diverges and says so; too low a lower end only slows. */
static void test_wrong_ends(void)
{
  const PetscInt estimated = iterations_of(3, "linear=chebyshev", "solved", NULL);
  iterations_of(3, "linear=chebyshev;chebyshev_high=1", "diverged", "chebyshev_high");
  assert_true(iterations_of(3, "linear=chebyshev;chebyshev_low=1e-4", "solved", NULL) > 2 * estimated);
}

static void test_refusals(void)
{
  const double ratio = 1;
  problem      p = problem_of(matrix_of(NODES, 1, 1, chain, &ratio), 1);
  problem      indefinite = problem_of(matrix_of(30, 1, 1, saddle, NULL), 1);
  assert_refused(NULL, "not below", "linear=chebyshev;linear_tolerance=0;chebyshev_low=2;chebyshev_high=1.5");
  if (rank_count() > 1) assert_refused(NULL, "one rank only", "linear=chebyshev;chebyshev_over=sor");
  solve(&p, "failed", "linear=chebyshev;linear_tolerance=0;chebyshev_low=100;linear_max_iterations=3");
  solve(&indefinite, "not_spd", "linear=chebyshev;linear_tolerance=0;linear_max_iterations=3");
  problem_free(&p);
  problem_free(&indefinite);
}

PETSC_TEST_MAIN(test_polynomial, test_estimated_ends, test_wrong_ends, test_refusals)
