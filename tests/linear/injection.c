/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The injection suite: systems that no solver can solve, or that some solvers wrongly claim to have solved, on every
 * backend. The one rule: nothing is called solved that is not. 20 x 20 tridiagonal systems. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solvers/linear/columns.h"
#include "tests/linear/systems.h"

enum { ROWS = 20 };

typedef enum { NOWHERE, IN_MATRIX, IN_RHS } place;
typedef enum { PLAIN, EVEN_CHAIN, UNEVEN_CHAIN, EMPTY_ROW, TINY_PIVOT } structure_kind;

typedef struct {
  const char    *name;
  structure_kind structure;
  double         diagonal;
  place          where; /* `value` stands in the middle of the diagonal or of the right-hand side */
  double         value;
  const char    *allowed;  /* outcomes of an SPD-detecting direct backend */
  bool           solvable; /* others may solve it, and then must have it right */
} injection;

static const injection injections[] = {
    {"NaN in the matrix", PLAIN, 2.5, IN_MATRIX, NAN, "not_finite", false},
    {"Inf in the matrix", PLAIN, 2.5, IN_MATRIX, INFINITY, "not_finite", false},
    {"NaN in the right-hand side", PLAIN, 2.5, IN_RHS, NAN, "not_finite", false},
    {"Inf in the right-hand side", PLAIN, 2.5, IN_RHS, INFINITY, "not_finite", false},
    {"indefinite", PLAIN, 1.1, NOWHERE, 0.0, "not_spd", true},
    {"negative diagonal", PLAIN, 2.5, IN_MATRIX, -2.5, "not_spd", true},
    {"zero on the diagonal", PLAIN, 2.5, IN_MATRIX, 0.0, "not_spd", true},
    {"singular chain", EVEN_CHAIN, 0.0, NOWHERE, 0.0, "singular not_spd", false},
    {"singular uneven chain", UNEVEN_CHAIN, 0.0, NOWHERE, 0.0, "singular not_spd", false},
    {"empty row", EMPTY_ROW, 2.5, NOWHERE, 0.0, "singular", false},
    {"subnormal pivot", TINY_PIVOT, 2.5, NOWHERE, 0.0, "singular", false},
};

/* Springs of a free chain: without a pin, rows sum to zero. Uneven ones leave a last pivot of rounding errors. */
static double uneven(PetscInt spring)
{
  return spring < 0 || spring > ROWS - 2 ? 0.0 : 1.0 + 0.37 * sin(1.0 + (double)spring);
}

static double entry(const void *context, PetscInt i, PetscInt j)
{
  const injection *in = context;
  const bool       middle = i == ROWS / 2 && j == ROWS / 2, touched = i == ROWS / 2 || j == ROWS / 2;
  switch (in->structure) {
  case UNEVEN_CHAIN:
    return i == j ? uneven(i - 1) + uneven(i) : -uneven(PetscMin(i, j));
  case EVEN_CHAIN:
    return i != j ? -1.0 : i == 0 || i == ROWS - 1 ? 1.0 : 2.0;
  case EMPTY_ROW:
  case TINY_PIVOT:
    if (touched) return middle && in->structure == TINY_PIVOT ? 1e-320 : 0.0;
    return i == j ? in->diagonal : -1.0;
  default:
    return middle && in->where == IN_MATRIX ? in->value : i == j ? in->diagonal : -1.0;
  }
}

static double rhs(const injection *in, PetscInt i)
{
  if (in->where == IN_RHS && i == ROWS / 2) return in->value;
  return waves(i);
}

static void fill_rhs(Vec b, const injection *in)
{
  PetscInt first, end;
  OK(VecGetOwnershipRange(b, &first, &end));
  for (PetscInt i = first; i < end; ++i) OK(VecSetValue(b, i, rhs(in, i), INSERT_VALUES));
  OK(VecAssemblyBegin(b));
  OK(VecAssemblyEnd(b));
}

/* The residual of x with nothing of the solvers in it: from the entries. */
static double true_relative_residual(const injection *in, Vec x)
{
  Vec                all;
  VecScatter         scatter;
  const PetscScalar *value;
  double             squares = 0.0, scale = 0.0;
  OK(VecScatterCreateToAll(x, &scatter, &all));
  OK(VecScatterBegin(scatter, x, all, INSERT_VALUES, SCATTER_FORWARD));
  OK(VecScatterEnd(scatter, x, all, INSERT_VALUES, SCATTER_FORWARD));
  OK(VecGetArrayRead(all, &value));
  for (PetscInt i = 0; i < ROWS; ++i) {
    double r = rhs(in, i);
    scale += r * r;
    for (PetscInt j = 0; j < ROWS; ++j) r -= labs((long)i - (long)j) <= 1 ? entry(in, i, j) * value[j] : 0.0;
    squares += r * r;
  }
  OK(VecRestoreArrayRead(all, &value));
  OK(VecScatterDestroy(&scatter));
  OK(VecDestroy(&all));
  return sqrt(squares / scale);
}

static problem problem_with(const injection *in, int columns)
{
  problem p = problem_of(matrix_of(ROWS, 1, 1, entry, in), columns);
  fill(p.b, waves);
  p.definite = false;
  if (columns == 1) fill_rhs(p.b, in);
  if (columns > 1 && in->where == IN_RHS) OK(VecSetValue(p.b, 3 * (ROWS / 2) + 1, in->value, INSERT_VALUES));
  OK(VecAssemblyBegin(p.b));
  OK(VecAssemblyEnd(p.b));
  return p;
}

/* `what`: the backend, and more. An accepted system must be solvable, and its solution right. */
static void judge(const injection *in, const sb_linear_backend *backend, const char *what, sb_outcome outcome,
                  double residual)
{
  const bool accepted = sb_outcome_accepted(outcome), strict = backend->traits & SB_DETECTS_INDEFINITE;
  if ((accepted && (!in->solvable || !(residual <= 1e-8))) ||
      (strict && !strstr(in->allowed, sb_outcome_name(outcome))))
    fail_msg("%s, %s on %s: %s, residual %.2e", in->name, what, backend->name, sb_outcome_name(outcome), residual);
}

static void check(const injection *in, const char *linear, const char *pairs)
{
  problem          p = problem_with(in, 1);
  const sb_outcome outcome = solve(&p, NULL, "linear=%s;%s", linear, pairs).outcome;
  judge(in, sb_linear_backend_find(linear), pairs, outcome,
        sb_outcome_accepted(outcome) ? true_relative_residual(in, p.x) : 0.0);
  problem_free(&p);
}

/* Every injection on every backend that runs on this many ranks. */
static void for_each_pair(void (*run)(const injection *in, const sb_linear_backend *backend))
{
  for (size_t i = 0; i < sb_linear_backend_count(); ++i) {
    const sb_linear_backend *backend = sb_linear_backend_at(i);
    if (rank_count() > 1 && (backend->traits & SB_SERIAL_ONLY)) continue;
    for (size_t k = 0; k < sizeof injections / sizeof injections[0]; ++k) run(&injections[k], backend);
  }
}

/* Jacobi and Chebyshev stall on singular chains. On one rank they do so to the default limit of 10000 iterations; on
 * several, where each iteration waits for messages, to a smaller one. */
static const char *limit(void) { return rank_count() > 1 ? "linear_max_iterations=500" : ""; }

static void check_defaults(const injection *in, const sb_linear_backend *backend) { check(in, backend->name, limit()); }

static void test_backends(void) { for_each_pair(check_defaults); }

/* PETSc's methods are the ones that claim most falsely: on several ranks a few of them. */
static void test_petsc_methods(void)
{
  static const char *const anywhere[] = {
      "petsc=-ksp_type cg -pc_type bjacobi -sub_pc_type icc",
      "petsc=-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type mumps",
  };
  static const char *const one_rank[] = {
      "petsc=-ksp_type gmres -pc_type none",
      "petsc=-ksp_type minres -pc_type none",
      "petsc=-ksp_type bcgs -pc_type jacobi",
      "petsc=-ksp_type richardson -pc_type jacobi",
      "petsc=-ksp_type preonly -pc_type lu -pc_factor_mat_solver_type mumps",
      "petsc=-ksp_type cg -pc_type icc",
      "petsc=-ksp_type preonly -pc_type cholesky",
      "petsc=-ksp_type preonly -pc_type lu",
      "petsc=-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type cholmod",
      "petsc=-ksp_type preonly -pc_type lu -pc_factor_mat_solver_type umfpack",
      "petsc=-ksp_type gmres -pc_type ilu",
      "petsc=-ksp_type fgmres -pc_type jacobi",
      "petsc=-ksp_type gcr -pc_type jacobi",
      "petsc=-ksp_type bicg -pc_type jacobi",
      "petsc=-ksp_type tfqmr -pc_type jacobi",
      "petsc=-ksp_type cgs -pc_type jacobi",
      "petsc=-ksp_type symmlq -pc_type none",
      "petsc=-ksp_type cr -pc_type jacobi",
      "petsc=-ksp_type pipecg -pc_type jacobi",
      "petsc=-ksp_type chebyshev -pc_type jacobi",
      "petsc=-ksp_type lsqr -pc_type none",
      "petsc=-ksp_type cg -pc_type sor",
      "petsc=-ksp_type cg -pc_type asm -sub_pc_type icc",
      "petsc=-ksp_type cg -pc_type gamg",
      "petsc=-ksp_type cg -pc_type hypre",
  };
  for (size_t k = 0; k < sizeof injections / sizeof injections[0]; ++k) {
    for (size_t i = 0; i < sizeof anywhere / sizeof anywhere[0]; ++i) check(&injections[k], "petsc", anywhere[i]);
    if (rank_count() > 1) continue;
    for (size_t i = 0; i < sizeof one_rank / sizeof one_rank[0]; ++i) check(&injections[k], "petsc", one_rank[i]);
  }
}

/* As three columns, on every backend: one bad column of the right-hand side is enough to refuse all. */
static void check_columns(const injection *in, const sb_linear_backend *backend)
{
  problem               p = problem_with(in, 3);
  const sb_solve_report report = solve(&p, NULL, "linear=%s;%s", backend->name, limit());
  judge(in, backend, "three columns", report.outcome, report.relative);
  problem_free(&p);
}

static void test_columns_on_every_backend(void) { for_each_pair(check_columns); }

/* A backend whose reasons stand in its state, as those of PETSc's errors do. */
typedef struct {
  int  calls;
  char reason[32];
} talker;

static PetscErrorCode refuse_second(void *state, Vec b, Vec x, const sb_goal *goal, sb_solve_report *report)
{
  talker *t = state;
  (void)b;
  (void)goal;
  snprintf(t->reason, sizeof t->reason, "of column %d", ++t->calls);
  *report =
      (sb_solve_report){.outcome = t->calls == 2 ? SB_FAILED : SB_SOLVED, .iterations = t->calls, .reason = t->reason};
  return VecSet(x, 1);
}

/* The report on three columns is that on the first one that was refused: later columns do not replace it. */
static void test_reason_of_refused_column(void)
{
  Mat             A = matrix_of(ROWS, 1, 1, entry, &injections[0]), product;
  sb_columns      columns = {0};
  sb_solve_report report;
  talker          told = {0};
  const sb_goal   goal = {.iterations_max = 9};
  Vec             b, x;
  OK(MatCreateMAIJ(A, 3, &product));
  OK(MatCreateVecs(product, &x, &b));
  fill(b, waves);
  OK(sb_columns_create(A, &columns));
  OK(sb_columns_solve(&columns, &(sb_column_solver){refuse_second, &told}, b, x, &goal, &report));
  assert_string_equal(sb_outcome_name(report.outcome), "failed");
  assert_string_equal(report.reason, "of column 2");
  assert_int_equal(report.iterations, 3); /* all are solved: the front judges x as a whole */
  OK(sb_columns_destroy(&columns));
  OK(VecDestroy(&b));
  OK(VecDestroy(&x));
  OK(MatDestroy(&product));
  OK(MatDestroy(&A));
}

/* The same bad matrices as three columns go the other way through CHOLMOD: a simplicial factor whose signs are read. */
static void test_columns(void)
{
  for (size_t k = 0; k < sizeof injections / sizeof injections[0]; ++k) {
    const injection  *in = &injections[k];
    Mat               A;
    sb_linear_solver *solver;
    sb_outcome        outcome;
    if (in->where == IN_RHS) continue;
    solver = solver_of(3, "linear=cholesky");
    A = matrix_of(ROWS, 1, 1, entry, in);
    OK(sb_linear_solver_set_matrix(solver, A, SB_NEW_PATTERN, false, &outcome));
    if (!strstr(in->allowed, sb_outcome_name(outcome))) fail_msg("%s: %s", in->name, sb_outcome_name(outcome));
    OK(sb_linear_solver_destroy(&solver));
    OK(MatDestroy(&A));
  }
}

/* Bad matrices handed over as definite are still found out. */
static void test_wrong_promise(void)
{
  for (size_t k = 0; k < sizeof injections / sizeof injections[0]; ++k) {
    problem p = problem_with(&injections[k], 1);
    p.definite = true;
    const sb_outcome outcome = solve(&p, NULL, "linear=cholesky").outcome;
    if (!strstr(injections[k].allowed, sb_outcome_name(outcome)))
      fail_msg("%s: %s", injections[k].name, sb_outcome_name(outcome));
    problem_free(&p);
  }
}

PETSC_TEST_MAIN(test_backends, test_petsc_methods, test_columns, test_columns_on_every_backend, test_wrong_promise,
                test_reason_of_refused_column)
