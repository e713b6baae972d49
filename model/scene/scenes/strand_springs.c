/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The strand of TinyVBD (Chen 2024) whose springs are soft and stiff in turn, on a line that rises by 30 degrees.
 * Planar.
 */
#include "model/scene/scene.h"

#define SPACING 0.05    /* m, along x */
#define SLOPE   0.57735 /* as its source has it */

static bool build(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics)
{
  const int32_t nodes = (int32_t)SB_INTEGER(options, nodes);
  bool          good = sb_pose_allocate(pose, (size_t)nodes);
  pose->planar = true;
  for (int32_t i = 0; good && i < nodes; ++i) {
    pose->position[3 * i] = SPACING * i;
    pose->position[3 * i + 1] = 2 + SLOPE * SPACING * i;
  }
  for (int32_t i = 0; good && i + 1 < nodes; ++i)
    good = sb_pose_add_spring(
        pose, i, i + 1, SB_REAL(options, stiffness) * (i % 2 ? SB_REAL(options, stiffness_ratio) : 1), SB_STRUCTURAL);
  return good || sb_scene_too_large(options, diagnostics);
}

const sb_scene sb_scene_strand_springs = {
    .name = "strand_springs",
    .summary = "a strand of soft and ten thousand times stiffer springs in turn, hanging from its first vertex",
    .origin = "TinyVBD (Chen 2024)",
    .defaults = "nodes=5 vertex_mass=0.1 stiffness=1e4 stiffness_ratio=1e4 gravity=[0,-10,0] pins=first "
                "integrator=implicit_euler h=1/60 duration=5",
    .uses = "nodes stiffness stiffness_ratio total_mass vertex_mass",
    .build = build,
    .vertices = sb_scene_nodes,
};
