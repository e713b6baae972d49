/* Backend petsc: its option text at work. */
#include <petscksp.h>
#include <string.h>

#include "solvers/linear/petsc_text.h"
#include "tests/linear/systems.h"

static const sheet stiff = {.cells = 8, .ratio = 100.0, .stretch = 1.1, .angle = 0.6};

/* Solves the stiff sheet with a right-hand side of waves; the caller's `x` may be NULL. */
static sb_solve_report solve_with(const sb_options *options, bool guess)
{
  Mat               A = sheet_block(&stiff);
  sb_linear_solver *solver;
  sb_outcome        outcome;
  sb_solve_report   report;
  Vec               b, x;
  OK(sb_linear_solver_create(PETSC_COMM_WORLD, options, "one_", 1, NULL, &solver));
  OK(MatCreateVecs(A, &x, &b));
  fill(b, waves);
  fill(x, waves);
  OK(sb_linear_solver_set_matrix(solver, A, SB_NEW_PATTERN, true, &outcome));
  OK(sb_linear_solver_solve(solver, b, x, guess, &report));
  OK(sb_linear_solver_destroy(&solver));
  OK(VecDestroy(&b));
  OK(VecDestroy(&x));
  OK(MatDestroy(&A));
  return report;
}

static sb_solve_report solve_text(const char *pair, const char *more)
{
  sb_options           *options = options_of("linear=petsc", pair, more, NULL);
  const sb_solve_report report = solve_with(options, false);
  sb_options_destroy(&options);
  return report;
}

/* The error code of creating a solver and giving it a matrix, and the message. */
static PetscErrorCode refusal(const char *pair, const char *more, const char **message)
{
  sb_options       *options = options_of("linear=petsc", pair, more, NULL);
  Mat               A = sheet_block(&stiff);
  sb_linear_solver *solver = NULL;
  sb_outcome        outcome;
  char             *specific = NULL;
  OK(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  PetscErrorCode code = sb_linear_solver_create(PETSC_COMM_WORLD, options, "one_", 1, NULL, &solver);
  if (!code) code = sb_linear_solver_set_matrix(solver, A, SB_NEW_PATTERN, true, &outcome);
  OK(PetscPopErrorHandler());
  OK(PetscErrorMessage(code, NULL, &specific));
  *message = specific ? specific : "";
  OK(sb_linear_solver_destroy(&solver));
  OK(MatDestroy(&A));
  sb_options_destroy(&options);
  return code;
}

static void assert_refused(const char *pair, const char *more, const char *word)
{
  const char *message;
  assert_int_equal(refusal(pair, more, &message), PETSC_ERR_USER);
  if (!strstr(message, word)) fail_msg("%s: '%s' does not say '%s'", pair, message, word);
}

static void test_default(void **state)
{
  (void)state;
  const sb_solve_report report = solve_text(NULL, NULL);
  assert_string_equal(sb_outcome_name(report.outcome), "solved");
  ASSERT_WITHIN(report.relative, 1e-9);
  assert_non_null(strstr(report.reason, "CONVERGED_RTOL"));
}

static void test_methods(void **state)
{
  (void)state;
  static const char *const texts[] = {
      "petsc=-ksp_type cg -pc_type bjacobi -sub_pc_type icc",
      "petsc=-ksp_type gmres -pc_type jacobi",
      "petsc=-ksp_type minres -pc_type jacobi",
      "petsc=-ksp_type bcgs -pc_type bjacobi",
      "petsc=-ksp_type fgmres -pc_type sor",
      "petsc=-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type mumps",
      "petsc=-ksp_type cg -pc_type hypre -pc_hypre_type boomeramg",
      "petsc=-ksp_type cg -pc_type gamg -mg_levels_ksp_type chebyshev",
  };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
    const sb_solve_report report = solve_text(texts[i], NULL);
    if (report.outcome != SB_SOLVED) fail_msg("%s: %s, %s", texts[i], sb_outcome_name(report.outcome), report.reason);
    ASSERT_WITHIN(report.relative, 1e-9);
  }
}

/* From a guess, too: PETSc's own convergence test of some methods is of a norm of theirs, some precondition from the
 * right and take the preconditioner of the guess, and preonly refuses one. */
static void test_methods_from_a_guess(void **state)
{
  (void)state;
  static const char *const texts[] = {
      "petsc=-ksp_type cgs -pc_type jacobi",    "petsc=-ksp_type tfqmr -pc_type jacobi",
      "petsc=-ksp_type tcqmr -pc_type jacobi",  "petsc=-ksp_type ibcgs -pc_type jacobi",
      "petsc=-ksp_type bcgsl -pc_type jacobi",  "petsc=-ksp_type cr -pc_type jacobi",
      "petsc=-ksp_type qmrcgs -pc_type jacobi", "petsc=-ksp_type minres -pc_type jacobi",
      "petsc=-ksp_type gmres -pc_type jacobi",  "petsc=-ksp_type preonly -pc_type redundant",
  };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
    sb_options           *options = options_of("linear=petsc", texts[i], NULL);
    const sb_solve_report report = solve_with(options, true);
    if (report.outcome != SB_SOLVED) fail_msg("%s: %s, %s", texts[i], sb_outcome_name(report.outcome), report.reason);
    ASSERT_WITHIN(report.relative, 1e-9);
    sb_options_destroy(&options);
  }
}

/* The matrix in another form has the same solution, after as many iterations. */
static void test_matrix_types(void **state)
{
  (void)state;
  const sb_solve_report plain = solve_text("petsc=-ksp_type cg -pc_type jacobi", NULL);
  const sb_solve_report blocks = solve_text("petsc=-ksp_type cg -pc_type jacobi -mat_type baij", NULL);
  assert_string_equal(sb_outcome_name(blocks.outcome), "solved");
  assert_true(labs((long)(blocks.iterations - plain.iterations)) <= 1);
  ASSERT_WITHIN(blocks.relative, 1e-9);
}

/* A pattern that comes alone leaves no preconditioner behind: what follows is as if its values had come first. */
static void test_pattern_alone(void **state)
{
  (void)state;
  static const sheet    soft = {.cells = 8, .ratio = 1e-3, .stretch = 1.1};
  sb_options           *options = options_of("linear=petsc", "petsc=cg_gamg", NULL);
  const sb_solve_report fresh = solve_with(options, false);
  Mat                   A = sheet_block(&soft), B = sheet_block(&stiff);
  sb_linear_solver     *solver;
  sb_outcome            outcome;
  sb_solve_report       report;
  Vec                   b, x;
  OK(sb_linear_solver_create(PETSC_COMM_WORLD, options, "one_", 1, NULL, &solver));
  OK(MatCreateVecs(A, &x, &b));
  fill(b, waves);
  OK(sb_linear_solver_set_matrix(solver, A, SB_PATTERN_ALONE, true, &outcome));
  assert_string_equal(sb_outcome_name(outcome), "solved");
  assert_int_equal(sb_linear_solver_totals(solver)->factorizations, 0);
  OK(MatCopy(B, A, SAME_NONZERO_PATTERN));
  OK(sb_linear_solver_set_matrix(solver, A, SB_NEW_VALUES, true, &outcome));
  OK(sb_linear_solver_solve(solver, b, x, false, &report));
  assert_string_equal(sb_outcome_name(report.outcome), "solved");
  assert_int_equal(report.iterations, fresh.iterations);
  OK(sb_linear_solver_destroy(&solver));
  OK(VecDestroy(&b));
  OK(VecDestroy(&x));
  OK(MatDestroy(&A));
  OK(MatDestroy(&B));
  sb_options_destroy(&options);
}

/* Multigrid holds when the values of a pattern change: its smoothers do not keep the spectrum of the first. */
static void test_values_that_change(void **state)
{
  (void)state;
  static const sheet soft = {.cells = 8, .ratio = 1, .stretch = 1.1};
  sb_options        *options = options_of("linear=petsc", "petsc=-ksp_type cg -pc_type gamg", NULL);
  Mat                A = sheet_block(&soft), B = sheet_block(&stiff);
  sb_linear_solver  *solver;
  sb_outcome         outcome;
  sb_solve_report    report;
  Vec                b, x;
  OK(sb_linear_solver_create(PETSC_COMM_WORLD, options, "one_", 1, NULL, &solver));
  OK(MatCreateVecs(A, &x, &b));
  fill(b, waves);
  for (int values = 0; values < 2; ++values) {
    if (values == 1) OK(MatCopy(B, A, SAME_NONZERO_PATTERN));
    OK(sb_linear_solver_set_matrix(solver, A, values ? SB_NEW_VALUES : SB_NEW_PATTERN, true, &outcome));
    OK(sb_linear_solver_solve(solver, b, x, false, &report));
    if (report.outcome != SB_SOLVED) fail_msg("%d: %s, %s", values, sb_outcome_name(report.outcome), report.reason);
  }
  OK(sb_linear_solver_destroy(&solver));
  OK(VecDestroy(&b));
  OK(VecDestroy(&x));
  OK(MatDestroy(&A));
  OK(MatDestroy(&B));
  sb_options_destroy(&options);
}

/* A better preconditioner takes fewer iterations: the text reaches the solver. */
static void test_text_is_used(void **state)
{
  (void)state;
  const sb_solve_report jacobi = solve_text("petsc=-pc_type jacobi", NULL),
                        none = solve_text("petsc=-pc_type none", NULL);
  const sb_solve_report icc = solve_text("petsc=-pc_type bjacobi -sub_pc_type icc", NULL);
  assert_true(icc.iterations < jacobi.iterations && icc.iterations < none.iterations);
}

/* Convergence is by the residual itself, not by the preconditioned one that PETSc would take. */
static double graded(const void *context, PetscInt i, PetscInt j)
{
  (void)context;
  return i == j ? 2.0 + (double)(i * i * i) : -1.0;
}

static PetscInt graded_iterations(const char *pair)
{
  Mat               A = matrix_of(40, 1, 1, graded, NULL);
  sb_linear_solver *solver = solver_of("petsc", pair, 1);
  sb_outcome        outcome;
  sb_solve_report   report;
  Vec               b, x;
  OK(MatCreateVecs(A, &x, &b));
  fill(b, waves);
  OK(sb_linear_solver_set_matrix(solver, A, SB_NEW_PATTERN, true, &outcome));
  OK(sb_linear_solver_solve(solver, b, x, false, &report));
  OK(sb_linear_solver_destroy(&solver));
  OK(VecDestroy(&b));
  OK(VecDestroy(&x));
  OK(MatDestroy(&A));
  return report.iterations;
}

static void test_norm(void **state)
{
  (void)state;
  const PetscInt ours = graded_iterations("petsc=-ksp_rtol 1e-4");
  assert_int_equal(ours, graded_iterations("petsc=-ksp_rtol 1e-4 -ksp_norm_type unpreconditioned"));
  assert_int_not_equal(ours, graded_iterations("petsc=-ksp_rtol 1e-4 -ksp_norm_type preconditioned"));
}

static void test_own_tolerance(void **state)
{
  (void)state;
  const sb_solve_report loose = solve_text("petsc=-ksp_rtol 1e-3", NULL),
                        tight = solve_text("petsc=-ksp_rtol 1e-13", NULL);
  assert_string_equal(sb_outcome_name(loose.outcome), "solved");
  assert_string_equal(sb_outcome_name(tight.outcome), "solved");
  assert_true(loose.relative > 1e-9 && loose.relative <= 1e-2);
  ASSERT_WITHIN(tight.relative, 1e-12);
  const sb_solve_report few = solve_text("petsc=-ksp_max_it 4", NULL);
  assert_string_equal(sb_outcome_name(few.outcome), "stalled");
  assert_int_equal(few.iterations, 4);
}

static void test_two_tolerances(void **state)
{
  (void)state;
  assert_refused("petsc=-ksp_rtol 1e-3", "linear_tolerance=1e-8", "given twice");
  assert_refused("petsc=-ksp_max_it 3", "linear_max_iterations=8", "given twice");
}

/* atol stops a solve that the tolerance would not: claimed by PETSc, denied by the front. */
static void test_claim_denied(void **state)
{
  (void)state;
  const sb_solve_report report = solve_text("petsc=-ksp_atol 0.5", NULL);
  assert_string_equal(sb_outcome_name(report.outcome), "stalled");
  assert_non_null(strstr(report.reason, "claimed"));
  assert_true(report.relative > 1e-9);
}

static void test_truncated(void **state)
{
  (void)state;
  static const char *const texts[] = {"petsc=-ksp_type cg", "petsc=-ksp_type gmres -pc_type none",
                                      "petsc=-ksp_type richardson -ksp_richardson_scale 0.3"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
    sb_options *options = options_of("linear=petsc", texts[i], "linear_tolerance=0", "linear_max_iterations=9", NULL);
    const sb_solve_report report = solve_with(options, false);
    assert_string_equal(sb_outcome_name(report.outcome), "truncated");
    assert_int_equal(report.iterations, 9);
    assert_true(report.relative < 1.0 && report.relative > 1e-8);
    sb_options_destroy(&options);
  }
}

/* From a guess, "did not grow" is measured against the guess. */
static void test_truncated_from_guess(void **state)
{
  (void)state;
  sb_options           *options = options_of("linear=petsc", "linear_tolerance=0", "linear_max_iterations=1", NULL);
  const sb_solve_report report = solve_with(options, true);
  assert_string_equal(sb_outcome_name(report.outcome), "truncated");
  assert_true(report.relative > 1.0); /* the guess is far worse than zero, one iteration better than the guess */
  sb_options_destroy(&options);
}

/* A method that breaks down on a zero right-hand side is not given one: the third column of a planar scene. */
static double planar(PetscInt index) { return index % 3 == 2 ? 0.0 : waves(index); }

/* Three columns of the scalar sheet; the largest entry of the third one's solution. `because`: in the reason, which
 * ends with the solver; NULL: any. */
static sb_solve_report solve_columns(const sb_options *options, double (*rhs)(PetscInt index), const char *because,
                                     double *third)
{
  Mat               A = sheet_scalar(&stiff), product;
  sb_linear_solver *solver;
  sb_outcome        outcome;
  sb_solve_report   report;
  Vec               b, x;
  OK(MatCreateMAIJ(A, 3, &product));
  OK(MatCreateVecs(product, &x, &b));
  fill(b, rhs);
  OK(sb_linear_solver_create(PETSC_COMM_WORLD, options, NULL, 3, NULL, &solver));
  OK(sb_linear_solver_set_matrix(solver, A, SB_NEW_PATTERN, true, &outcome));
  OK(sb_linear_solver_solve(solver, b, x, false, &report));
  assert_true(!because || strstr(report.reason, because));
  OK(VecStrideNorm(x, 2, NORM_INFINITY, third));
  OK(sb_linear_solver_destroy(&solver));
  OK(VecDestroy(&b));
  OK(VecDestroy(&x));
  OK(MatDestroy(&product));
  OK(MatDestroy(&A));
  return report;
}

static void test_planar_columns(void **state)
{
  (void)state;
  sb_options *options =
      options_of("linear=petsc", "petsc=-ksp_type bcgs", "linear_tolerance=0", "linear_max_iterations=4", NULL);
  double                third;
  const sb_solve_report report = solve_columns(options, planar, NULL, &third);
  assert_string_equal(sb_outcome_name(report.outcome), "truncated");
  assert_int_equal(report.iterations, 4);
  assert_true(third == 0.0);
  sb_options_destroy(&options);
}

/* Columns that fail are not outvoted by one that does not: the third is small enough for atol. */
static double slight(PetscInt index) { return index % 3 == 2 ? 1e-9 * waves(index) : waves(index); }

static void test_columns_that_fail(void **state)
{
  (void)state;
  sb_options           *options = options_of("linear=petsc", "petsc=-ksp_max_it 2 -ksp_atol 1e-6", NULL);
  double                third;
  const sb_solve_report report = solve_columns(options, slight, "DIVERGED_ITS", &third);
  assert_string_equal(sb_outcome_name(report.outcome), "stalled");
  assert_int_equal(report.iterations, 2);
  sb_options_destroy(&options);
}

static void test_misspelt(void **state)
{
  (void)state;
  assert_refused("petsc=-ksp_tpye cg", NULL, "no object read -ksp_tpye");
  assert_refused("petsc=-pc_type jacobi -sub_pc_type icc", NULL, "-sub_pc_type");
  assert_refused("petsc=-ksp_type cgg", NULL, "cgg");
  assert_refused("petsc=-pc_type iccc", NULL, "iccc");
  assert_refused("petsc=-ksp_type gmres -ksp_gmres_restart many", NULL, "many");
  assert_refused("petsc=-log_view ascii", NULL, "refused");
}

static void test_serial_preconditioner(void **state)
{
  (void)state;
  PetscMPIInt ranks;
  OK(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  if (ranks == 1)
    assert_int_equal(solve_text("petsc=-pc_type icc", NULL).outcome, SB_SOLVED);
  else
    assert_refused("petsc=-pc_type icc", NULL, "bjacobi");
}

/* Two solvers with prefixes of their own do not read each other's options, and a destroyed one leaves none behind. */
static void test_prefixes(void **state)
{
  (void)state;
  Mat         A = sheet_block(&stiff);
  sb_options *few = options_of("linear=petsc", "petsc=-ksp_max_it 3", NULL), *plain = options_of("linear=petsc", NULL);
  sb_linear_solver *one, *two;
  sb_outcome        outcome;
  sb_solve_report   report;
  PetscBool         left;
  Vec               b, x;
  OK(sb_linear_solver_create(PETSC_COMM_WORLD, few, "a_", 1, NULL, &one));
  OK(sb_linear_solver_create(PETSC_COMM_WORLD, plain, "b_", 1, NULL, &two));
  OK(MatCreateVecs(A, &x, &b));
  fill(b, waves);
  OK(sb_linear_solver_set_matrix(one, A, SB_NEW_PATTERN, true, &outcome));
  OK(sb_linear_solver_set_matrix(two, A, SB_NEW_PATTERN, true, &outcome));
  OK(sb_linear_solver_solve(one, b, x, false, &report));
  assert_int_equal(report.iterations, 3);
  OK(sb_linear_solver_solve(two, b, x, false, &report));
  assert_true(report.iterations > 3);
  OK(sb_linear_solver_destroy(&one));
  OK(PetscOptionsHasName(NULL, "a_", "-ksp_max_it", &left));
  assert_false(left);
  OK(sb_linear_solver_create(PETSC_COMM_WORLD, plain, "a_", 1, NULL, &one));
  OK(sb_linear_solver_set_matrix(one, A, SB_NEW_PATTERN, true, &outcome));
  OK(sb_linear_solver_solve(one, b, x, false, &report));
  assert_string_equal(sb_outcome_name(report.outcome), "solved");
  OK(sb_linear_solver_destroy(&one));
  OK(sb_linear_solver_destroy(&two));
  OK(VecDestroy(&b));
  OK(VecDestroy(&x));
  OK(MatDestroy(&A));
  sb_options_destroy(&few);
  sb_options_destroy(&plain);
}

/* Regular but for row 4, which is made zero. */
static double hollow(const void *context, PetscInt i, PetscInt j)
{
  (void)context;
  if (i == 4 || j == 4) return 0.0;
  return i == j ? 2.0 : 0.5;
}

/* A preconditioner that cannot be built refuses the matrix, before any solve. */
static void test_refused_at_set_up(void **state)
{
  (void)state;
  static const char *const texts[][2] = {
      {"petsc=-ksp_type preonly -pc_type lu", "singular"},
      {"petsc=-ksp_type gmres -pc_type bjacobi -sub_pc_type lu", "failed"},
  };
  PetscMPIInt ranks;
  OK(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  if (ranks > 1) return;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
    Mat               A = matrix_of(12, 1, 1, hollow, NULL);
    sb_linear_solver *solver = solver_of("petsc", texts[i][0], 1);
    sb_outcome        outcome;
    OK(sb_linear_solver_set_matrix(solver, A, SB_NEW_PATTERN, false, &outcome));
    assert_string_equal(sb_outcome_name(outcome), texts[i][1]);
    assert_non_null(strstr(sb_linear_solver_facts(solver)->reason, "DIVERGED_PC_FAILED"));
    OK(sb_linear_solver_destroy(&solver));
    OK(MatDestroy(&A));
  }
}

/* An error inside PETSc (its interface to CHOLMOD raises one for what is not positive definite) is an outcome, silent,
 * and the solver works again with the next matrix. */
static void test_caught_error(void **state)
{
  (void)state;
  PetscMPIInt ranks;
  OK(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  if (ranks > 1) return;
  Mat               bad = matrix_of(12, 1, 1, hollow, NULL);
  sb_linear_solver *solver = solver_of("petsc",
                                       "petsc=-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type "
                                       "cholmod",
                                       1);
  sb_outcome        outcome;
  sb_solve_report   report;
  Vec               b, x;
  OK(MatCreateVecs(bad, &x, &b));
  fill(b, waves);
  OK(sb_linear_solver_set_matrix(solver, bad, SB_NEW_PATTERN, false, &outcome));
  OK(sb_linear_solver_solve(solver, b, x, false, &report));
  assert_false(sb_outcome_accepted(report.outcome));
  OK(MatShift(bad, 2.0));
  OK(sb_linear_solver_set_matrix(solver, bad, SB_NEW_VALUES, false, &outcome));
  assert_string_equal(sb_outcome_name(outcome), "solved");
  OK(sb_linear_solver_solve(solver, b, x, false, &report));
  assert_string_equal(sb_outcome_name(report.outcome), "solved");
  OK(sb_linear_solver_destroy(&solver));
  OK(VecDestroy(&b));
  OK(VecDestroy(&x));
  OK(MatDestroy(&bad));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_default),
      cmocka_unit_test(test_methods),
      cmocka_unit_test(test_methods_from_a_guess),
      cmocka_unit_test(test_matrix_types),
      cmocka_unit_test(test_pattern_alone),
      cmocka_unit_test(test_values_that_change),
      cmocka_unit_test(test_text_is_used),
      cmocka_unit_test(test_norm),
      cmocka_unit_test(test_own_tolerance),
      cmocka_unit_test(test_two_tolerances),
      cmocka_unit_test(test_claim_denied),
      cmocka_unit_test(test_truncated),
      cmocka_unit_test(test_truncated_from_guess),
      cmocka_unit_test(test_planar_columns),
      cmocka_unit_test(test_columns_that_fail),
      cmocka_unit_test(test_misspelt),
      cmocka_unit_test(test_serial_preconditioner),
      cmocka_unit_test(test_prefixes),
      cmocka_unit_test(test_refused_at_set_up),
      cmocka_unit_test(test_caught_error),
  };
  return run_group(argc, argv, "linear_petsc", tests, sizeof tests / sizeof tests[0]);
}
