/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A column of fluid at rest in a tank: its pressure is that of its weight. */
#include "model/scene/tank.h"

static bool build(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics)
{
  return sb_tank_fill(options, &(sb_tank){.width = 1, .height = 1.25}, pose, diagnostics);
}

const sb_scene sb_scene_column = {
    .name = "column",
    .summary = "a fluid at rest between walls, to settle under gravity",
    .origin = "hydrostatics",
    .defaults = SB_TANK_DEFAULTS SB_TANK_AT_REST
    "spacing=0.1 width=1 depth=1 gravity=[0,-1,0] viscosity=0.01 h=0.005 duration=10",
    .uses = SB_TANK_USES,
    .particles = true,
    .build = build,
    .vertices = sb_tank_particles,
};
