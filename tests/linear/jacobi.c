/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Backend jacobi: V44 (its speed is the spectral radius), V45 (it fails honestly), blocks, relaxation, truncation. */
#include <math.h>
#include <string.h>

#include "tests/linear/spectrum.h"
#include "tests/linear/systems.h"

enum { NODES = 12 };

/* The largest eigenvalue of I - D^-1 A on the chain. D^-1 A has the eigenvalues 1 - slow cos(j pi/(n+1))/cos(pi/(n+1)).
 */
static double slow(double ratio) { return 2.0 * ratio / (1.0 + 2.0 * ratio) * cos(M_PI / (NODES + 1)); }

/* The modes of the chain: the slowest, and the fastest, whose sign alternates. */
static double slowest_mode(PetscInt index) { return chain_mode(NODES, 1, index); }

static double fastest_mode(PetscInt index) { return chain_mode(NODES, NODES, index); }

static double residual_after(problem *p, double omega, int iterations, double (*rhs)(PetscInt index))
{
  fill(p->b, rhs);
  const sb_solve_report report = solve(
      p, "solved", "linear=jacobi;linear_tolerance=0;jacobi_omega=%.17g;linear_max_iterations=%d", omega, iterations);
  ASSERT_OUTCOME("truncated", report);
  assert_int_equal(report.iterations, iterations);
  return report.relative;
}

/* From the mode that dominates, the residual is rho^k exactly; from any other start it is no larger, D being a multiple
 * of I here. rho(I - omega D^-1 A) < 1 whatever h^2 k/m is. */
static void test_speed(void)
{
  static const double ratios[] = {0.01, 0.1, 1.0, 10.0, 100.0}, omegas[] = {1.0, 0.8, 0.5, 1.2};
  for (size_t i = 0; i < sizeof ratios / sizeof ratios[0]; ++i) {
    problem p = problem_of(matrix_of(NODES, 1, 1, chain, &ratios[i]), 1);
    for (size_t j = 0; j < sizeof omegas / sizeof omegas[0]; ++j) {
      const double smooth = fabs(1.0 - omegas[j] * (1.0 - slow(ratios[i])));
      const double rough = fabs(1.0 - omegas[j] * (1.0 + slow(ratios[i]))), rho = fmax(smooth, rough);
      if (omegas[j] <= 1.0) assert_true(rho < 1.0);
      if (rho >= 1.0) continue;
      const double decay = pow(rho, 5.0);
      const double dominant = residual_after(&p, omegas[j], 5, smooth >= rough ? slowest_mode : fastest_mode);
      ASSERT_WITHIN(fabs(dominant / decay - 1.0), 1e-12 + 1e-15 / decay); /* rounding, at the scale of b */
      ASSERT_WITHIN(residual_after(&p, omegas[j], 5, waves), decay * (1.0 + 1e-9));
    }
    problem_free(&p);
  }
}

/* The same sheet, every spring stretched, so its Newton matrix is positive definite: aligned with the axes Jacobi
 * converges, rotated it diverges. */
static const sheet aligned = {.cells = 8, .ratio = 10.0, .stretch = 1.2};
static const sheet rotated = {.cells = 8, .ratio = 10.0, .stretch = 1.2, .angle = 0.6};

static Mat aligned_sheet(void) { return sheet_block(&aligned); }

static Mat rotated_sheet(void) { return sheet_block(&rotated); }

static Mat symmetric_saddle(void)
{
  Mat A = matrix_of(30, 1, 3, saddle, NULL);
  OK(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  return A;
}

static Mat zero_diagonal(void) { return matrix_of(9, 1, 3, hollow, NULL); }

/* Rows in which products overflow with both signs: the residual becomes NaN, not Inf. */
static double overflowing(const void *context, PetscInt i, PetscInt j)
{
  (void)context;
  return i == j ? 1.0 : i % 3 == 1 ? (j < i ? 1e200 : -1e200) : 0.0;
}

static Mat overflow(void) { return matrix_of(9, 1, 3, overflowing, NULL); }

static double large(PetscInt index)
{
  (void)index;
  return 1e150;
}

/* Eigenvalues of D^-1 A are 1.99 and 0.01; one row is a hundred times the other. */
static double unlike(const void *context, PetscInt i, PetscInt j)
{
  (void)context;
  if (i == j) return i % 2 ? 1.0 : 100.0;
  return i / 2 == j / 2 ? 9.9 : 0.0;
}

static Mat unlike_pairs(void) { return matrix_of(12, 1, 2, unlike, NULL); }

static double second_of_pairs(PetscInt index) { return index % 2 ? 1.0 : 0.0; }

/* Eigenvalues 3 and -1. */
static double swapped(const void *context, PetscInt i, PetscInt j)
{
  (void)context;
  return i == j ? 1.0 : i / 2 == j / 2 ? 2.0 : 0.0;
}

static Mat swapped_pairs(void) { return matrix_of(12, 1, 2, swapped, NULL); }

static double difference_of_pairs(PetscInt index) { return index % 2 ? -1.0 : 1.0; }

static const struct {
  Mat (*matrix)(void);
  double (*rhs)(PetscInt index);                   /* NULL: A exact */
  bool        indefinite;                          /* the solver is not told that A is definite */
  const char *pairs, *factored, *outcome, *reason; /* outcome NULL: any; reason: a part of it */
  int         least, most;                         /* iterations; most 0: any number */
  double      error;                               /* of x, at most; INFINITY: any finite one; 0: any */
  double      above, relative; /* a bound that the residual exceeds; the residual to 1e-12; 0: any */
} rows[] = {
    {aligned_sheet, .pairs = "", "solved", "solved", .error = 1e-8},
    /* It says that it diverges after few iterations, with a finite x. */
    {rotated_sheet, .pairs = "jacobi_omega=1", "solved", "diverged", "spectral radius", 2, 200, INFINITY, 1e4},
    /* Whole vertices as blocks, damping, or auto bring the rotated sheet back. */
    {rotated_sheet, .pairs = "jacobi_block=3", "solved", "solved", .error = 1e-8},
    {rotated_sheet, .pairs = "jacobi_omega=0.5", "solved", "solved", .error = 1e-8},
    {rotated_sheet, .pairs = "", "solved", "solved", .error = 1e-8},
    /* Out of iterations is stalled, not solved. */
    {aligned_sheet, .pairs = "linear_max_iterations=3", "solved", "stalled", .least = 3, .most = 3},
    /* No omega makes the iteration converge for an indefinite matrix, and auto says so before it begins. */
    {symmetric_saddle, NULL, true, "", .factored = "not_spd"},
    /* A zero diagonal is found before the first iteration; as a block it is regular. */
    {zero_diagonal, NULL, true, "", .factored = "singular"},
    {zero_diagonal, NULL, true, "jacobi_block=3", .factored = "solved"},
    /* A residual that is not a number ends the solve at once. */
    {overflow, large, true, "jacobi_omega=1", "solved", "diverged", .least = 1, .most = 3},
    /* A truncated run that made the residual worse is not accepted, … */
    {rotated_sheet, waves, .pairs = "jacobi_omega=1;linear_tolerance=0;linear_max_iterations=12", NULL, "diverged",
     .above = 1},
    /* … but an iteration that lowers x.A x/2 - b.x leads to the solution, though the residual is five times as large.
     */
    {unlike_pairs, second_of_pairs, .pairs = "jacobi_omega=0.5;linear_tolerance=0;linear_max_iterations=1", NULL,
     "truncated", .above = 4},
    /* With an indefinite matrix the residual falls for ever while x diverges: that is no reason to accept x. */
    {swapped_pairs, difference_of_pairs, true, "jacobi_omega=0.5;linear_tolerance=0;linear_max_iterations=5", NULL,
     "diverged", .relative = 7.59375 /* 1.5^5 */},
};

static void test_outcomes(void)
{
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    problem p = problem_of(rows[i].matrix(), 1);
    p.definite = !rows[i].indefinite;
    if (rows[i].rhs) fill(p.b, rows[i].rhs);
    print_message("  row %zu: %s\n", i, rows[i].pairs);
    const sb_solve_report report = solve(&p, rows[i].factored, "linear=jacobi;%s", rows[i].pairs);
    const double          error = distance(p.x, p.exact);
    if (rows[i].outcome) ASSERT_OUTCOME(rows[i].outcome, report);
    if (rows[i].reason) assert_non_null(strstr(report.reason, rows[i].reason));
    if (rows[i].most > 0) assert_in_range(report.iterations, rows[i].least, rows[i].most);
    if (rows[i].error > 0) assert_true(isfinite(error) && error <= rows[i].error);
    if (rows[i].above > 0) assert_true(isfinite(report.relative) && report.relative > rows[i].above);
    if (rows[i].relative > 0) ASSERT_WITHIN(fabs(report.relative - rows[i].relative), 1e-12);
    problem_free(&p);
  }
  assert_refused(NULL, "jacobi_block is 1", "linear=jacobi;jacobi_block=2");
}

/* A scalar matrix has no 3x3 blocks: the option then changes nothing. */
static void test_block_of_scalar(void)
{
  problem               point = problem_of(sheet_scalar(&aligned), 3), block = problem_of(sheet_scalar(&aligned), 3);
  const sb_solve_report one = solve(&point, "solved", "linear=jacobi");
  const sb_solve_report three = solve(&block, "solved", "linear=jacobi;jacobi_block=3");
  ASSERT_OUTCOME("solved", one);
  assert_int_equal(one.iterations, three.iterations);
  assert_true(distance(point.x, point.exact) == distance(block.x, block.exact));
  problem_free(&point);
  problem_free(&block);
}

/* omega as the backend found it: one iteration from zero is x = omega D^-1 b, and D x = omega b. */
static double omega_of(problem *p, int block)
{
  PetscInt           first;
  double             omega = 0;
  const PetscScalar *values, *rhs;
  fill(p->b, waves);
  solve(p, "solved", "linear=jacobi;linear_tolerance=0;linear_max_iterations=1;jacobi_block=%d", block);
  OK(MatGetOwnershipRange(p->A, &first, NULL));
  OK(VecGetArrayRead(p->x, &values));
  OK(VecGetArrayRead(p->b, &rhs));
  for (PetscInt j = 0; j < block; ++j) {
    PetscScalar entry;
    OK(MatGetValue(p->A, first, first + j, &entry));
    omega += entry * values[j] / rhs[0];
  }
  OK(VecRestoreArrayRead(p->x, &values));
  OK(VecRestoreArrayRead(p->b, &rhs));
  return omega;
}

/* auto converges wherever omega = 1 does and where it does not, on small sheets and larger ones: below 2/lambda_max,
 * and not far below. */
static void test_automatic(void)
{
  static const sheet sheets[] = {{4, 1, 1.2, 0},      {8, 10, 1.2, 0},       {8, 10, 1.2, 0.6},  {16, 100, 1.5, 0.3},
                                 {32, 10, 1.01, 0.6}, {32, 1000, 1.05, 0.9}, {48, 100, 1.2, 0.6}};
  for (size_t i = 0; i < sizeof sheets / sizeof sheets[0]; ++i)
    for (int form = 0; form < 3; ++form) { /* scalar; by points; by vertices */
      const int    block = form == 2 ? 3 : 1;
      problem      p = problem_of(form == 0 ? sheet_scalar(&sheets[i]) : sheet_block(&sheets[i]), 1);
      const double largest = largest_eigenvalue(p.A, block), limit = 2 / largest, omega = omega_of(&p, block);
      assert_true(largest < (form == 1 ? 6 : 2)); /* of D^-1 A: form by form the bound that the backend states */
      if (!(omega < limit && omega > 0.75 * limit))
        fail_msg("sheet %zu form %d: omega %g of %g", i, form, omega, limit);
      problem_free(&p);
    }
}

/* Iterations cannot improve a start that is exact to rounding: they change its residual by a factor, and are accepted
 * nevertheless. */
static void test_truncated_at_rounding(void)
{
  const double      ratio = 1;
  double            grown = 0;
  problem           p = problem_of(matrix_of(NODES, 1, 1, chain, &ratio), 1);
  sb_linear_solver *solver = solver_of(1, "linear=jacobi;jacobi_omega=1;linear_tolerance=0;linear_max_iterations=3");
  sb_outcome        outcome;
  fill(p.b, waves);
  sb_solve_report report = solve(&p, NULL, "linear=cholesky");
  OK(sb_linear_solver_set_matrix(solver, p.A, SB_NEW_PATTERN, false, &outcome)); /* or its energy speaks for it, too */
  for (int i = 0; i < 20; ++i) {
    const double before = report.relative;
    OK(sb_linear_solver_solve(solver, p.b, p.x, true, &report));
    ASSERT_OUTCOME("truncated", report);
    grown = fmax(grown, report.relative / before);
  }
  assert_true(grown > 1); /* else this shows nothing */
  OK(sb_linear_solver_destroy(&solver));
  problem_free(&p);
}

PETSC_TEST_MAIN(test_speed, test_outcomes, test_block_of_scalar, test_automatic, test_truncated_at_rounding)
