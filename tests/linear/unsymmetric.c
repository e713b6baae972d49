/* Matrices that are not symmetric, on every backend that claims to take them. */
#include <math.h>
#include <string.h>

#include "tests/linear/systems.h"

enum { ROWS = 48 };

/* Upwind differences with a few rows of the identity: contracting for Jacobi. */
static double upwind(const void *context, PetscInt i, PetscInt j)
{
  (void)context;
  if (i % 8 == 3) return i == j ? 1.0 : 0.0;
  return i == j ? 4.0 : j < i ? -1.5 : -0.25;
}

/* Rows that sum to zero, so that constants are in the kernel; uneven, so that the last pivot is rounding, not zero. */
static double balanced(const void *context, PetscInt i, PetscInt j)
{
  (void)context;
  const double down = i > 0 ? 1.0 + 0.4 * sin(1.0 + (double)i) : 0.0;
  const double up = i < ROWS - 1 ? 1.0 + 0.4 * cos(2.0 * (double)i) : 0.0;
  return i == j ? down + up : j < i ? -down : -up;
}

/* A method of petsc that takes such matrices; the others need none. */
static sb_linear_solver *solver_for(const sb_linear_backend *backend, int columns)
{
  const bool any = strcmp(backend->name, "petsc") == 0;
  return solver_of(backend->name, any ? "petsc=-ksp_type gmres -pc_type jacobi" : NULL, columns);
}

typedef struct {
  Vec b, x, exact;
} vectors;

static vectors vectors_of(Mat A, int columns)
{
  vectors v;
  Mat     product = A;
  if (columns > 1) OK(MatCreateMAIJ(A, columns, &product));
  OK(MatCreateVecs(product, &v.x, &v.b));
  OK(VecDuplicate(v.x, &v.exact));
  fill(v.exact, waves);
  OK(MatMult(product, v.exact, v.b));
  if (columns > 1) OK(MatDestroy(&product));
  return v;
}

static void release(vectors *v, Mat *A, sb_linear_solver **solver)
{
  OK(VecDestroy(&v->b));
  OK(VecDestroy(&v->x));
  OK(VecDestroy(&v->exact));
  OK(MatDestroy(A));
  OK(sb_linear_solver_destroy(solver));
}

/* `factored`: what the factorisation alone must say. */
static sb_solve_report solve(sb_linear_solver *solver, Mat A, sb_matrix_change change, const char *factored,
                             const vectors *v)
{
  sb_outcome      outcome;
  sb_solve_report report;
  OK(sb_linear_solver_set_matrix(solver, A, change, false, &outcome));
  assert_string_equal(sb_outcome_name(outcome), factored);
  OK(sb_linear_solver_solve(solver, v->b, v->x, false, &report));
  return report;
}

static void assert_solved(const sb_linear_backend *backend, const sb_solve_report *report, const vectors *v)
{
  assert_string_equal(sb_outcome_name(report->outcome), "solved");
  ASSERT_WITHIN(distance(v->x, v->exact), backend->traits & SB_DIRECT ? 1e-13 : 1e-8);
}

static void each(unsigned traits, void (*check)(const sb_linear_backend *backend))
{
  int         found = 0;
  PetscMPIInt ranks;
  OK(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  for (size_t i = 0; i < sb_linear_backend_count(); ++i) {
    const sb_linear_backend *backend = sb_linear_backend_at(i);
    if (backend->missing || (ranks > 1 && (backend->traits & SB_SERIAL_ONLY))) continue;
    if ((backend->traits & traits) != traits) continue;
    check(backend);
    found++;
  }
  assert_true(found > 0);
}

static void check_solved(const sb_linear_backend *backend)
{
  for (int columns = 1; columns <= 3; columns += 2) {
    Mat                   A = matrix_of(ROWS, 1, 1, upwind, NULL);
    vectors               v = vectors_of(A, columns);
    sb_linear_solver     *solver = solver_for(backend, columns);
    const sb_solve_report report = solve(solver, A, SB_NEW_PATTERN, "solved", &v);
    assert_solved(backend, &report, &v);
    release(&v, &A, &solver);
  }
}

static void test_solved(void **state)
{
  (void)state;
  each(SB_UNSYMMETRIC, check_solved);
}

/* A direct backend says of a singular matrix that it is, and takes the next one of the pattern. */
static void check_singular(const sb_linear_backend *backend)
{
  Mat               A = matrix_of(ROWS, 1, 1, balanced, NULL);
  vectors           v = vectors_of(A, 1);
  sb_linear_solver *solver = solver_for(backend, 1);
  fill(v.b, waves); /* not in the range */
  const sb_solve_report refused = solve(solver, A, SB_NEW_PATTERN, "singular", &v);
  assert_string_equal(sb_outcome_name(refused.outcome), "singular");
  OK(MatShift(A, 1.0));
  OK(MatMult(A, v.exact, v.b));
  const sb_solve_report solved = solve(solver, A, SB_NEW_VALUES, "solved", &v);
  assert_solved(backend, &solved, &v);
  release(&v, &A, &solver);
}

static void test_singular(void **state)
{
  (void)state;
  each(SB_DIRECT | SB_UNSYMMETRIC, check_singular);
}

/* Jacobi says that it diverges where the spectral radius of I - D^-1 A exceeds 1: here, half the diagonal. */
static void test_jacobi_is_honest(void **state)
{
  (void)state;
  Mat               A = matrix_of(ROWS, 1, 1, upwind, NULL);
  vectors           v = vectors_of(A, 1);
  sb_linear_solver *solver = solver_of("jacobi", NULL, 1);
  OK(MatShift(A, -3.2));
  const sb_solve_report report = solve(solver, A, SB_NEW_PATTERN, "solved", &v);
  assert_string_equal(sb_outcome_name(report.outcome), "diverged");
  release(&v, &A, &solver);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_solved),
      cmocka_unit_test(test_singular),
      cmocka_unit_test(test_jacobi_is_honest),
  };
  return run_group(argc, argv, "linear_unsymmetric", tests, sizeof tests / sizeof tests[0]);
}
