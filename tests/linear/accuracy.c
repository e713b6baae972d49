/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How close solutions are: V37 (sharp detection of indefiniteness), V38 (backends against each other), V40 (known
 * solutions at growing condition). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "solvers/linear/cholesky_cholmod.h"
#include "tests/linear/systems.h"

/* V37. One spring along a slanted direction, one end pinned, compressed to length l < L: the block of its free end is
 * I + (h^2 k/m)(u u^T + (1 - L/l)(I - u u^T)), positive definite iff (h^2 k/m)(L/l - 1) < 1. */
typedef struct {
  double ratio, compression; /* h^2 k/m, L/l - 1 */
} compressed;

static double compressed_entry(const void *context, PetscInt i, PetscInt j)
{
  static const double u[3] = {2.0 / 7.0, 3.0 / 7.0, 6.0 / 7.0};
  const compressed   *c = context;
  const double        along = u[i] * u[j], across = (i == j ? 1.0 : 0.0) - along;
  return (i == j ? 1.0 : 0.0) + c->ratio * (along - c->compression * across);
}

static void check_compressed(const sb_linear_backend *backend, double product, int columns)
{
  static const double ratios[] = {0.01, 1.0, 1e4};
  for (size_t k = 0; k < sizeof ratios / sizeof ratios[0]; ++k) {
    const compressed  c = {ratios[k], product / ratios[k]};
    Mat               A = matrix_of(3, 2, 3, compressed_entry, &c);
    sb_linear_solver *solver = solver_of(columns, "linear=%s", backend->name);
    sb_outcome        outcome;
    OK(sb_linear_solver_set_matrix(solver, A, SB_NEW_PATTERN, false, &outcome));
    assert_string_equal(sb_outcome_name(outcome), product < 1.0 ? "solved" : "not_spd");
    OK(sb_linear_solver_destroy(&solver));
    OK(MatDestroy(&A));
  }
}

static void test_sharp_indefiniteness(void)
{
  for (size_t i = 0; i < sb_linear_backend_count(); ++i) {
    const sb_linear_backend *backend = sb_linear_backend_at(i);
    if (!(backend->traits & SB_DETECTS_INDEFINITE)) continue;
    check_compressed(backend, 0.999, 1);
    check_compressed(backend, 1.001, 1);
    check_compressed(backend, 0.999, 3);
    check_compressed(backend, 1.001, 3);
  }
}

/* x of A x = b with b = waves, of some columns; the caller destroys it. */
static Vec solution(Mat A, const char *pairs, int columns)
{
  problem p = problem_of(A, columns);
  Vec     x;
  fill(p.b, waves);
  OK(PetscObjectReference((PetscObject)A));
  ASSERT_OUTCOME("solved", solve(&p, "solved", "%s", pairs));
  OK(VecDuplicate(p.x, &x));
  OK(VecCopy(p.x, x));
  problem_free(&p);
  return x;
}

typedef struct {
  const char *pairs;
  double      tolerance;
} agreement;

/* CG with Jacobi at growing accuracy; 1e-10 needs rtol <= 1e-12. */
static const agreement agreements[] = {
    {"linear=petsc;petsc=-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type mumps", 1e-12},
    {"linear=petsc;petsc=-ksp_rtol 1e-6", 1e-4},
    {"linear=petsc;petsc=-ksp_rtol 1e-8", 1e-6},
    {"linear=petsc;petsc=-ksp_rtol 1e-10", 1e-8},
    {"linear=petsc;petsc=-ksp_rtol 1e-12", 1e-10},
    {"linear=petsc;petsc=-ksp_rtol 1e-13 -pc_type bjacobi -sub_pc_type icc", 1e-11},
};

static void check_agreement(Mat A, int columns)
{
  Vec reference = solution(A, "linear=cholesky", columns);
  for (size_t i = 0; i < sizeof agreements / sizeof agreements[0]; ++i) {
    Vec x = solution(A, agreements[i].pairs, columns);
    ASSERT_WITHIN(distance(x, reference), agreements[i].tolerance);
    OK(VecDestroy(&x));
  }
  OK(VecDestroy(&reference));
  OK(MatDestroy(&A));
}

static void test_backends_agree(void)
{
  static const sheet stiff = {.cells = 10, .ratio = 300.0, .stretch = 1.1, .angle = 0.6};
  check_agreement(sheet_block(&stiff), 1);
  check_agreement(sheet_scalar(&stiff), 3);
}

/* V38 over the list: direct backends within 1e-12 of each other, iterative ones within 1e-10 at a tolerance of 1e-12,
 * on a sheet mild enough for all of them. */
static void check_mild(const sb_linear_backend *backend)
{
  static const sheet mild = {.cells = 10, .ratio = 10.0, .stretch = 1.2};
  char               pairs[64];
  snprintf(pairs, sizeof pairs, "linear=%s;linear_tolerance=1e-12", backend->name);
  for (int columns = 1; columns <= 3; columns += 2) {
    Mat A = columns == 1 ? sheet_block(&mild) : sheet_scalar(&mild);
    Vec reference = solution(A, "linear=cholesky", columns), x = solution(A, pairs, columns);
    ASSERT_WITHIN(distance(x, reference), backend->traits & SB_DIRECT ? 1e-12 : 1e-10);
    OK(VecDestroy(&x));
    OK(VecDestroy(&reference));
    OK(MatDestroy(&A));
  }
}

static void test_every_backend_agrees(void) { each_backend(0, check_mild); }

/* A looser tolerance is really looser: the agreement above is not the work of something else. */
static void test_tolerance_matters(void)
{
  static const sheet stiff = {.cells = 10, .ratio = 300.0, .stretch = 1.1, .angle = 0.6};
  Mat                A = sheet_block(&stiff);
  Vec reference = solution(A, "linear=cholesky", 1), x = solution(A, "linear=petsc;linear_tolerance=1e-4", 1);
  assert_true(distance(x, reference) > 1e-8);
  OK(VecDestroy(&x));
  OK(VecDestroy(&reference));
  OK(MatDestroy(&A));
}

enum { DENSE = 30 };

/* Q D Q with Q = I - 2 v v^T, D from 1 down to 1/condition, equally spaced in the exponent. */
static double known_spectrum(const void *context, PetscInt i, PetscInt j)
{
  const double condition = *(const double *)context;
  double       size = 0.0, sum = 0.0;
  for (PetscInt k = 0; k < DENSE; ++k) size += waves(k) * waves(k);
  for (PetscInt k = 0; k < DENSE; ++k) {
    const double left = (i == k ? 1.0 : 0.0) - 2.0 * waves(i) * waves(k) / size;
    const double right = (j == k ? 1.0 : 0.0) - 2.0 * waves(j) * waves(k) / size;
    sum += left * pow(condition, -(double)k / (DENSE - 1)) * right;
  }
  return sum;
}

static double symmetric_spectrum(const void *context, PetscInt i, PetscInt j)
{
  return known_spectrum(context, PetscMin(i, j), PetscMax(i, j));
}

static void check_known_solutions(const sb_linear_backend *backend)
{
  for (double condition = 10.0; condition <= 1e8; condition *= 10.0) {
    problem               p = problem_of(matrix_of(DENSE, DENSE, 1, symmetric_spectrum, &condition), 1);
    const sb_solve_report report = solve(&p, NULL, "linear=%s", backend->name);
    ASSERT_OUTCOME("solved", report);
    ASSERT_WITHIN(report.residual, 1e-13);
    ASSERT_WITHIN(distance(p.x, p.exact), 50.0 * condition * DBL_EPSILON);
    problem_free(&p);
  }
}

static void test_known_solutions(void) { each_backend(SB_DIRECT, check_known_solutions); }

/* A = L L^T with L 1 on its diagonal and -1 below: every pivot is 1 in this order, yet the condition is about 4^n.
 * Solutions of size 4^n have a residual that is small relative to |A| |x|, and none of their digits is right. With 24
 * rows no pivot shows it, in any order; with 30 rows the last one does. */
static double hidden_singularity(const void *context, PetscInt i, PetscInt j)
{
  (void)context;
  return i == j ? 1.0 + (double)i : (double)PetscMin(i, j) - 1.0;
}

/* Symmetric but for one entry, off by 1e-9: a direct backend sees one half of it. */
static double lopsided(const void *context, PetscInt i, PetscInt j)
{
  (void)context;
  return i == j ? 3.0 : i == 5 && j == 6 ? -1.0 - 1e-9 : i == 6 && j == 5 ? -1.0 + 1e-9 : -1.0;
}

/* Definite, its condition that of its scales alone: one mass as heavy as 1e17 others. */
static double heavy(const void *context, PetscInt i, PetscInt j)
{
  (void)context;
  return i != j ? -1.0 : i == 5 ? 1e17 : 3.0;
}

/* Units in which everything is small. */
static double faint(const void *context, PetscInt i, PetscInt j)
{
  (void)context;
  return i == j ? 3e-20 : -1e-20;
}

static void check_denied(const sb_linear_backend *backend, Mat A, const char *allowed)
{
  problem p = problem_of(A, 1);
  fill(p.b, waves);
  const sb_outcome outcome = solve(&p, NULL, "linear=%s", backend->name).outcome;
  if (!strstr(allowed, sb_outcome_name(outcome)))
    fail_msg("%s says %s, not %s", backend->name, sb_outcome_name(outcome), allowed);
  problem_free(&p);
}

static void check_claims_denied(const sb_linear_backend *backend)
{
  const bool whole = backend->traits & SB_UNSYMMETRIC; /* sees both halves */
  check_denied(backend, matrix_of(24, 24, 1, hidden_singularity, NULL), "singular not_spd");
  check_denied(backend, matrix_of(30, 30, 1, hidden_singularity, NULL), "singular not_spd");
  check_denied(backend, matrix_of(DENSE, 1, 1, heavy, NULL),
               rank_count() > 1 ? "solved singular" : "solved"); /* MUMPS */
  check_denied(backend, matrix_of(DENSE, 1, 1, faint, NULL), "solved");
  check_denied(backend, matrix_of(DENSE, 1, 1, lopsided, NULL), whole ? "solved" : "stalled");
}

static void test_claims_denied(void) { each_backend(SB_DIRECT, check_claims_denied); }

/* The front's residual is the residual: of a solve cut short, recomputed here. */
static void test_reported_residual(void)
{
  static const sheet easy = {.cells = 6, .ratio = 10.0, .stretch = 1.2, .angle = 0.6};
  problem            p = problem_of(sheet_block(&easy), 1);
  Vec                r;
  PetscReal          two, size, largest, x_largest, b_largest, norm;
  fill(p.b, waves);
  const sb_solve_report report = solve(&p, NULL, "linear=petsc;linear_tolerance=0;linear_max_iterations=7");
  OK(VecDuplicate(p.b, &r));
  OK(MatMult(p.A, p.x, r));
  OK(VecAYPX(r, -1.0, p.b));
  OK(VecNorm(r, NORM_2, &two));
  OK(VecNorm(p.b, NORM_2, &size));
  OK(VecNorm(r, NORM_INFINITY, &largest));
  OK(VecNorm(p.x, NORM_INFINITY, &x_largest));
  OK(VecNorm(p.b, NORM_INFINITY, &b_largest));
  OK(MatNorm(p.A, NORM_INFINITY, &norm));
  ASSERT_WITHIN(fabs(report.relative - two / size), 1e-13 * report.relative);
  ASSERT_WITHIN(fabs(report.residual - largest / (norm * x_largest + b_largest)), 1e-13 * report.residual);
  assert_true(report.relative > 1e-6);
  OK(VecDestroy(&r));
  problem_free(&p);
}

/* An arrow whose tip comes first, factored as it stands, fills the whole triangle: more entries than an int counts are
 * an error of their own, not one of memory. */
static void check_too_large(int columns)
{
  enum { ROWS = 70000 };
  const sb_direct_half *half = &sb_cholmod_half;
  sb_cholmod            cholmod = {0};
  char                 *message = NULL;
  PetscInt             *entries = test_calloc(ROWS, sizeof *entries);
  Mat                   A;
  for (PetscInt i = 0; i < ROWS; ++i) entries[i] = i ? 2 : ROWS;
  OK(MatCreateSeqAIJ(PETSC_COMM_SELF, ROWS, ROWS, 0, entries, &A));
  test_free(entries);
  for (PetscInt i = 0; i < ROWS; ++i) {
    OK(MatSetValue(A, 0, i, i ? -1 : ROWS, INSERT_VALUES));
    OK(MatSetValue(A, i, 0, i ? -1 : ROWS, INSERT_VALUES));
    OK(MatSetValue(A, i, i, ROWS, INSERT_VALUES));
  }
  OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  OK(half->configure(&cholmod, columns));
  cholmod.common.nmethods = 1;
  cholmod.common.method[0].ordering = CHOLMOD_NATURAL;
  cholmod.common.postorder = 0;
  OK(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  PetscErrorCode  code = half->analyze(&cholmod, A);
  sb_outcome      outcome;
  sb_factor_facts facts;
  if (!code) code = half->factorize(&cholmod, A, &outcome, &facts);
  OK(PetscPopErrorHandler());
  assert_int_equal(code, PETSC_ERR_ARG_OUTOFRANGE);
  OK(PetscErrorMessage(code, NULL, &message));
  assert_non_null(strstr(message, "E215"));
  OK(half->destroy(&cholmod));
  OK(MatDestroy(&A));
}

static void test_factor_too_large(void)
{
  if (rank_count() > 1) skip();
  check_too_large(1);
  check_too_large(3);
}

PETSC_TEST_MAIN(test_sharp_indefiniteness, test_backends_agree, test_every_backend_agrees, test_tolerance_matters,
                test_known_solutions, test_claims_denied, test_reported_residual, test_factor_too_large)
