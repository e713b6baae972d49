/* Three right-hand sides of one scalar system, one after the other, for backends that know only one. */
#pragma once

#include "solvers/linear/linear_backend.h"

/* One column of b and one of x. Zeroed before create. */
typedef struct {
  Vec b, x;
} sb_columns;

/* Who solves for one column. */
typedef struct {
  PetscErrorCode (*solve)(void *state, Vec b, Vec x, const sb_goal *goal, sb_report *report);
  void *state;
} sb_column_solver;

/* Collective. Destroy accepts what was never created. */
PetscErrorCode sb_columns_create(Mat A, sb_columns *columns);
PetscErrorCode sb_columns_destroy(sb_columns *columns);
/* Solves column by column: iterations are summed, outcome and reason are those of the first column that is not
 * accepted. A column that is zero gets the solution zero without a solve. Allocates nothing. Collective. */
PetscErrorCode sb_columns_solve(const sb_columns *columns, const sb_column_solver *solver, Vec b, Vec x,
                                const sb_goal *goal, sb_report *report);
