/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Report on Newton's method and projective dynamics: a stiff horizontal sheet on [0, 1]^2, falling under gravity. */
#include "model/scene/scene.h"

static bool build(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics)
{
  return sb_pose_sheet(pose, options, 0.0) || sb_scene_too_large(options, diagnostics);
}

const sb_scene sb_scene_square = {
    .name = "square",
    .summary = "a stiff sheet of unit masses on [0, 1]^2 in the plane z = 0, hanging from two corners",
    .origin = "Newton/PD report",
    .defaults = "extent=1 grid=20 springs=triangulated stiffness=1e5 vertex_mass=1 gravity=[0,0,-9.8] pins=corners2 "
                "integrator=implicit_euler h=0.01 duration=1",
    .uses = SB_SHEET_USES,
    .pin_sets = SB_GRID_PIN_SETS,
    .slabs = true,
    .build = build,
    .vertices = sb_scene_grid_vertices,
    .pin_set = sb_pose_grid_pins,
};
