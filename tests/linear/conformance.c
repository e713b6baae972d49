/* What every linear backend of the list must do, and whether it does what its table claims. */
#include <math.h>
#include <string.h>

#include "tests/linear/systems.h"

/* Well-conditioned and diagonally strong enough for every backend: also for plain Jacobi. */
static const sheet easy = {.cells = 6, .ratio = 1.0, .stretch = 1.2};
static const sheet other = {.cells = 6, .ratio = 0.5, .stretch = 1.1};

static void set(sb_linear_solver *solver, Mat A, sb_matrix_change change)
{
  sb_outcome outcome;
  OK(sb_linear_solver_set_matrix(solver, A, change, true, &outcome));
  assert_string_equal(sb_outcome_name(outcome), "solved");
}

static sb_solve_report solve_again(sb_linear_solver *solver, problem *p, bool guess)
{
  sb_solve_report report;
  OK(sb_linear_solver_solve(solver, p->b, p->x, guess, &report));
  assert_non_null(report.reason);
  return report;
}

static void assert_solved(const sb_linear_backend *backend, const sb_solve_report *report, problem *p)
{
  const bool direct = backend->traits & SB_DIRECT;
  assert_string_equal(sb_outcome_name(report->outcome), "solved");
  ASSERT_WITHIN(report->residual, direct ? 1e-13 : 1e-9);
  ASSERT_WITHIN(report->relative, 1e-9);
  ASSERT_WITHIN(distance(p->x, p->exact), direct ? 1e-12 : 1e-8);
  assert_true(direct ? report->iterations == 0 : report->iterations > 0);
}

static void check_block(const sb_linear_backend *backend)
{
  problem           p = problem_of(sheet_block(&easy), 1);
  sb_linear_solver *solver = solver_of(1, "linear=%s", backend->name);
  set(solver, p.A, SB_NEW_PATTERN);
  const sb_solve_report report = solve_again(solver, &p, false);
  assert_solved(backend, &report, &p);
  OK(sb_linear_solver_destroy(&solver));
  problem_free(&p);
}

static void test_block(void) { each_backend(0, check_block); }

/* Columns of 1, 1e-6 and 1e6, so that one within tolerance of all is not by itself. */
static void spread(problem *p)
{
  const double sizes[] = {1, 1e-6, 1e6};
  for (PetscInt column = 0; column < 3; ++column) {
    OK(VecStrideScale(p->exact, column, sizes[column]));
    OK(VecStrideScale(p->b, column, sizes[column]));
  }
}

/* Three columns in one call are three single solves, and as many iterations as the longest of them. */
static void check_columns(const sb_linear_backend *backend)
{
  problem           p = problem_of(sheet_scalar(&easy), 3);
  PetscInt          longest = 0;
  sb_linear_solver *solver = solver_of(3, "linear=%s", backend->name),
                   *single = solver_of(1, "linear=%s", backend->name);
  Vec      b, x, alone;
  PetscInt first;
  set(solver, p.A, SB_NEW_PATTERN);
  spread(&p);
  const sb_solve_report report = solve_again(solver, &p, false);
  assert_solved(backend, &report, &p);
  OK(MatCreateVecs(p.A, &x, &b));
  OK(VecDuplicate(x, &alone));
  OK(VecGetOwnershipRange(x, &first, NULL));
  set(single, p.A, SB_NEW_PATTERN);
  for (PetscInt column = 0; column < 3; ++column) {
    sb_solve_report one;
    OK(VecStrideGather(p.b, column, b, INSERT_VALUES));
    OK(VecStrideGather(p.x, column, x, INSERT_VALUES));
    OK(sb_linear_solver_solve(single, b, alone, false, &one));
    ASSERT_WITHIN(distance(x, alone), backend->traits & SB_DIRECT ? 1e-14 : 1e-8);
    longest = PetscMax(longest, one.iterations);
  }
  assert_int_equal(report.iterations, longest);
  OK(VecDestroy(&b));
  OK(VecDestroy(&x));
  OK(VecDestroy(&alone));
  OK(sb_linear_solver_destroy(&single));
  OK(sb_linear_solver_destroy(&solver));
  problem_free(&p);
}

static void test_columns(void) { each_backend(0, check_columns); }

/* A column of zeros (a planar scene's z) comes back as zeros, and does not spoil the others. */
static double planar(PetscInt index) { return index % 3 == 2 ? 0.0 : waves(index); }

static void check_planar_columns(const sb_linear_backend *backend)
{
  problem           p = problem_of(sheet_scalar(&easy), 3);
  sb_linear_solver *solver = solver_of(3, "linear=%s", backend->name);
  PetscReal         size;
  fill(p.b, planar);
  fill(p.x, waves);
  set(solver, p.A, SB_NEW_PATTERN);
  const sb_solve_report report = solve_again(solver, &p, false);
  assert_string_equal(sb_outcome_name(report.outcome), "solved");
  assert_null(strstr(report.reason, "zero"));
  OK(VecStrideNorm(p.x, 2, NORM_INFINITY, &size));
  assert_true(size == 0.0);
  OK(VecStrideNorm(p.x, 1, NORM_INFINITY, &size));
  assert_true(size > 0.1);
  OK(sb_linear_solver_destroy(&solver));
  problem_free(&p);
}

static void test_planar_columns(void) { each_backend(0, check_planar_columns); }

static void check_new_values(const sb_linear_backend *backend, int columns)
{
  problem           p = problem_of(columns == 1 ? sheet_block(&easy) : sheet_scalar(&easy), columns);
  problem           q = problem_of(columns == 1 ? sheet_block(&other) : sheet_scalar(&other), columns);
  sb_linear_solver *solver = solver_of(columns, "linear=%s", backend->name);
  sb_solve_report   report;
  set(solver, p.A, SB_NEW_PATTERN);
  report = solve_again(solver, &p, false);
  OK(MatCopy(q.A, p.A, SAME_NONZERO_PATTERN));
  set(solver, p.A, SB_NEW_VALUES);
  OK(VecCopy(q.b, p.b));
  report = solve_again(solver, &p, false);
  assert_solved(backend, &report, &p);
  OK(sb_linear_solver_destroy(&solver));
  problem_free(&p);
  problem_free(&q);
}

static void check_new_block_values(const sb_linear_backend *backend) { check_new_values(backend, 1); }

static void check_new_scalar_values(const sb_linear_backend *backend) { check_new_values(backend, 3); }

static void test_new_values(void)
{
  each_backend(0, check_new_block_values);
  each_backend(0, check_new_scalar_values);
}

/* One solver, then a matrix of another size and pattern; and another Mat handed over as new values only. */
static void check_new_pattern(const sb_linear_backend *backend)
{
  static const sheet larger = {.cells = 9, .ratio = 1.0, .stretch = 1.2};
  static const sheet softer = {.cells = 9, .ratio = 0.3, .stretch = 1.2};
  problem            p = problem_of(sheet_block(&easy), 1), q = problem_of(sheet_block(&larger), 1);
  problem            r = problem_of(sheet_block(&softer), 1);
  sb_linear_solver  *solver = solver_of(1, "linear=%s", backend->name);
  set(solver, p.A, SB_NEW_PATTERN);
  solve_again(solver, &p, false);
  set(solver, q.A, SB_NEW_PATTERN);
  sb_solve_report report = solve_again(solver, &q, false);
  assert_solved(backend, &report, &q);
  set(solver, r.A, SB_NEW_VALUES);
  problem_free(&q);
  report = solve_again(solver, &r, false);
  assert_solved(backend, &report, &r);
  OK(sb_linear_solver_destroy(&solver));
  problem_free(&p);
  problem_free(&r);
}

static void test_new_pattern(void) { each_backend(0, check_new_pattern); }

static void check_zero_rhs(const sb_linear_backend *backend)
{
  problem           p = problem_of(sheet_block(&easy), 1);
  sb_linear_solver *solver = solver_of(1, "linear=%s", backend->name);
  PetscReal         size;
  set(solver, p.A, SB_NEW_PATTERN);
  OK(VecSet(p.b, 0.0));
  fill(p.x, waves);
  const sb_solve_report report = solve_again(solver, &p, true);
  assert_string_equal(sb_outcome_name(report.outcome), "solved");
  OK(VecNorm(p.x, NORM_INFINITY, &size));
  assert_true(size == 0.0);
  OK(sb_linear_solver_destroy(&solver));
  problem_free(&p);
}

static void test_zero_rhs(void) { each_backend(0, check_zero_rhs); }

/* The solution as guess costs no iteration; without `guess` what x holds does not matter: to the bit, but for direct
 * backends on several ranks, where MUMPS adds in the order in which messages arrive. */
static void check_guess(const sb_linear_backend *backend)
{
  problem           p = problem_of(sheet_block(&easy), 1);
  sb_linear_solver *solver = solver_of(1, "linear=%s", backend->name);
  Vec               first;
  PetscMPIInt       ranks;
  OK(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  set(solver, p.A, SB_NEW_PATTERN);
  sb_solve_report report = solve_again(solver, &p, false);
  OK(VecDuplicate(p.x, &first));
  OK(VecCopy(p.x, first));
  OK(VecSet(p.x, 1e3));
  report = solve_again(solver, &p, false);
  ASSERT_WITHIN(distance(p.x, first), ranks > 1 && backend->traits & SB_DIRECT ? 1e-13 : 0.0);
  OK(VecCopy(p.exact, p.x));
  report = solve_again(solver, &p, true);
  assert_string_equal(sb_outcome_name(report.outcome), "solved");
  assert_int_equal(report.iterations, 0);
  OK(VecDestroy(&first));
  OK(sb_linear_solver_destroy(&solver));
  problem_free(&p);
}

static void test_guess(void) { each_backend(0, check_guess); }

/* Symmetric, far from singular, three eigenvalues below zero, each on a rank of its own where there are several. */
static double indefinite(const void *context, PetscInt i, PetscInt j)
{
  (void)context;
  if (i != j) return i / 8 == j / 8 ? -0.25 : 0.0;
  return i % 8 == 3 && i > 20 ? -1.0 : 1.0;
}

static void check_indefinite(const sb_linear_backend *backend)
{
  problem           p = problem_of(matrix_of(48, 1, 1, indefinite, NULL), 1);
  sb_linear_solver *solver = solver_of(1, "linear=%s", backend->name);
  sb_outcome        outcome;
  OK(sb_linear_solver_set_matrix(solver, p.A, SB_NEW_PATTERN, false, &outcome));
  const sb_solve_report report = solve_again(solver, &p, false);
  if (backend->traits & SB_DETECTS_INDEFINITE) {
    assert_string_equal(sb_outcome_name(outcome), "not_spd");
    assert_string_equal(sb_outcome_name(report.outcome), "not_spd");
  } else if (sb_outcome_accepted(report.outcome)) {
    ASSERT_WITHIN(distance(p.x, p.exact), 1e-8);
  }
  OK(sb_linear_solver_destroy(&solver));
  problem_free(&p);
}

static void test_indefinite(void) { each_backend(0, check_indefinite); }

/* A refused matrix leaves nothing behind: the next good one, of the same pattern, is solved. */
static void check_recovery(const sb_linear_backend *backend, int columns)
{
  problem           p = problem_of(columns == 1 ? sheet_block(&easy) : sheet_scalar(&easy), columns);
  sb_linear_solver *solver = solver_of(columns, "linear=%s", backend->name);
  const bool        detects = backend->traits & SB_DETECTS_INDEFINITE;
  sb_outcome        outcome;
  OK(MatShift(p.A, -2.0)); /* I - 2 I + ...: indefinite, diagonal still positive */
  OK(sb_linear_solver_set_matrix(solver, p.A, SB_NEW_PATTERN, false, &outcome));
  if (detects) assert_string_equal(sb_outcome_name(outcome), "not_spd");
  OK(MatShift(p.A, 2.0));
  set(solver, p.A, SB_NEW_VALUES);
  const sb_solve_report report = solve_again(solver, &p, false);
  assert_solved(backend, &report, &p);
  OK(MatShift(p.A, -2.0));
  OK(sb_linear_solver_set_matrix(solver, p.A, SB_NEW_VALUES, false, &outcome));
  if (detects) assert_string_equal(sb_outcome_name(outcome), "not_spd");
  OK(sb_linear_solver_destroy(&solver));
  problem_free(&p);
}

static void check_block_recovery(const sb_linear_backend *backend) { check_recovery(backend, 1); }

static void check_scalar_recovery(const sb_linear_backend *backend) { check_recovery(backend, 3); }

static void test_recovery(void)
{
  each_backend(0, check_block_recovery);
  each_backend(0, check_scalar_recovery);
}

/* The books: totals, phases and facts. */
static void check_books(const sb_linear_backend *backend)
{
  problem           p = problem_of(sheet_block(&easy), 1);
  sb_profile        profile = {0};
  sb_linear_solver *solver;
  sb_options       *options = options_of("linear=%s", backend->name);
  OK(sb_linear_solver_create(PETSC_COMM_WORLD, options, "books_", 1, &profile, &solver));
  set(solver, p.A, SB_NEW_PATTERN);
  set(solver, p.A, SB_NEW_VALUES);
  long iterations = 0;
  for (int k = 0; k < 3; ++k) iterations += solve_again(solver, &p, false).iterations;
  const sb_linear_totals *totals = sb_linear_solver_totals(solver);
  assert_int_equal(totals->solves, 3);
  assert_int_equal(totals->factorizations, 2);
  assert_int_equal(totals->iterations, iterations);
  assert_true(totals->all_accepted && totals->relative_worst > 0.0 && totals->relative_worst <= 1e-9);
  assert_int_equal(profile.calls[SB_PHASE_SOLVE], 3);
  assert_int_equal(profile.calls[SB_PHASE_ANALYZE], backend->analyze ? 1 : 0);
  assert_int_equal(profile.calls[SB_PHASE_FACTOR], backend->factor ? 2 : 0);
  assert_true(profile.calls[SB_PHASE_CHECK] > 0 && profile.seconds[SB_PHASE_CHECK] > 0.0);
  const sb_factor_facts *facts = sb_linear_solver_facts(solver);
  const double           rows = 3.0 * (double)sheet_free(&easy);
  if (backend->traits & SB_DIRECT) assert_true(facts->nonzeros_factor > rows && facts->flops_factor > rows);
  OK(sb_linear_solver_destroy(&solver));
  OK(sb_linear_solver_destroy(&solver));
  sb_options_destroy(&options);
  problem_free(&p);
}

static void test_books(void) { each_backend(0, check_books); }

static void test_events(void)
{
  static const char *const names[] = {"SBLinAnalyze", "SBLinFactor", "SBLinSolve"};
  sb_linear_solver        *one = solver_of(1, "linear=jacobi"), *two = solver_of(1, "linear=jacobi");
  PetscLogEvent            event, later;
  for (int i = 0; i < 3; ++i) {
    OK(PetscLogEventGetId(names[i], &event));
    assert_true(event >= 0);
  }
  sb_linear_solver *three = solver_of(1, "linear=jacobi");
  OK(PetscLogEventGetId(names[2], &later));
  assert_int_equal(event, later);
  OK(sb_linear_solver_destroy(&one));
  OK(sb_linear_solver_destroy(&two));
  OK(sb_linear_solver_destroy(&three));
}

static void test_unknown_backend(void)
{
  char names[400] = "no_such_backend";
  for (size_t i = 0; i < sb_linear_backend_count(); ++i)
    snprintf(names + strlen(names), sizeof names - strlen(names), "; %s", sb_linear_backend_at(i)->name);
  assert_true(assert_refused(NULL, names, "linear=no_such_backend"));
}

PETSC_TEST_MAIN(test_block, test_columns, test_planar_columns, test_guess, test_new_values, test_new_pattern,
                test_zero_rhs, test_indefinite, test_recovery, test_books, test_events, test_unknown_backend)
