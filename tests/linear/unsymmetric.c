/* SPDX-License-Identifier: GPL-3.0-or-later */
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
  return solver_of(columns, "linear=%s%s", backend->name, any ? ";petsc=-ksp_type gmres -pc_type jacobi" : "");
}

static problem unsymmetric_of(entry_function entry, int columns)
{
  problem p = problem_of(matrix_of(ROWS, 1, 1, entry, NULL), columns);
  p.definite = false;
  return p;
}

static void assert_solved(const sb_linear_backend *backend, const sb_solve_report *report, const problem *p)
{
  ASSERT_OUTCOME("solved", *report);
  ASSERT_WITHIN(distance(p->x, p->exact), backend->traits & SB_DIRECT ? 1e-13 : 1e-8);
}

static void check_solved(const sb_linear_backend *backend)
{
  for (int columns = 1; columns <= 3; columns += 2) {
    problem               p = unsymmetric_of(upwind, columns);
    sb_linear_solver     *solver = solver_for(backend, columns);
    const sb_solve_report report = solve_by(solver, &p, SB_NEW_PATTERN, "solved");
    assert_solved(backend, &report, &p);
    OK(sb_linear_solver_destroy(&solver));
    problem_free(&p);
  }
}

static void test_solved(void) { each_backend(SB_UNSYMMETRIC, check_solved); }

/* A direct backend says of a singular matrix that it is, and takes the next one of the pattern. */
static void check_singular(const sb_linear_backend *backend)
{
  problem           p = unsymmetric_of(balanced, 1);
  sb_linear_solver *solver = solver_for(backend, 1);
  fill(p.b, waves); /* not in the range */
  ASSERT_OUTCOME("singular", solve_by(solver, &p, SB_NEW_PATTERN, "singular"));
  OK(MatShift(p.A, 1.0));
  OK(MatMult(p.A, p.exact, p.b));
  const sb_solve_report solved = solve_by(solver, &p, SB_NEW_VALUES, "solved");
  assert_solved(backend, &solved, &p);
  OK(sb_linear_solver_destroy(&solver));
  problem_free(&p);
}

static void test_singular(void) { each_backend(SB_DIRECT | SB_UNSYMMETRIC, check_singular); }

/* Jacobi says that it diverges where the spectral radius of I - D^-1 A exceeds 1: here, half the diagonal. */
static void test_jacobi_is_honest(void)
{
  problem p = unsymmetric_of(upwind, 1);
  OK(MatShift(p.A, -3.2));
  ASSERT_OUTCOME("diverged", solve(&p, "solved", "linear=jacobi"));
  problem_free(&p);
}

PETSC_TEST_MAIN(test_solved, test_singular, test_jacobi_is_honest)
