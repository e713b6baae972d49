/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The primal-dual active set method (Hintermueller, Ito, Kunisch: SIAM J. Optim. 13, 2003), a semismooth Newton method.
 * Rows with d q < r = A q - b get q = 0, and a linear backend solves A q = b on the rest. It ends when the set does not
 * change, at the solution to the backend's accuracy, after few iterations if it ends at all. */
#include "solvers/bounded/bounded_method.h"
#include "solvers/linear/linear_solver.h"

/* The rows that are to have pressure; *changed when they are others than those before. */
static PetscErrorCode choose(const sb_bounded_problem *problem, bool *inside, IS *rows, bool *changed)
{
  const double *q, *r, *d;
  PetscInt     *list, count = 0;

  PetscFunctionBeginUser;
  *changed = false;
  PetscCall(PetscMalloc1(problem->rows, &list));
  PetscCall(VecGetArrayRead(problem->q, &q));
  PetscCall(VecGetArrayRead(problem->r, &r));
  PetscCall(VecGetArrayRead(problem->diagonal, &d));
  for (PetscInt i = 0; i < problem->rows; ++i) {
    const bool now = d[i] > 0 && d[i] * q[i] >= r[i];
    *changed = *changed || now != inside[i];
    inside[i] = now;
    if (now) list[count++] = i;
  }
  PetscCall(VecRestoreArrayRead(problem->diagonal, &d));
  PetscCall(VecRestoreArrayRead(problem->r, &r));
  PetscCall(VecRestoreArrayRead(problem->q, &q));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, count, list, PETSC_OWN_POINTER, rows));
  PetscFunctionReturn(0);
}

/* q = A^-1 b on the given rows, 0 elsewhere. */
static PetscErrorCode solve_among(const sb_bounded_problem *problem, sb_linear_solver *linear, IS rows,
                                  sb_bounded_report *report)
{
  Mat             part;
  Vec             b, q;
  sb_solve_report solved;

  PetscFunctionBeginUser;
  PetscCall(MatCreateSubMatrix(problem->A, rows, rows, MAT_INITIAL_MATRIX, &part));
  PetscCall(MatSetOption(part, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatCreateVecs(part, &q, &b));
  PetscCall(VecISCopy(problem->b, rows, SCATTER_REVERSE, b));
  PetscCall(VecISCopy(problem->q, rows, SCATTER_REVERSE, q));
  PetscCall(sb_linear_solver_set_matrix(linear, part, SB_NEW_PATTERN, true, &report->outcome));
  if (sb_outcome_accepted(report->outcome)) {
    PetscCall(sb_linear_solver_solve(linear, b, q, true, &solved));
    report->outcome = solved.outcome;
    report->linear_iterations += solved.iterations;
  }
  if (sb_outcome_accepted(report->outcome)) {
    PetscCall(VecSet(problem->q, 0));
    PetscCall(VecISCopy(problem->q, rows, SCATTER_FORWARD, q));
  } else {
    report->reason = "the linear solver failed on the rows with pressure";
  }
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&q));
  PetscCall(MatDestroy(&part));
  PetscFunctionReturn(0);
}

static PetscErrorCode iterate(const sb_bounded_problem *problem, sb_linear_solver *linear, bool *inside,
                              sb_bounded_report *report)
{
  bool done = false, changed = true;

  PetscFunctionBeginUser;
  for (report->iterations = 0;; ++report->iterations) {
    IS       rows;
    PetscInt count;
    PetscCall(sb_bounded_look(problem, report->iterations, &done));
    if (done || !changed || report->iterations == problem->iterations_max) break;
    PetscCall(choose(problem, inside, &rows, &changed));
    PetscCall(ISGetLocalSize(rows, &count));
    if (count == 0) PetscCall(VecSet(problem->q, 0));
    if (count > 0 && changed) PetscCall(solve_among(problem, linear, rows, report));
    PetscCall(ISDestroy(&rows));
    if (!sb_outcome_accepted(report->outcome)) break;
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode solve(const sb_bounded_problem *problem, sb_bounded_report *report)
{
  sb_linear_solver *linear = NULL;
  bool             *inside;

  PetscFunctionBeginUser;
  PetscCall(sb_linear_solver_create(PETSC_COMM_SELF, problem->options, "pressure_", 1, problem->profile, &linear));
  PetscCall(PetscCalloc1(problem->rows, &inside));
  PetscCall(iterate(problem, linear, inside, report));
  PetscCall(PetscFree(inside));
  PetscCall(sb_linear_solver_destroy(&linear));
  PetscFunctionReturn(0);
}

const sb_bounded_method sb_bounded_active_set = {
    .name = "active_set",
    .summary = "primal-dual active set: a linear solver on the rows with pressure",
    .uses = "linear",
    .traits = SB_BOUNDED_ROWS,
    .solve = solve,
};
