/* Sparse Cholesky on one rank by CHOLMOD; the serial half of backend cholesky. */
#pragma once

#include <cholmod.h>

#include "solvers/linear/linear_backend.h"

/* Zeroed before configure. */
typedef struct {
  cholmod_common  common;
  bool            started;
  int             columns;
  cholmod_factor *symbolic; /* the analysis, where `factor` does not keep it: three columns */
  cholmod_factor *factor;
  cholmod_dense  *work_y, *work_e; /* CHOLMOD's own, kept between solves */
  double         *by_columns;      /* [2][3 n] right-hand sides, then solutions: three columns */
  double          nonzeros, flops;
} sb_cholmod;

PetscErrorCode sb_cholmod_configure(sb_cholmod *c, int columns);
PetscErrorCode sb_cholmod_analyze(sb_cholmod *c, Mat A);
PetscErrorCode sb_cholmod_factorize(sb_cholmod *c, Mat A, sb_outcome *outcome, sb_factor_facts *facts);
PetscErrorCode sb_cholmod_solve(sb_cholmod *c, Vec b, Vec x, sb_report *report);
PetscErrorCode sb_cholmod_solve_columns(sb_cholmod *c, Vec b, Vec x, sb_report *report);
PetscErrorCode sb_cholmod_destroy(sb_cholmod *c);
