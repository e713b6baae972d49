/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A net from the arrays of a program that links the library (library/springbench.h), which makes the pose itself. */
#include "model/scene/scene.h"

static bool build(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics)
{
  (void)pose;
  return sb_error_at(
      diagnostics, sb_options_blame(options, SB_ID(scene)), "E106",
      "scene 'net' has arrays from a program that links the library, which also continues them (sb_sim_load); "
      "use scene=mesh with a file");
}

const sb_scene sb_scene_net = {
    .name = "net",
    .summary = "vertices, springs and triangles from arrays, only through the library (springbench.h)",
    .origin = "a program that links the library",
    .defaults = "gravity=[0,0,-9.8] pins=none h=0.01 duration=0.01",
    .uses = "stiffness young total_mass vertex_mass",
    .build = build,
    .from_arrays = true,
};
