/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of backends with iterations x+ = x + a correction from the residual (jacobi, sor and chebyshev): their loop
 * and its stopping rule, D^-1 and the spectrum. Columns iterate together until each is within tolerance, as if each
 * were solved by itself. */
#pragma once

#include "solvers/linear/block_diagonal.h"
#include "solvers/linear/linear_backend.h"
#include "solvers/linear/spectrum.h"

/* The first member of a backend's state; `configure` sets the first three. */
typedef struct {
  int columns;
  /* Changes x, which has the residual r = b - A x after k iterations. */
  PetscErrorCode (*advance)(void *state, Vec b, Vec r, Vec x, PetscInt k);
  const char       *diverging; /* the reason given if the residual grows 10000 times or is not finite */
  Mat               product;   /* A, or A (x) I_3 for three columns */
  Vec               residual;  /* b's shape */
  sb_block_diagonal diagonal;  /* D^-1, where the backend creates it */
  sb_spectrum       spectrum;  /* of M^-1 A, likewise */
} sb_stationary;

/* Creates product and residual, replacing earlier ones. Collective. */
PetscErrorCode sb_stationary_create(Mat A, sb_stationary *loop);
/* Creates the spectrum of D^-1 A. Collective. */
PetscErrorCode sb_stationary_create_spectrum(Mat A, bool symmetric, sb_stationary *loop);
/* As functions of a backend, with its state. Destroys all five; a zeroed state is accepted. Collective. */
PetscErrorCode sb_stationary_destroy(void *state);
/* Residuals are relative to |b|_2, column by column. Allocates nothing. Collective. */
PetscErrorCode sb_stationary_solve(void *state, Vec b, Vec x, const sb_goal *goal, sb_solve_report *report);

/* The outcome of `factor`: SB_SINGULAR if a diagonal block is. */
void sb_judge_diagonal(bool singular, sb_outcome *outcome, sb_factor_facts *facts);
/* SB_NOT_SPD or SB_FAILED with these reasons if the spectrum is not that of a definite matrix, or is not usable. */
void sb_judge_spectrum(bool definite, const char *indefinite, bool usable, const char *useless, sb_outcome *outcome,
                       sb_factor_facts *facts);
