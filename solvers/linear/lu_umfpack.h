/* Sparse LU on one rank by UMFPACK; the serial half of backend lu. */
#pragma once

#include <umfpack.h>

#include "solvers/linear/linear_backend.h"

/* Zeroed before configure. */
typedef struct {
  double  control[UMFPACK_CONTROL];
  void   *symbolic, *numeric;
  int     rows;
  int    *integers;  /* [rows] workspace of a solve */
  double *reals;     /* [rows] the same */
  double *by_column; /* [2][rows] one right-hand side and its solution: three columns */
} sb_umfpack;

PetscErrorCode sb_umfpack_configure(sb_umfpack *u);
PetscErrorCode sb_umfpack_analyze(sb_umfpack *u, Mat A);
PetscErrorCode sb_umfpack_factorize(sb_umfpack *u, Mat A, sb_outcome *outcome, sb_factor_facts *facts);
PetscErrorCode sb_umfpack_solve(sb_umfpack *u, Vec b, Vec x, sb_report *report);
PetscErrorCode sb_umfpack_solve_columns(sb_umfpack *u, Vec b, Vec x, sb_report *report);
PetscErrorCode sb_umfpack_destroy(sb_umfpack *u);
