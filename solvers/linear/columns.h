/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Three right-hand sides of one scalar system, one after the other, for backends that solve only one. */
#pragma once

#include "solvers/linear/linear_backend.h"

/* One column of b and one of x. Zeroed before create. */
typedef struct {
  Vec  b, x;
  char reason[240]; /* of the first column that was not accepted, copied because a later solve may overwrite the
                     * backend's text */
} sb_columns;

/* The solver of one column. */
typedef struct {
  PetscErrorCode (*solve)(void *state, Vec b, Vec x, const sb_goal *goal, sb_solve_report *report);
  void *state;
} sb_column_solver;

/* Collective. Destroy accepts a struct that was never created. */
PetscErrorCode sb_columns_create(Mat A, sb_columns *columns);
PetscErrorCode sb_columns_destroy(sb_columns *columns);
/* Solves all columns, one by one (the front may still find them solved). Outcome and reason are those of the first that
 * is not accepted, iterations the maximum over columns. A zero column has the solution zero without a solve. Allocates
 * nothing. Collective. */
PetscErrorCode sb_columns_solve(sb_columns *columns, const sb_column_solver *solver, Vec b, Vec x, const sb_goal *goal,
                                sb_solve_report *report);
