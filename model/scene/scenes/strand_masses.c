/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The strand of TinyVBD (Chen 2024) on which vertex block descent is compared with position-based dynamics. It has
 * stiff springs, weak springs between second neighbours, and one heavy vertex at the end, at twice the spacing of the
 * others, on a line that rises by 30 degrees. Planar. */
#include "model/scene/scene.h"

#define SPACING 0.05    /* m, along x */
#define SLOPE   0.57735 /* as its source has it */

static bool build(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics)
{
  const int32_t nodes = (int32_t)SB_INTEGER(options, nodes);
  bool          good = sb_pose_allocate(pose, (size_t)nodes);
  pose->planar = true;
  for (int32_t i = 0; good && i < nodes; ++i) {
    const double along = SPACING * (i + (i == nodes - 1));
    pose->position[3 * i] = along;
    pose->position[3 * i + 1] = 2 + SLOPE * along;
  }
  for (int32_t i = 0; good && i + 1 < nodes; ++i) {
    good = sb_pose_add_spring(pose, i, i + 1, sb_scene_stiffness(options, SB_STRUCTURAL), SB_STRUCTURAL);
    if (good && i + 2 < nodes)
      good = sb_pose_add_spring(pose, i, i + 2, sb_scene_stiffness(options, SB_BENDING), SB_BENDING);
  }
  return good || sb_scene_too_large(options, diagnostics);
}

const sb_scene sb_scene_strand_masses = {
    .name = "strand_masses",
    .summary = "a stiff strand with a thousandfold mass at its end, hanging from its first vertex",
    .origin = "TinyVBD (Chen 2024)",
    .defaults =
        "nodes=20 vertex_mass=1 last_mass=1000 stiffness=1e8 stiffness_bending=100 gravity=[0,-10,0] pins=first "
        "integrator=implicit_euler h=1/60 duration=5",
    .uses = "nodes stiffness stiffness_bending total_mass vertex_mass last_mass",
    .build = build,
    .vertices = sb_scene_nodes,
};
