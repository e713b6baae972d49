/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Direct solvers in two halves: their own library on one rank, MUMPS on several. The state of such a backend has an
 * sb_direct as its first member, followed by the state of its serial half; its table has the functions below. */
#pragma once

#include "solvers/linear/mumps.h"

/* The serial half: as the functions of sb_linear_backend, on its own state, zeroed before configure. */
typedef struct {
  PetscErrorCode (*configure)(void *half, int columns);
  PetscErrorCode (*analyze)(void *half, Mat A);
  sb_factor_forecast (*predict)(const void *half); /* after analyze; NULL: unknown */
  PetscErrorCode (*factorize)(void *half, Mat A, sb_outcome *outcome, sb_factor_facts *facts);
  PetscErrorCode (*solve)(void *half, Vec b, Vec x, sb_solve_report *report);
  PetscErrorCode (*solve_columns)(void *half, Vec b, Vec x, sb_solve_report *report);
  PetscErrorCode (*destroy)(void *half); /* also after a configure that failed */
} sb_direct_half;

typedef struct {
  const sb_direct_half *serial; /* NULL on several ranks */
  void                 *half;   /* its state, inside the backend's */
  sb_mumps              mumps;
} sb_direct;

/* Chooses the half; for the configure of a backend. `kind` is the factorisation that MUMPS computes. */
PetscErrorCode sb_direct_configure(sb_direct *direct, MPI_Comm comm, MatFactorType kind, const sb_direct_half *serial,
                                   void *half, int columns);

PetscErrorCode sb_direct_analyze(void *state, Mat A, bool definite);
PetscErrorCode sb_direct_predict(const void *state, sb_factor_forecast *price);
PetscErrorCode sb_direct_factor(void *state, Mat A, sb_outcome *outcome, sb_factor_facts *facts);
PetscErrorCode sb_direct_solve(void *state, Vec b, Vec x, const sb_goal *goal, sb_solve_report *report);
PetscErrorCode sb_direct_solve_columns(void *state, Vec b, Vec x, const sb_goal *goal, sb_solve_report *report);
PetscErrorCode sb_direct_destroy(void *state);
