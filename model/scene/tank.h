/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For scenes of particles: a block of fluid on a lattice in a tank, which may be periodic along some axes. The walls
 * are rows of fixed particles on the same lattice, as deep as the kernel reaches. Local. */
#pragma once

#include "model/scene/scene.h"

typedef struct {
  double width;  /* of the tank along x, in widths of the fluid; 1 where the fluid is periodic */
  double height; /* of its walls along y, in depths of the fluid */
} sb_tank;

/* Fills an empty pose with particles on the lattice, with the mass that gives the density, cell (0, 0, 0) at the
 * origin, disturbed and relaxed by the options. During relaxation a fixed lattice surrounds the block on every side
 * that is not periodic, since a free surface would spread. E104 at an option that is not a whole number of spacings, or
 * at a period below two supports. */
bool sb_tank_fill(const sb_options *options, const sb_tank *tank, sb_pose *pose, sb_diagnostics *diagnostics);

/* The number of free particles; 0 if an option that decides it is unset. */
double sb_tank_particles(const sb_options *options);

/* Common to all scenes of particles. With a free surface a pressure tolerance of a tenth is enough: results equal those
 * with a thousandth within the effect of the initial places. */
#define SB_TANK_USES                                                                                                   \
  "dimensions spacing width depth breadth density smoothing support disorder relaxation viscosity sound_speed"
#define SB_TANK_DEFAULTS                                                                                               \
  "driver=flow integrator=isph dimensions=2 density=1000 smoothing=wendland_c2 support=2.4 pins=none "
#define SB_TANK_AT_REST "disorder=0 relaxation=0 pressure_tolerance=0.01 "
