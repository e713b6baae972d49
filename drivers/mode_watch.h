/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The amplitude of the fastest mode of a net while the net moves; linear theory gives its growth. Collective. */
#pragma once

#include "model/system/system.h"

typedef struct {
  const sb_system *system;
  double           omega;  /* rad/s */
  double          *length; /* [springs.count] m: change of length of each spring per unit of the mode */
  double           square; /* sum k length^2 over all springs */
  double           strain; /* largest length/rest length */
} sb_mode_watch;

/* `shape` (full) is the mode at the pose x. Clear it in either case. */
PetscErrorCode sb_mode_watch_create(const sb_system *system, Vec x, Vec shape, double omega, sb_mode_watch *watch);
/* The largest strain that the mode by itself causes in a spring at its current amplitude. */
PetscErrorCode sb_mode_watch_strain(const sb_mode_watch *watch, Vec x, Vec v, double *strain);
void           sb_mode_watch_clear(sb_mode_watch *watch);
