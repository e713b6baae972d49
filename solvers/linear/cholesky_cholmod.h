/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sparse Cholesky on one rank by CHOLMOD; the serial half of backend cholesky. */
#pragma once

#include <cholmod.h>

#include "solvers/linear/direct.h"

/* Zeroed before configure. */
typedef struct {
  cholmod_common  common;
  bool            started;
  int             columns;
  cholmod_factor *symbolic; /* three columns: the analysis, which `factor` does not keep */
  cholmod_factor *factor;
  cholmod_dense  *work_y, *work_e; /* CHOLMOD's own, kept between solves */
  double         *by_columns;      /* [2][3 n] right-hand sides, then solutions: three columns */
  PetscInt       *diagonal;        /* [n] their positions in the values of the analysed pattern */
  double          nonzeros, flops;
} sb_cholmod;

extern const sb_direct_half sb_cholmod_half; /* on an sb_cholmod */
