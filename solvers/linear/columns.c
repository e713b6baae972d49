/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Column by column; see columns.h. */
#include "solvers/linear/columns.h"

#include <stdio.h>

enum { COLUMNS = 3 };

PetscErrorCode sb_columns_create(Mat A, sb_columns *columns)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &columns->x, &columns->b));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_columns_destroy(sb_columns *columns)
{
  PetscFunctionBeginUser;
  PetscCall(VecDestroy(&columns->b));
  PetscCall(VecDestroy(&columns->x));
  PetscFunctionReturn(0);
}

static PetscErrorCode solve_one(const sb_columns *columns, const sb_column_solver *solver, const sb_goal *goal,
                                sb_solve_report *report)
{
  PetscReal largest;

  PetscFunctionBeginUser;
  PetscCall(VecNorm(columns->b, NORM_INFINITY, &largest));
  if (largest == 0.0) {
    PetscCall(VecSet(columns->x, 0.0));
    *report = (sb_solve_report){.outcome = SB_SOLVED, .reason = NULL}; /* it does not hold for the others */
  } else {
    PetscCall(solver->solve(solver->state, columns->b, columns->x, goal, report));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode sb_columns_solve(sb_columns *columns, const sb_column_solver *solver, Vec b, Vec x, const sb_goal *goal,
                                sb_solve_report *report)
{
  sb_solve_report total = {.outcome = SB_SOLVED, .reason = "solved"};

  PetscFunctionBeginUser;
  for (PetscInt column = 0; column < COLUMNS; ++column) {
    sb_solve_report one = {.outcome = SB_FAILED, .reason = ""};
    PetscCall(VecStrideGather(b, column, columns->b, INSERT_VALUES));
    PetscCall(VecStrideGather(x, column, columns->x, INSERT_VALUES));
    PetscCall(solve_one(columns, solver, goal, &one));
    PetscCall(VecStrideScatter(columns->x, column, x, INSERT_VALUES));
    if (one.reason && sb_outcome_accepted(total.outcome)) {
      snprintf(columns->reason, sizeof columns->reason, "%s", one.reason);
      total.outcome = one.outcome;
      total.reason = columns->reason;
    }
    total.iterations = PetscMax(total.iterations, one.iterations);
  }
  *report = total;
  PetscFunctionReturn(0);
}
