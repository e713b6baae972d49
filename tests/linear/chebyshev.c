/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Backend chebyshev: the residual polynomial to rounding, estimated ends, sweeps beneath it, and honest refusals. */
#include <malloc.h>
#include <math.h>
#include <string.h>

#include "solvers/linear/spectrum.h"
#include "tests/linear/systems.h"

enum { NODES = 12, VALUES = 3 };

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

static double diagonal_of(const void *values, PetscInt i, PetscInt j)
{
  return i == j ? ((const double *)values)[i % VALUES] : 0;
}

static PetscErrorCode copy(void *context, Vec r, Vec z)
{
  (void)context;
  return VecCopy(r, z);
}

static sb_spectrum_ends ends_of(const double *values, PetscInt rows, bool symmetric)
{
  Mat              A = matrix_of(rows, 0, 1, diagonal_of, values);
  sb_spectrum      spectrum = {.apply = copy};
  sb_spectrum_ends ends;
  OK(sb_spectrum_create(A, symmetric, &spectrum));
  OK(sb_spectrum_measure(&spectrum, A, &ends));
  OK(sb_spectrum_destroy(&spectrum));
  OK(MatDestroy(&A));
  return ends;
}

/* A matrix with fewer values than the estimate has iterations: the Krylov space is exhausted before, at once by one row
 * or by equal values. Memory that nobody wrote is not 0 here. GMRES sees the end where it is above rounding times the
 * condition. */
static void test_exhausted_estimates(void)
{
  static const double sets[][VALUES] = {{1, 1, 1}, {3, 3, 3}, {0.1, 0.1, 0.1}, {1, 2, 7}, {1, 1, 2}, {1e-3, 1e3, 3}};
  static const double bad[VALUES] = {1, -1, 2};
  static const int    fills[] = {0, 85, 170, 255};
  for (size_t f = 0; f < sizeof fills / sizeof *fills; ++f) {
    mallopt(M_PERTURB, fills[f]);
    for (size_t s = 0; s < sizeof sets / sizeof *sets; ++s)
      for (PetscInt rows = 1; rows <= 4; ++rows) {
        double least = INFINITY, most = 0;
        for (PetscInt i = 0; i < rows; ++i) {
          least = fmin(least, sets[s][i % VALUES]);
          most = fmax(most, sets[s][i % VALUES]);
        }
        for (int symmetric = most > 1e2 * least; symmetric < 2; ++symmetric) {
          const sb_spectrum_ends ends = ends_of(sets[s], rows, symmetric == 1);
          assert_true(ends.definite);
          ASSERT_WITHIN(fabs(ends.low - least), 1e-12 * most);
          ASSERT_WITHIN(fabs(ends.high / (SB_SPECTRUM_MARGIN * most) - 1), 1e-12);
        }
      }
    const sb_spectrum_ends none = ends_of(bad, 3, true);
    assert_false(none.definite);
    assert_true(none.low == 0 && none.high == 0);
  }
  mallopt(M_PERTURB, 0);
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

PETSC_TEST_MAIN(test_polynomial, test_estimated_ends, test_exhausted_estimates, test_wrong_ends, test_refusals)
