/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A column of fluid that is twice as high as wide, released in a long tank (Martin, Moyce: Phil. Trans. R. Soc. A 244,
 * 1952). In units of its width a and of sqrt(a/2g) the front is at 4.1 a at the time 3.3, and the tank is longer than
 * that.
 */
#include "model/scene/tank.h"

static bool build(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics)
{
  return sb_tank_fill(options, &(sb_tank){.width = 6, .height = 1.25}, pose, diagnostics);
}

const sb_scene sb_scene_dam_break = {
    .name = "dam_break",
    .summary = "a column of fluid, released in a corner of a tank that is six times as wide",
    .origin = "Martin and Moyce 1952",
    .defaults = SB_TANK_DEFAULTS SB_TANK_AT_REST
    "spacing=0.1 width=1 depth=2 gravity=[0,-1,0] viscosity=0 h=0.005 duration=2.4",
    .uses = SB_TANK_USES,
    .particles = true,
    .build = build,
    .vertices = sb_tank_particles,
};
