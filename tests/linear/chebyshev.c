/* Backend chebyshev: the residual polynomial to rounding, estimated ends, sweeps beneath it, and honest refusals. */
#include <math.h>
#include <string.h>

#include "tests/linear/systems.h"

enum { NODES = 12 };

static const sheet bent = {.cells = 12, .ratio = 100.0, .stretch = 1.2, .angle = 0.6};

/* M + h^2 L of a chain with both ends fixed, m = 1: eigenvalues of D^-1 A are 1 - mu cos(j pi/(n+1)). */
static double chain(const void *context, PetscInt i, PetscInt j)
{
  const double ratio = *(const double *)context;
  return i == j ? 1.0 + 2.0 * ratio : -ratio;
}

static double slowest_mode(PetscInt index) { return sin(M_PI * (double)(index + 1) / (NODES + 1)); }

static double third_mode(PetscInt index) { return sin(3 * M_PI * (double)(index + 1) / (NODES + 1)); }

static double eigenvalue(double ratio, int mode)
{
  return 1 - 2 * ratio / (1 + 2 * ratio) * cos(mode * M_PI / (NODES + 1));
}

static sb_solve_report solve(Mat A, double (*rhs)(PetscInt index), const char *low, const char *high, const char *limit,
                             const char *factored)
{
  sb_options       *options = options_of("linear=chebyshev", "linear_tolerance=0", low, high, limit, NULL);
  sb_linear_solver *solver;
  sb_outcome        outcome;
  sb_solve_report   report;
  Vec               b, x;
  OK(sb_linear_solver_create(PETSC_COMM_WORLD, options, NULL, 1, NULL, &solver));
  OK(MatCreateVecs(A, &x, &b));
  fill(b, rhs);
  OK(sb_linear_solver_set_matrix(solver, A, SB_NEW_PATTERN, true, &outcome));
  assert_string_equal(sb_outcome_name(outcome), factored);
  OK(sb_linear_solver_solve(solver, b, x, false, &report));
  OK(VecDestroy(&b));
  OK(VecDestroy(&x));
  OK(sb_linear_solver_destroy(&solver));
  sb_options_destroy(&options);
  return report;
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
static void test_polynomial(void **state)
{
  (void)state;
  static const double ratios[] = {1.0, 100.0};
  for (size_t i = 0; i < 2; ++i) {
    Mat          A = matrix_of(NODES, 1, 1, chain, &ratios[i]);
    const double a = eigenvalue(ratios[i], 1), b = eigenvalue(ratios[i], NODES);
    char         low[64], high[64];
    snprintf(low, sizeof low, "chebyshev_low=%.17g", a);
    snprintf(high, sizeof high, "chebyshev_high=%.17g", b);
    for (int k = 1; k <= 12; ++k) {
      char limit[64];
      snprintf(limit, sizeof limit, "linear_max_iterations=%d", k);
      const double          end = 1 / polynomial(k, (b + a) / (b - a));
      const double          third = end * polynomial(k, (b + a - 2 * eigenvalue(ratios[i], 3)) / (b - a));
      const sb_solve_report slowest = solve(A, slowest_mode, low, high, limit, "solved");
      assert_string_equal(sb_outcome_name(slowest.outcome), "truncated");
      assert_int_equal(slowest.iterations, k);
      ASSERT_WITHIN(fabs(slowest.relative - end), 1e-13);
      ASSERT_WITHIN(fabs(solve(A, third_mode, low, high, limit, "solved").relative - fabs(third)), 1e-13);
      ASSERT_WITHIN(solve(A, waves, low, high, limit, "solved").relative, end * (1 + 1e-12));
    }
    OK(MatDestroy(&A));
  }
}

static sb_solve_report solve_sheet(const char *linear, const char *pair, int columns, double *error)
{
  Mat               A = columns == 1 ? sheet_block(&bent) : sheet_scalar(&bent), product = A;
  sb_linear_solver *solver = solver_of(linear, pair, columns);
  sb_outcome        outcome;
  sb_solve_report   report;
  Vec               b, x, exact;
  if (columns > 1) OK(MatCreateMAIJ(A, columns, &product));
  OK(MatCreateVecs(product, &x, &b));
  OK(VecDuplicate(x, &exact));
  fill(exact, waves);
  OK(MatMult(product, exact, b));
  OK(sb_linear_solver_set_matrix(solver, A, SB_NEW_PATTERN, true, &outcome));
  assert_string_equal(sb_outcome_name(outcome), "solved");
  OK(sb_linear_solver_solve(solver, b, x, false, &report));
  *error = distance(x, exact);
  if (columns > 1) OK(MatDestroy(&product));
  OK(VecDestroy(&b));
  OK(VecDestroy(&x));
  OK(VecDestroy(&exact));
  OK(sb_linear_solver_destroy(&solver));
  OK(MatDestroy(&A));
  return report;
}

/* With estimated ends: a fifth of the iterations of Jacobi at most, and over sweeps (one rank) half of those again. */
static void test_estimated_ends(void **state)
{
  (void)state;
  PetscMPIInt ranks;
  double      error;
  OK(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  for (int columns = 1; columns <= 3; columns += 2) {
    const sb_solve_report jacobi = solve_sheet("jacobi", columns == 1 ? "jacobi_block=3" : NULL, columns, &error);
    const sb_solve_report over_jacobi = solve_sheet("chebyshev", NULL, columns, &error);
    assert_string_equal(sb_outcome_name(over_jacobi.outcome), "solved");
    ASSERT_WITHIN(error, 1e-7);
    assert_true(5 * over_jacobi.iterations < jacobi.iterations);
    if (ranks > 1) continue;
    const sb_solve_report over_sweeps = solve_sheet("chebyshev", "chebyshev_over=sor", columns, &error);
    assert_string_equal(sb_outcome_name(over_sweeps.outcome), "solved");
    ASSERT_WITHIN(error, 1e-7);
    assert_true(2 * over_sweeps.iterations < over_jacobi.iterations);
  }
}

/* Too low an upper end diverges and says so; too low a lower end only slows. */
static void test_wrong_ends(void **state)
{
  (void)state;
  double          error;
  sb_solve_report report = solve_sheet("chebyshev", "chebyshev_high=1", 3, &error);
  assert_string_equal(sb_outcome_name(report.outcome), "diverged");
  assert_non_null(strstr(report.reason, "chebyshev_high"));
  const PetscInt estimated = solve_sheet("chebyshev", NULL, 3, &error).iterations;
  report = solve_sheet("chebyshev", "chebyshev_low=1e-4", 3, &error);
  assert_string_equal(sb_outcome_name(report.outcome), "solved");
  assert_true(report.iterations > 2 * estimated);
}

static void assert_refused(const char *first, const char *second, const char *words)
{
  sb_options       *options = options_of("linear=chebyshev", first, second, NULL);
  sb_linear_solver *solver;
  char             *message = NULL;
  OK(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  const PetscErrorCode code = sb_linear_solver_create(PETSC_COMM_WORLD, options, NULL, 1, NULL, &solver);
  OK(PetscPopErrorHandler());
  assert_int_equal(code, PETSC_ERR_USER);
  OK(PetscErrorMessage(code, NULL, &message));
  assert_non_null(strstr(message, words));
  OK(sb_linear_solver_destroy(&solver));
  sb_options_destroy(&options);
}

static double saddle(const void *context, PetscInt i, PetscInt j)
{
  (void)context;
  return i == j ? 1.0 : 0.9;
}

static void test_refusals(void **state)
{
  (void)state;
  PetscMPIInt  ranks;
  const double ratio = 1;
  Mat          A = matrix_of(NODES, 1, 1, chain, &ratio), indefinite = matrix_of(30, 1, 1, saddle, NULL);
  OK(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  assert_refused("chebyshev_low=2", "chebyshev_high=1.5", "not below");
  if (ranks > 1) assert_refused("chebyshev_over=sor", NULL, "one rank only");
  solve(A, waves, "chebyshev_low=100", "chebyshev_high=auto", "linear_max_iterations=3", "failed");
  solve(indefinite, waves, "chebyshev_low=auto", "chebyshev_high=auto", "linear_max_iterations=3", "not_spd");
  OK(MatDestroy(&A));
  OK(MatDestroy(&indefinite));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_polynomial),
      cmocka_unit_test(test_estimated_ends),
      cmocka_unit_test(test_wrong_ends),
      cmocka_unit_test(test_refusals),
  };
  return run_group(argc, argv, "linear_chebyshev", tests, sizeof tests / sizeof tests[0]);
}
