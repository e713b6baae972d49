/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Backend petsc: its option text at work. */
#include <petscksp.h>
#include <string.h>

#include "solvers/linear/petsc_text.h"
#include "tests/linear/systems.h"

static const sheet stiff = {.cells = 8, .ratio = 100.0, .stretch = 1.1, .angle = 0.6};

/* The stiff sheet with a right-hand side of waves. */
static problem stiff_problem(void)
{
  problem p = problem_of(sheet_block(&stiff), 1);
  fill(p.b, waves);
  return p;
}

static const struct {
  bool        guess;                    /* waves too, far worse than zero */
  const char *pairs, *outcome, *reason; /* a part of the reason, or NULL */
  int         iterations;               /* 0: any */
  double      above, most;              /* residual: it is larger than `above` and at most `most`; most 0: any */
} rows[] = {
    {.pairs = "", "solved", "CONVERGED_RTOL", .most = 1e-9},
    /* Methods. */
    {.pairs = "petsc=-ksp_type cg -pc_type bjacobi -sub_pc_type icc", "solved", .most = 1e-9},
    {.pairs = "petsc=-ksp_type gmres -pc_type jacobi", "solved", .most = 1e-9},
    {.pairs = "petsc=-ksp_type minres -pc_type jacobi", "solved", .most = 1e-9},
    {.pairs = "petsc=-ksp_type bcgs -pc_type bjacobi", "solved", .most = 1e-9},
    {.pairs = "petsc=-ksp_type fgmres -pc_type sor", "solved", .most = 1e-9},
    {.pairs = "petsc=-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type mumps", "solved", .most = 1e-9},
    {.pairs = "petsc=-ksp_type cg -pc_type hypre -pc_hypre_type boomeramg", "solved", .most = 1e-9},
    {.pairs = "petsc=-ksp_type cg -pc_type gamg -mg_levels_ksp_type chebyshev", "solved", .most = 1e-9},
    {.pairs = "petsc=-ksp_type cg -pc_type jacobi -mat_type baij", "solved", .most = 1e-9},
    /* From a guess, too: PETSc's own convergence test of some methods is of a norm of theirs, some precondition from
     * the right and take the preconditioner of the guess, and preonly refuses one. */
    {true, "petsc=-ksp_type cgs -pc_type jacobi", "solved", .most = 1e-9},
    {true, "petsc=-ksp_type tfqmr -pc_type jacobi", "solved", .most = 1e-9},
    {true, "petsc=-ksp_type tcqmr -pc_type jacobi", "solved", .most = 1e-9},
    {true, "petsc=-ksp_type ibcgs -pc_type jacobi", "solved", .most = 1e-9},
    {true, "petsc=-ksp_type bcgsl -pc_type jacobi", "solved", .most = 1e-9},
    {true, "petsc=-ksp_type cr -pc_type jacobi", "solved", .most = 1e-9},
    {true, "petsc=-ksp_type qmrcgs -pc_type jacobi", "solved", .most = 1e-9},
    {true, "petsc=-ksp_type minres -pc_type jacobi", "solved", .most = 1e-9},
    {true, "petsc=-ksp_type gmres -pc_type jacobi", "solved", .most = 1e-9},
    {true, "petsc=-ksp_type preonly -pc_type redundant", "solved", .most = 1e-9},
    /* Tolerances and limits of the text. */
    {.pairs = "petsc=-ksp_rtol 1e-3", "solved", .above = 1e-9, .most = 1e-2},
    {.pairs = "petsc=-ksp_rtol 1e-13", "solved", .most = 1e-12},
    {.pairs = "petsc=-ksp_max_it 4", "stalled", .iterations = 4},
    /* atol stops a solve that the tolerance would not: claimed by PETSc, denied by the front. */
    {.pairs = "petsc=-ksp_atol 0.5", "stalled", "claimed", .above = 1e-9, .most = INFINITY},
    /* A number of iterations. From a guess, "did not grow" is measured against the guess. */
    {.pairs = "petsc=-ksp_type cg;linear_tolerance=0;linear_max_iterations=9",
     "truncated",
     .iterations = 9,
     .above = 1e-8,
     .most = 1 - 1e-12},
    {.pairs = "petsc=-ksp_type gmres -pc_type none;linear_tolerance=0;linear_max_iterations=9",
     "truncated",
     .iterations = 9,
     .above = 1e-8,
     .most = 1 - 1e-12},
    {.pairs = "petsc=-ksp_type richardson -ksp_richardson_scale 0.3;linear_tolerance=0;linear_max_iterations=9",
     "truncated",
     .iterations = 9,
     .above = 1e-8,
     .most = 1 - 1e-12},
    {true, "linear_tolerance=0;linear_max_iterations=1", "truncated", .above = 1, .most = INFINITY},
};

static void test_outcomes(void)
{
  problem p = stiff_problem();
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    p.guess = rows[i].guess;
    fill(p.x, waves);
    const sb_solve_report report = solve(&p, NULL, "linear=petsc;%s", rows[i].pairs);
    if (strcmp(sb_outcome_name(report.outcome), rows[i].outcome) != 0)
      fail_msg("%s: %s, %s", rows[i].pairs, sb_outcome_name(report.outcome), report.reason);
    if (rows[i].reason) assert_non_null(strstr(report.reason, rows[i].reason));
    if (rows[i].iterations > 0) assert_int_equal(report.iterations, rows[i].iterations);
    if (rows[i].most > 0) ASSERT_WITHIN(report.relative, rows[i].most);
    if (rows[i].above > 0) assert_true(report.relative > rows[i].above);
  }
  problem_free(&p);
}

static const struct {
  const char *pairs, *words;
} refusals[] = {
    {"petsc=-ksp_rtol 1e-3;linear_tolerance=1e-8", "given twice"},
    {"petsc=-ksp_max_it 3;linear_max_iterations=8", "given twice"},
    {"petsc=-ksp_tpye cg", "-ksp_tpye is not on the list"},
    {"petsc=-pc_type jacobi -sub_pc_type icc", "-sub_pc_type"},
    {"petsc=-ksp_type cgg", "cgg"},
    {"petsc=-pc_type iccc", "iccc"},
    {"petsc=-ksp_type gmres -ksp_gmres_restart many", "many"},
    {"petsc=-log_view ascii", "refused"},
};

static void test_refusals(void)
{
  Mat A = sheet_block(&stiff);
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; ++i) {
    char pairs[128];
    snprintf(pairs, sizeof pairs, "linear=petsc;%s", refusals[i].pairs);
    assert_refused(A, refusals[i].words, pairs);
  }
  if (rank_count() > 1) assert_refused(A, "bjacobi", "linear=petsc;petsc=-pc_type icc");
  OK(MatDestroy(&A));
}

static PetscInt iterations_of(const char *text)
{
  problem               p = stiff_problem();
  const sb_solve_report report = solve(&p, NULL, "linear=petsc;petsc=%s", text);
  problem_free(&p);
  ASSERT_OUTCOME("solved", report);
  return report.iterations;
}

/* The matrix in another form takes as many iterations; a better preconditioner takes fewer: the text is used. */
static void test_iterations(void)
{
  const PetscInt plain = iterations_of("-ksp_type cg -pc_type jacobi");
  assert_true(labs((long)(iterations_of("-ksp_type cg -pc_type jacobi -mat_type baij") - plain)) <= 1);
  const PetscInt icc = iterations_of("-pc_type bjacobi -sub_pc_type icc");
  assert_true(icc < iterations_of("-pc_type jacobi") && icc < iterations_of("-pc_type none"));
  if (rank_count() == 1) iterations_of("-pc_type icc");
}

/* A pattern that comes alone leaves no preconditioner behind: what follows is as if its values had come first. */
static void test_pattern_alone(void)
{
  static const sheet soft = {.cells = 8, .ratio = 1e-3, .stretch = 1.1};
  const PetscInt     fresh = iterations_of("cg_gamg");
  problem            p = stiff_problem();
  Mat                A = sheet_block(&soft), swap = p.A;
  sb_linear_solver  *solver = solver_of(1, "linear=petsc;petsc=cg_gamg");
  sb_outcome         outcome;
  OK(sb_linear_solver_set_matrix(solver, A, SB_PATTERN_ALONE, true, &outcome));
  assert_string_equal(sb_outcome_name(outcome), "solved");
  assert_int_equal(sb_linear_solver_totals(solver)->factorizations, 0);
  OK(MatCopy(swap, A, SAME_NONZERO_PATTERN));
  p.A = A;
  const sb_solve_report report = solve_by(solver, &p, SB_NEW_VALUES, NULL);
  ASSERT_OUTCOME("solved", report);
  assert_int_equal(report.iterations, fresh);
  OK(sb_linear_solver_destroy(&solver));
  OK(MatDestroy(&swap));
  problem_free(&p);
}

/* Multigrid holds when the values of a pattern change: its smoothers do not keep the spectrum of the first. */
static void test_values_that_change(void)
{
  static const sheet soft = {.cells = 8, .ratio = 1, .stretch = 1.1};
  problem            p = problem_of(sheet_block(&soft), 1);
  Mat                B = sheet_block(&stiff);
  sb_linear_solver  *solver = solver_of(1, "linear=petsc;petsc=-ksp_type cg -pc_type gamg");
  fill(p.b, waves);
  ASSERT_OUTCOME("solved", solve_by(solver, &p, SB_NEW_PATTERN, NULL));
  OK(MatCopy(B, p.A, SAME_NONZERO_PATTERN));
  ASSERT_OUTCOME("solved", solve_by(solver, &p, SB_NEW_VALUES, NULL));
  OK(sb_linear_solver_destroy(&solver));
  problem_free(&p);
  OK(MatDestroy(&B));
}

/* Convergence is by the residual itself, not by the preconditioned one that PETSc would take. */
static double graded(const void *context, PetscInt i, PetscInt j)
{
  (void)context;
  return i == j ? 2.0 + (double)(i * i * i) : -1.0;
}

static PetscInt graded_iterations(const char *norm)
{
  problem p = problem_of(matrix_of(40, 1, 1, graded, NULL), 1);
  fill(p.b, waves);
  const PetscInt iterations = solve(&p, NULL, "linear=petsc;petsc=-ksp_rtol 1e-4%s", norm).iterations;
  problem_free(&p);
  return iterations;
}

static void test_norm(void)
{
  const PetscInt ours = graded_iterations("");
  assert_int_equal(ours, graded_iterations(" -ksp_norm_type unpreconditioned"));
  assert_int_not_equal(ours, graded_iterations(" -ksp_norm_type preconditioned"));
}

/* Three columns of the scalar sheet: what becomes of them, after how many iterations; `because`: a part of the reason,
 * which ends with the solver. The largest entry of the third one's solution. */
static double solve_columns(const char *pairs, double (*rhs)(PetscInt index), const char *outcome, int iterations,
                            const char *because)
{
  problem           p = problem_of(sheet_scalar(&stiff), 3);
  sb_linear_solver *solver = solver_of(3, "linear=petsc;%s", pairs);
  double            third;
  fill(p.b, rhs);
  const sb_solve_report report = solve_by(solver, &p, SB_NEW_PATTERN, NULL);
  ASSERT_OUTCOME(outcome, report);
  assert_int_equal(report.iterations, iterations);
  assert_non_null(strstr(report.reason, because));
  OK(VecStrideNorm(p.x, 2, NORM_INFINITY, &third));
  OK(sb_linear_solver_destroy(&solver));
  problem_free(&p);
  return third;
}

/* A method that breaks down on a zero right-hand side is not given one: the third column of a planar scene. */
static double planar(PetscInt index) { return index % 3 == 2 ? 0.0 : waves(index); }

/* The third is small enough for atol. */
static double slight(PetscInt index) { return index % 3 == 2 ? 1e-9 * waves(index) : waves(index); }

/* Columns that fail are not outvoted by one that does not. */
static void test_columns(void)
{
  assert_true(solve_columns("petsc=-ksp_type bcgs;linear_tolerance=0;linear_max_iterations=4", planar, "truncated", 4,
                            "") == 0.0);
  solve_columns("petsc=-ksp_max_it 2 -ksp_atol 1e-6", slight, "stalled", 2, "DIVERGED_ITS");
}

/* Two solvers with prefixes of their own do not read each other's options, and a destroyed one leaves none behind. */
static void test_prefixes(void)
{
  problem           p = stiff_problem();
  sb_options       *few = options_of("linear=petsc;petsc=-ksp_max_it 3"), *plain = options_of("linear=petsc");
  sb_linear_solver *one, *two;
  sb_outcome        outcome;
  sb_solve_report   report;
  PetscBool         left;
  OK(sb_linear_solver_create(PETSC_COMM_WORLD, few, "a_", 1, NULL, &one));
  OK(sb_linear_solver_create(PETSC_COMM_WORLD, plain, "b_", 1, NULL, &two));
  OK(sb_linear_solver_set_matrix(one, p.A, SB_NEW_PATTERN, true, &outcome));
  OK(sb_linear_solver_set_matrix(two, p.A, SB_NEW_PATTERN, true, &outcome));
  OK(sb_linear_solver_solve(one, p.b, p.x, false, &report));
  assert_int_equal(report.iterations, 3);
  OK(sb_linear_solver_solve(two, p.b, p.x, false, &report));
  assert_true(report.iterations > 3);
  OK(sb_linear_solver_destroy(&one));
  OK(PetscOptionsHasName(NULL, "a_", "-ksp_max_it", &left));
  assert_false(left);
  OK(sb_linear_solver_create(PETSC_COMM_WORLD, plain, "a_", 1, NULL, &one));
  ASSERT_OUTCOME("solved", solve_by(one, &p, SB_NEW_PATTERN, NULL));
  OK(sb_linear_solver_destroy(&one));
  OK(sb_linear_solver_destroy(&two));
  problem_free(&p);
  sb_options_destroy(&few);
  sb_options_destroy(&plain);
}

/* Regular but for row 4, which is made zero. */
static double empty_row(const void *context, PetscInt i, PetscInt j)
{
  (void)context;
  if (i == 4 || j == 4) return 0.0;
  return i == j ? 2.0 : 0.5;
}

/* A preconditioner that cannot be built refuses the matrix, before any solve. */
static void test_refused_at_set_up(void)
{
  static const char *const texts[][2] = {
      {"petsc=-ksp_type preonly -pc_type lu", "singular"},
      {"petsc=-ksp_type gmres -pc_type bjacobi -sub_pc_type lu", "failed"},
  };
  if (rank_count() > 1) return;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
    Mat               A = matrix_of(12, 1, 1, empty_row, NULL);
    sb_linear_solver *solver = solver_of(1, "linear=petsc;%s", texts[i][0]);
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
static void test_caught_error(void)
{
  if (rank_count() > 1) return;
  problem           p = problem_of(matrix_of(12, 1, 1, empty_row, NULL), 1);
  sb_linear_solver *solver =
      solver_of(1, "linear=petsc;petsc=-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type cholmod");
  fill(p.b, waves);
  p.definite = false;
  assert_false(sb_outcome_accepted(solve_by(solver, &p, SB_NEW_PATTERN, NULL).outcome));
  OK(MatShift(p.A, 2.0));
  ASSERT_OUTCOME("solved", solve_by(solver, &p, SB_NEW_VALUES, "solved"));
  OK(sb_linear_solver_destroy(&solver));
  problem_free(&p);
}

PETSC_TEST_MAIN(test_outcomes, test_refusals, test_iterations, test_pattern_alone, test_values_that_change, test_norm,
                test_columns, test_prefixes, test_refused_at_set_up, test_caught_error)
