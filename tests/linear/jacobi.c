/* Backend jacobi: V44 (its speed is the spectral radius), V45 (it fails honestly), blocks, relaxation, truncation. */
#include <math.h>
#include <string.h>

#include "tests/linear/spectrum.h"
#include "tests/linear/systems.h"

enum { NODES = 12 };

/* M + h^2 L of a chain with both ends fixed, m = 1: 1 + 2 ratio on the diagonal, -ratio beside it. */
static double chain(const void *context, PetscInt i, PetscInt j)
{
  const double ratio = *(const double *)context;
  return i == j ? 1.0 + 2.0 * ratio : -ratio;
}

/* rho(I - omega D^-1 A): eigenvalues of D^-1 A are 1 - rho_1 cos(j pi/(n+1)), rho_1 = 2 ratio/(1 + 2 ratio). */
static double radius(double ratio, double omega)
{
  const double slowest = 2.0 * ratio / (1.0 + 2.0 * ratio) * cos(M_PI / (NODES + 1));
  return fmax(fabs(1.0 - omega * (1.0 - slowest)), fabs(1.0 - omega * (1.0 + slowest)));
}

/* The modes of the chain, i from 1: the slowest, and the fastest, whose sign alternates. */
static double slowest_mode(PetscInt index) { return sin(M_PI * (double)(index + 1) / (NODES + 1)); }

static double fastest_mode(PetscInt index) { return sin(M_PI * NODES * (double)(index + 1) / (NODES + 1)); }

static double residual_after(Mat A, double omega, int iterations, double (*rhs)(PetscInt index))
{
  char              relaxation[64], limit[64];
  sb_linear_solver *solver;
  sb_outcome        outcome;
  sb_solve_report   report;
  Vec               b, x;
  snprintf(relaxation, sizeof relaxation, "jacobi_omega=%.17g", omega);
  snprintf(limit, sizeof limit, "linear_max_iterations=%d", iterations);
  sb_options *options = options_of("linear=jacobi", "linear_tolerance=0", relaxation, limit, NULL);
  OK(sb_linear_solver_create(PETSC_COMM_WORLD, options, NULL, 1, NULL, &solver));
  OK(MatCreateVecs(A, &x, &b));
  fill(b, rhs);
  OK(sb_linear_solver_set_matrix(solver, A, SB_NEW_PATTERN, true, &outcome));
  OK(sb_linear_solver_solve(solver, b, x, false, &report));
  assert_string_equal(sb_outcome_name(report.outcome), "truncated");
  assert_int_equal(report.iterations, iterations);
  OK(VecDestroy(&b));
  OK(VecDestroy(&x));
  OK(sb_linear_solver_destroy(&solver));
  sb_options_destroy(&options);
  return report.relative;
}

/* From the mode that dominates, the residual is rho^k exactly; from any other start it is no larger, D being a multiple
 * of I here. rho < 1 whatever h^2 k/m is. */
static void test_speed(void **state)
{
  (void)state;
  static const double ratios[] = {0.01, 0.1, 1.0, 10.0, 100.0}, omegas[] = {1.0, 0.8, 0.5, 1.2};
  for (size_t i = 0; i < sizeof ratios / sizeof ratios[0]; ++i) {
    Mat A = matrix_of(NODES, 1, 1, chain, &ratios[i]);
    for (size_t j = 0; j < sizeof omegas / sizeof omegas[0]; ++j) {
      const double slow = 2.0 * ratios[i] / (1.0 + 2.0 * ratios[i]) * cos(M_PI / (NODES + 1));
      const bool   smooth = fabs(1.0 - omegas[j] * (1.0 - slow)) >= fabs(1.0 - omegas[j] * (1.0 + slow));
      const double rho = radius(ratios[i], omegas[j]);
      if (omegas[j] <= 1.0) assert_true(rho < 1.0);
      if (rho >= 1.0) continue;
      const double decay = pow(rho, 5.0);
      const double dominant = residual_after(A, omegas[j], 5, smooth ? slowest_mode : fastest_mode);
      ASSERT_WITHIN(fabs(dominant / decay - 1.0), 1e-12 + 1e-15 / decay); /* rounding, at the scale of b */
      ASSERT_WITHIN(residual_after(A, omegas[j], 5, waves), decay * (1.0 + 1e-9));
    }
    OK(MatDestroy(&A));
  }
}

static sb_solve_report solve_sheet(const sheet *s, const char *pair, int columns, double *error)
{
  Mat               A = columns == 1 ? sheet_block(s) : sheet_scalar(s), product = A;
  sb_linear_solver *solver = solver_of("jacobi", pair, columns);
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

/* The same sheet, every spring stretched, so its Newton matrix is positive definite: aligned with the axes Jacobi
 * converges, rotated it diverges, and says so after few iterations with a finite x. */
static const sheet aligned = {.cells = 8, .ratio = 10.0, .stretch = 1.2};
static const sheet rotated = {.cells = 8, .ratio = 10.0, .stretch = 1.2, .angle = 0.6};

static void test_honest_divergence(void **state)
{
  (void)state;
  double                error;
  const sb_solve_report good = solve_sheet(&aligned, NULL, 1, &error);
  assert_string_equal(sb_outcome_name(good.outcome), "solved");
  ASSERT_WITHIN(error, 1e-8);
  const sb_solve_report bad = solve_sheet(&rotated, "jacobi_omega=1", 1, &error);
  assert_string_equal(sb_outcome_name(bad.outcome), "diverged");
  assert_non_null(strstr(bad.reason, "spectral radius"));
  assert_true(isfinite(error) && isfinite(bad.relative) && bad.relative > 1e4);
  assert_in_range(bad.iterations, 2, 200);
}

/* Whole vertices as blocks, or damping, bring the rotated sheet back. */
static void test_block_and_damping(void **state)
{
  (void)state;
  double          error;
  sb_solve_report report = solve_sheet(&rotated, "jacobi_block=3", 1, &error);
  assert_string_equal(sb_outcome_name(report.outcome), "solved");
  ASSERT_WITHIN(error, 1e-8);
  report = solve_sheet(&rotated, "jacobi_omega=0.5", 1, &error);
  assert_string_equal(sb_outcome_name(report.outcome), "solved");
  ASSERT_WITHIN(error, 1e-8);
}

/* A scalar matrix has no 3x3 blocks: the option then changes nothing. */
static void test_block_of_scalar(void **state)
{
  (void)state;
  double                point_error, block_error;
  const sb_solve_report point = solve_sheet(&aligned, NULL, 3, &point_error);
  const sb_solve_report block = solve_sheet(&aligned, "jacobi_block=3", 3, &block_error);
  assert_string_equal(sb_outcome_name(point.outcome), "solved");
  assert_int_equal(point.iterations, block.iterations);
  assert_true(point_error == block_error);
}

/* omega as the backend found it: one iteration from zero is x = omega D^-1 b, and D x = omega b. */
static double omega_of(Mat A, int block)
{
  sb_options       *options = options_of("linear=jacobi", "linear_tolerance=0", "linear_max_iterations=1",
                                   block == 3 ? "jacobi_block=3" : "jacobi_block=1", NULL);
  sb_linear_solver *solver;
  sb_outcome        outcome;
  sb_solve_report   report;
  PetscInt          first;
  double            omega = 0;
  Vec               b, x;
  OK(sb_linear_solver_create(PETSC_COMM_WORLD, options, NULL, 1, NULL, &solver));
  OK(MatCreateVecs(A, &x, &b));
  fill(b, waves);
  OK(sb_linear_solver_set_matrix(solver, A, SB_NEW_PATTERN, true, &outcome));
  assert_string_equal(sb_outcome_name(outcome), "solved");
  OK(sb_linear_solver_solve(solver, b, x, false, &report));
  OK(MatGetOwnershipRange(A, &first, NULL));
  const PetscScalar *values, *rhs;
  OK(VecGetArrayRead(x, &values));
  OK(VecGetArrayRead(b, &rhs));
  for (PetscInt j = 0; j < block; ++j) {
    PetscScalar entry;
    OK(MatGetValue(A, first, first + j, &entry));
    omega += entry * values[j] / rhs[0];
  }
  OK(VecRestoreArrayRead(x, &values));
  OK(VecRestoreArrayRead(b, &rhs));
  OK(VecDestroy(&b));
  OK(VecDestroy(&x));
  OK(sb_linear_solver_destroy(&solver));
  sb_options_destroy(&options);
  return omega;
}

/* auto converges wherever omega = 1 does and where it does not, on small sheets and larger ones: below 2/lambda_max,
 * and not far below. */
static void test_automatic(void **state)
{
  (void)state;
  static const sheet sheets[] = {{4, 1, 1.2, 0},      {8, 10, 1.2, 0},       {8, 10, 1.2, 0.6},  {16, 100, 1.5, 0.3},
                                 {32, 10, 1.01, 0.6}, {32, 1000, 1.05, 0.9}, {48, 100, 1.2, 0.6}};
  for (size_t i = 0; i < sizeof sheets / sizeof sheets[0]; ++i)
    for (int form = 0; form < 3; ++form) { /* scalar; by points; by vertices */
      const int    block = form == 2 ? 3 : 1;
      Mat          A = form == 0 ? sheet_scalar(&sheets[i]) : sheet_block(&sheets[i]);
      const double largest = largest_eigenvalue(A, block), limit = 2 / largest, omega = omega_of(A, block);
      assert_true(largest < (form == 1 ? 6 : 2)); /* of D^-1 A: form by form the bound that the backend states */
      if (!(omega < limit && omega > 0.75 * limit))
        fail_msg("sheet %zu form %d: omega %g of %g", i, form, omega, limit);
      OK(MatDestroy(&A));
    }
  double                error;
  const sb_solve_report report = solve_sheet(&rotated, NULL, 1, &error);
  assert_string_equal(sb_outcome_name(report.outcome), "solved");
  ASSERT_WITHIN(error, 1e-8);
}

static double saddle(const void *context, PetscInt i, PetscInt j)
{
  (void)context;
  return i == j ? 1.0 : 0.9;
}

/* No omega makes the iteration converge for an indefinite matrix, and auto says so before it begins. */
static void test_automatic_indefinite(void **state)
{
  (void)state;
  Mat               A = matrix_of(30, 1, 3, saddle, NULL);
  sb_linear_solver *solver = solver_of("jacobi", NULL, 1);
  sb_outcome        outcome;
  OK(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  OK(sb_linear_solver_set_matrix(solver, A, SB_NEW_PATTERN, false, &outcome));
  assert_string_equal(sb_outcome_name(outcome), "not_spd");
  OK(sb_linear_solver_destroy(&solver));
  OK(MatDestroy(&A));
}

static void test_refused_block(void **state)
{
  (void)state;
  sb_options       *options = options_of("linear=jacobi", "jacobi_block=2", NULL);
  sb_linear_solver *solver;
  OK(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  const PetscErrorCode code = sb_linear_solver_create(PETSC_COMM_WORLD, options, NULL, 1, NULL, &solver);
  OK(PetscPopErrorHandler());
  assert_int_equal(code, PETSC_ERR_USER);
  OK(sb_linear_solver_destroy(&solver));
  sb_options_destroy(&options);
}

/* Out of iterations is stalled, not solved; and a zero diagonal is found before the first. */
static void test_too_few_iterations(void **state)
{
  (void)state;
  double                error;
  const sb_solve_report report = solve_sheet(&aligned, "linear_max_iterations=3", 1, &error);
  assert_string_equal(sb_outcome_name(report.outcome), "stalled");
  assert_int_equal(report.iterations, 3);
}

static double hollow(const void *context, PetscInt i, PetscInt j)
{
  (void)context;
  return i == j ? (i == 3 ? 0.0 : 2.0) : 0.5;
}

static void test_zero_diagonal(void **state)
{
  (void)state;
  Mat               A = matrix_of(9, 1, 3, hollow, NULL);
  sb_linear_solver *solver = solver_of("jacobi", NULL, 1);
  sb_outcome        outcome;
  OK(sb_linear_solver_set_matrix(solver, A, SB_NEW_PATTERN, false, &outcome));
  assert_string_equal(sb_outcome_name(outcome), "singular");
  OK(sb_linear_solver_destroy(&solver));
  solver = solver_of("jacobi", "jacobi_block=3", 1); /* as a block it is regular */
  OK(sb_linear_solver_set_matrix(solver, A, SB_NEW_PATTERN, false, &outcome));
  assert_string_equal(sb_outcome_name(outcome), "solved");
  OK(sb_linear_solver_destroy(&solver));
  OK(MatDestroy(&A));
}

/* Rows in which products overflow with both signs: the residual becomes NaN, not Inf, and ends the solve at once. */
static double overflowing(const void *context, PetscInt i, PetscInt j)
{
  (void)context;
  return i == j ? 1.0 : i % 3 == 1 ? (j < i ? 1e200 : -1e200) : 0.0;
}

static void test_residual_that_is_no_number(void **state)
{
  (void)state;
  Mat               A = matrix_of(9, 1, 3, overflowing, NULL);
  sb_linear_solver *solver = solver_of("jacobi", "jacobi_omega=1", 1);
  sb_outcome        outcome;
  sb_solve_report   report;
  Vec               b, x;
  OK(MatCreateVecs(A, &x, &b));
  OK(VecSet(b, 1e150));
  OK(sb_linear_solver_set_matrix(solver, A, SB_NEW_PATTERN, false, &outcome));
  assert_string_equal(sb_outcome_name(outcome), "solved");
  OK(sb_linear_solver_solve(solver, b, x, false, &report));
  assert_string_equal(sb_outcome_name(report.outcome), "diverged");
  assert_in_range(report.iterations, 1, 3);
  OK(VecDestroy(&b));
  OK(VecDestroy(&x));
  OK(sb_linear_solver_destroy(&solver));
  OK(MatDestroy(&A));
}

/* A truncated run that made the residual worse is not accepted. */
static void test_truncated_growth(void **state)
{
  (void)state;
  Mat         A = sheet_block(&rotated);
  sb_options *options =
      options_of("linear=jacobi", "jacobi_omega=1", "linear_tolerance=0", "linear_max_iterations=12", NULL);
  sb_linear_solver *solver;
  sb_outcome        outcome;
  sb_solve_report   report;
  Vec               b, x;
  OK(sb_linear_solver_create(PETSC_COMM_WORLD, options, NULL, 1, NULL, &solver));
  OK(MatCreateVecs(A, &x, &b));
  fill(b, waves);
  OK(sb_linear_solver_set_matrix(solver, A, SB_NEW_PATTERN, true, &outcome));
  OK(sb_linear_solver_solve(solver, b, x, false, &report));
  assert_string_equal(sb_outcome_name(report.outcome), "diverged");
  assert_true(report.relative > 1.0);
  OK(VecDestroy(&b));
  OK(VecDestroy(&x));
  OK(sb_linear_solver_destroy(&solver));
  sb_options_destroy(&options);
  OK(MatDestroy(&A));
}

static double unlike_pairs(const void *context, PetscInt i, PetscInt j)
{
  (void)context;
  if (i == j) return i % 2 ? 1.0 : 100.0;
  return i / 2 == j / 2 ? 9.9 : 0.0;
}

static double second_of_pairs(PetscInt index) { return index % 2 ? 1.0 : 0.0; }

/* What becomes of some sweeps at omega 1/2 from zero. */
static sb_solve_report truncated(double (*entry)(const void *context, PetscInt i, PetscInt j), bool definite,
                                 double (*rhs)(PetscInt index), const char                         *sweeps)
{
  Mat               A = matrix_of(12, 1, 2, entry, NULL);
  sb_options       *options = options_of("linear=jacobi", "jacobi_omega=0.5", "linear_tolerance=0", sweeps, NULL);
  sb_linear_solver *solver;
  sb_outcome        outcome;
  sb_solve_report   report;
  Vec               b, x;
  OK(sb_linear_solver_create(PETSC_COMM_WORLD, options, NULL, 1, NULL, &solver));
  OK(MatCreateVecs(A, &x, &b));
  fill(b, rhs);
  OK(sb_linear_solver_set_matrix(solver, A, SB_NEW_PATTERN, definite, &outcome));
  OK(sb_linear_solver_solve(solver, b, x, false, &report));
  OK(VecDestroy(&b));
  OK(VecDestroy(&x));
  OK(sb_linear_solver_destroy(&solver));
  sb_options_destroy(&options);
  OK(MatDestroy(&A));
  return report;
}

/* A sweep that lowers x.A x/2 - b.x is one towards the solution, though it makes the residual five times as large. */
static void test_truncated_descent(void **state)
{
  (void)state;
  const sb_solve_report report = truncated(unlike_pairs, true, second_of_pairs, "linear_max_iterations=1");
  assert_string_equal(sb_outcome_name(report.outcome), "truncated");
  assert_true(report.relative > 4);
}

static double swapped_pairs(const void *context, PetscInt i, PetscInt j)
{
  (void)context;
  return i == j ? 1.0 : i / 2 == j / 2 ? 2.0 : 0.0;
}

static double difference_of_pairs(PetscInt index) { return index % 2 ? -1.0 : 1.0; }

/* Of an indefinite matrix (eigenvalues 3 and -1) x.A x/2 - b.x falls for ever while x diverges: no reason to accept. */
static void test_truncated_divergence(void **state)
{
  (void)state;
  const sb_solve_report report = truncated(swapped_pairs, false, difference_of_pairs, "linear_max_iterations=5");
  assert_string_equal(sb_outcome_name(report.outcome), "diverged");
  ASSERT_WITHIN(fabs(report.relative - pow(1.5, 5)), 1e-12);
}

/* What starts from a solution exact to rounding cannot better it: iterations change its residual by a factor, and are
 * accepted all the same. */
static void test_truncated_at_rounding(void **state)
{
  (void)state;
  const double ratio = 1;
  Mat          A = matrix_of(NODES, 1, 1, chain, &ratio);
  sb_options  *options =
      options_of("linear=jacobi", "jacobi_omega=1", "linear_tolerance=0", "linear_max_iterations=3", NULL);
  sb_linear_solver *exact = solver_of("cholesky", NULL, 1), *solver;
  sb_outcome        outcome;
  sb_solve_report   report;
  Vec               b, x;
  double            grown = 0;
  OK(sb_linear_solver_create(PETSC_COMM_WORLD, options, NULL, 1, NULL, &solver));
  OK(MatCreateVecs(A, &x, &b));
  fill(b, waves);
  OK(sb_linear_solver_set_matrix(exact, A, SB_NEW_PATTERN, true, &outcome));
  OK(sb_linear_solver_solve(exact, b, x, false, &report));
  OK(sb_linear_solver_set_matrix(solver, A, SB_NEW_PATTERN, false, &outcome)); /* or its energy speaks for it, too */
  for (int i = 0; i < 20; ++i) {
    const double before = report.relative;
    OK(sb_linear_solver_solve(solver, b, x, true, &report));
    assert_string_equal(sb_outcome_name(report.outcome), "truncated");
    grown = fmax(grown, report.relative / before);
  }
  assert_true(grown > 1); /* else this shows nothing */
  OK(VecDestroy(&b));
  OK(VecDestroy(&x));
  OK(sb_linear_solver_destroy(&exact));
  OK(sb_linear_solver_destroy(&solver));
  sb_options_destroy(&options);
  OK(MatDestroy(&A));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_speed),
      cmocka_unit_test(test_honest_divergence),
      cmocka_unit_test(test_block_of_scalar),
      cmocka_unit_test(test_block_and_damping),
      cmocka_unit_test(test_automatic),
      cmocka_unit_test(test_automatic_indefinite),
      cmocka_unit_test(test_refused_block),
      cmocka_unit_test(test_too_few_iterations),
      cmocka_unit_test(test_zero_diagonal),
      cmocka_unit_test(test_truncated_growth),
      cmocka_unit_test(test_truncated_descent),
      cmocka_unit_test(test_truncated_divergence),
      cmocka_unit_test(test_truncated_at_rounding),
      cmocka_unit_test(test_residual_that_is_no_number),
  };
  return run_group(argc, argv, "linear_jacobi", tests, sizeof tests / sizeof tests[0]);
}
