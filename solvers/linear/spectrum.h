/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ends of the spectrum of M^-1 A, estimated by a few iterations of conjugate gradients with M as preconditioner,
 * whose Ritz values lie inside the spectrum (Golub, Van Loan 2013, section 10.1). */
#pragma once

#include <petscksp.h>
#include <stdbool.h>

/* Factor on the largest Ritz value, which is below the end of the spectrum: docs/decisions/iterative_solvers.md. */
#define SB_SPECTRUM_MARGIN 1.1

typedef struct {
  KSP ksp;
  PetscErrorCode (*apply)(void *context, Vec r, Vec z); /* z = M^-1 r, for one column */
  void *context;
} sb_spectrum;

typedef struct {
  double low, high; /* high with the margin; 0 if not definite */
  bool   definite;  /* no direction of negative curvature was found */
} sb_spectrum_ends;

/* `spectrum` has apply and context set, and must not move in memory. For matrices that are not symmetric it uses GMRES:
 * the ends are the extreme singular values of its Hessenberg matrix, which are between those of M^-1 A; they bound
 * nothing. Destroy accepts a struct that was never created. Collective. */
PetscErrorCode sb_spectrum_create(Mat A, bool symmetric, sb_spectrum *spectrum);
PetscErrorCode sb_spectrum_destroy(sb_spectrum *spectrum);
/* Estimates the ends, from a start without symmetry that is the same on any number of ranks. Collective. */
PetscErrorCode sb_spectrum_measure(sb_spectrum *spectrum, Mat A, sb_spectrum_ends *ends);
