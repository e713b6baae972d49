/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The frequencies that limit explicit steps, by SLEPc. Collective. */
#pragma once

#include "model/system/system.h"

/* omega: the largest natural frequency, rad/s, of K u = omega^2 M u with the exact Hessian K over free vertices at the
 * pose x. damping: the rate of drag and dampers for that mode, 1/s: u.C u / u.M u. `shape` (full) is the mode, with
 * arbitrary scale. */
typedef struct {
  double omega, damping;
} sb_fastest_mode;
PetscErrorCode sb_frequency_max(sb_system *system, Vec x, sb_fastest_mode *fastest, Vec shape);
/* tolerance: of the eigenvalue, relative, for what is recorded. */
#define SB_FREQUENCY_TOLERANCE 1e-10
/* sqrt(lambda_max(M^-1 L)), L the scalar matrix of all stiffnesses: an upper bound of omega_max in every
 * state. */
PetscErrorCode sb_frequency_any_stretch(sb_system *system, double tolerance, double *omega);
