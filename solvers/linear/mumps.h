/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sparse factorisations on several ranks by MUMPS through PETSc; the parallel halves of backends cholesky and lu. */
#pragma once

#include "solvers/linear/columns.h"

/* Zeroed before analyze, except the kind. */
typedef struct {
  MatFactorType kind; /* MAT_FACTOR_CHOLESKY, which finds negative pivots, or MAT_FACTOR_LU */
  Mat           factor;
  sb_columns    one_column;
} sb_mumps;

PetscErrorCode sb_mumps_analyze(sb_mumps *m, Mat A);
/* MUMPS's estimate from its analysis for all ranks. */
PetscErrorCode sb_mumps_predict(const sb_mumps *m, sb_factor_forecast *price);
PetscErrorCode sb_mumps_factorize(sb_mumps *m, Mat A, sb_outcome *outcome, sb_factor_facts *facts);
PetscErrorCode sb_mumps_solve(sb_mumps *m, Vec b, Vec x, sb_solve_report *report);
PetscErrorCode sb_mumps_solve_columns(sb_mumps *m, Vec b, Vec x, const sb_goal *goal, sb_solve_report *report);
PetscErrorCode sb_mumps_destroy(sb_mumps *m);
