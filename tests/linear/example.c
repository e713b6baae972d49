/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A test to copy for a linear solver: it solves A x = b, whose solution is known.
 *
 * A = tridiag(-1, 3, -1) is the matrix of a chain of springs. Its slowest mode, s_i = sin(pi (i + 1)/(n + 1)), is an
 * eigenvector: A s = lambda s with lambda = 3 - 2 cos(pi/(n + 1)). For b = lambda s the solution is x = s. */
#include "tests/linear/systems.h"

#define SOLVER "linear=cholesky" /* in a copy: the name of the new solver, and its options, separated by ; */

enum { ROWS = 50 };

static double entry(const void *context, PetscInt i, PetscInt j)
{
  (void)context;
  return i == j ? 3 : -1;
}

static double mode(PetscInt i) { return sin(PETSC_PI * (double)(i + 1) / (ROWS + 1)); }

static void solution_is_the_slowest_mode(void)
{
  sb_linear_solver *solver = solver_of(1, SOLVER);
  Mat               A = matrix_of(ROWS, 1, 1, entry, NULL);
  problem           p = problem_of(A, 1); /* has the vectors x, b and exact, and frees A */
  fill(p.exact, mode);
  fill(p.b, mode);
  OK(VecScale(p.b, 3 - 2 * cos(PETSC_PI / (ROWS + 1))));
  const sb_solve_report report = solve_by(solver, &p, SB_NEW_PATTERN, "solved");
  ASSERT_OUTCOME("solved", report);
  ASSERT_WITHIN(distance(p.x, p.exact), 1e-12);
  problem_free(&p);
  OK(sb_linear_solver_destroy(&solver));
}

PETSC_TEST_MAIN(solution_is_the_slowest_mode)
