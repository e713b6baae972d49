/* For scenes of particles: a block of fluid on a lattice in a tank, whose walls are rows of fixed particles on the same
 * lattice, as deep as the kernel reaches; periodic along some axes. Local. */
#pragma once

#include "model/scene/scene.h"

typedef struct {
  double width;  /* of the tank along x, in those of the fluid; 1 where the fluid is periodic */
  double height; /* of its walls along y, in depths of the fluid */
} sb_tank;

/* Fills an empty pose: particles of the lattice with the mass that gives it its density, cell (0, 0, 0) at the origin,
 * disturbed and relaxed as options say. While the block relaxes it is among a fixed lattice on every side that is not
 * periodic, for a free surface would spread. E104 at an option that is no whole number of spacings, or a period that
 * the support does not fit into twice. */
bool sb_tank_fill(const sb_options *options, const sb_tank *tank, sb_pose *pose, sb_diagnostics *diagnostics);

/* What every scene of particles has. To solve for pressures up to a tenth of what none would leave is enough for those
 * with a free surface: their answers are those of a thousandth, within what the places at the start make of them. */
#define SB_TANK_USES                                                                                                   \
  "dimensions spacing width depth breadth density smoothing support disorder relaxation viscosity sound_speed"
#define SB_TANK_DEFAULTS                                                                                               \
  "driver=flow integrator=isph dimensions=2 density=1000 smoothing=wendland_c2 support=2.4 pins=none "
#define SB_TANK_AT_REST "disorder=0 relaxation=0 pressure_tolerance=0.01 "
