/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Common parts of drivers of particles. */
#pragma once

#include "drivers/setup.h"

/* Options of the pressure system, for `uses` of both. */
#define SB_PRESSURE_USES                                                                                               \
  "pressure_solver pressure_target laplacian pressure_matrix pressure_tolerance density_tolerance "                    \
  "pressure_max_iterations pressure_shift"

/* Extents of the fluid at the start, m, and the size of gravity, m/s^2. */
typedef struct {
  double width, depth, gravity;
} sb_fluid_scales;
sb_fluid_scales sb_fluid_scales_of(const sb_options *options);

/* The mean and the largest density of free particles over the rest density, less 1; the mean of the positive part. */
typedef struct {
  double mean, most, excess;
} sb_density_error;
sb_density_error sb_fluid_density_error(const sb_fluid *fluid);

/* Number of free particles outside of the tank, position [count][3]: below its floor or beyond a side wall by more than
 * half a spacing, where the first row of wall particles is. The tank is open above. */
size_t sb_fluid_lost(const sb_fluid *fluid, const double *position);
