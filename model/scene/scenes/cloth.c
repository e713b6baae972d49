/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cloth exercise: a horizontal sheet on [-1, 1]^2, two corners pinned, falling under gravity along z. */
#include "model/scene/scene.h"

static bool build(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics)
{
  return sb_pose_sheet(pose, options, -0.5) || sb_scene_too_large(options, diagnostics);
}

const sb_scene sb_scene_cloth = {
    .name = "cloth",
    .summary = "a sheet on [-1, 1]^2 in the plane z = 0, hanging from two corners",
    .origin = "cloth exercise",
    .defaults =
        "extent=2 grid=10 springs=triangulated stiffness=1000 total_mass=1 gravity=[0,0,-9.8] pins=corners2 h=0.001 "
        "duration=1",
    .uses = SB_SHEET_USES,
    .pin_sets = SB_GRID_PIN_SETS,
    .slabs = true,
    .build = build,
    .vertices = sb_scene_grid_vertices,
    .pin_set = sb_pose_grid_pins,
};
