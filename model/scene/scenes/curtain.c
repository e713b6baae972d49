/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The curtain of Liu, Bargteil, O'Brien, Kavan, "Fast Simulation of Mass-Spring Systems" (2013): a sheet on [0, 1]^2.
 *
 * Stiffness, where neither it nor `young` is given: 15 grid, so that the sheet's stretch under its weight does not
 * depend on the resolution (150, 300, 600, 1200 at grid 10, 20, 40, 80). */
#include "model/scene/scene.h"

static bool build(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics)
{
  return sb_pose_sheet(pose, options, 0.0) || sb_scene_too_large(options, diagnostics);
}

static bool derive(sb_options *options, sb_diagnostics *diagnostics)
{
  if (sb_options_origin(options, SB_ID(stiffness)) == SB_FROM_USER) return true;
  sb_options_unset(options, SB_ID(stiffness));
  if (SB_HAS(options, young)) return true;
  char text[32];
  return sb_options_set(options, SB_ID(stiffness), sb_format_real(15.0 * (double)SB_INTEGER(options, grid), text),
                        SB_FROM_SCENE, (sb_location){0}, diagnostics);
}

const sb_scene sb_scene_curtain = {
    .name = "curtain",
    .summary = "a sheet on [0, 1]^2 with bending springs, hanging from two corners; stiffness 15 grid",
    .origin = "Liu et al. 2013",
    .defaults = "extent=1 grid=20 springs=alternating+bending total_mass=1 gravity=[0,0,-9.8] pins=corners2 "
                "integrator=implicit_euler hessian=blended h=1/30 duration=50/30",
    .uses = SB_SHEET_USES,
    .pin_sets = SB_GRID_PIN_SETS,
    .slabs = true,
    .build = build,
    .vertices = sb_scene_grid_vertices,
    .pin_set = sb_pose_grid_pins,
    .derive = derive,
};
