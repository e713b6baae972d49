/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Taylor's and Green's vortices in a periodic box, one wave each way, kx = 2 pi/width, ky = 2 pi/depth:
 *
 *     v = (-a cos kx x sin ky y, b sin kx x cos ky y) exp(-nu (kx^2 + ky^2) t)
 *
 * solves the Navier-Stokes equations (Taylor, Green: Proc. R. Soc. A 158, 1937) if a kx = b ky, which makes it free of
 * divergence. With a^2 + b^2 = 2 m^2/s^2 both are 1 m/s in a square, and the energy is the same in each box. */
#include <math.h>

#include "model/scene/tank.h"

static bool build(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics)
{
  if (SB_INTEGER(options, dimensions) != 2)
    return sb_error_at(diagnostics, sb_options_blame(options, SB_ID(dimensions)), "E104",
                       "scene 'taylor_green' has 2 dimensions");
  return sb_tank_fill(options, &(sb_tank){.width = 1, .height = 1}, pose, diagnostics);
}

static void start(const sb_options *options, sb_pose *pose)
{
  const double k[2] = {2 * acos(-1) / SB_REAL(options, width), 2 * acos(-1) / SB_REAL(options, depth)};
  const double mean = sqrt((k[0] * k[0] + k[1] * k[1]) / 2), speed[2] = {k[1] / mean, k[0] / mean};
  for (size_t i = 0; i < pose->vertices; ++i) {
    const double x = k[0] * pose->position[3 * i], y = k[1] * pose->position[3 * i + 1];
    pose->velocity[3 * i] -= speed[0] * cos(x) * sin(y);
    pose->velocity[3 * i + 1] += speed[1] * sin(x) * cos(y);
  }
}

const sb_scene sb_scene_taylor_green = {
    .name = "taylor_green",
    .summary = "vortices that decay in a periodic box",
    .origin = "Taylor and Green 1937",
    .defaults = SB_TANK_DEFAULTS
    "spacing=1/32 width=1 depth=1 gravity=[0,0,0] viscosity=0.01 disorder=0.2 "
    "relaxation=100 shifting=4 pressure_target=divergence_free pressure_solver=tao pressure_tolerance=0.01 "
    "h=0.005 duration=1",
    .uses = SB_TANK_USES,
    .particles = true,
    .periodic = 3,
    .build = build,
    .vertices = sb_tank_particles,
    .start = start,
};
