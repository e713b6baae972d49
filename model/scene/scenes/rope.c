/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rope exercise: point masses on a straight line, hanging from the first and released. Planar if the line is level in
 * z: gravity of the exercise keeps it in its plane, and noise does. */
#include "model/scene/scene.h"

static bool build(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics)
{
  const int32_t nodes = (int32_t)SB_INTEGER(options, nodes);
  const double *from = SB_VECTOR(options, rope_from), *to = SB_VECTOR(options, rope_to);
  if (from[0] == to[0] && from[1] == to[1] && from[2] == to[2])
    return sb_error_at(diagnostics, sb_options_blame(options, SB_ID(rope_to)), "E104",
                       "the rope starts and ends at %s: rope_from and rope_to must differ", SB_TEXT(options, rope_to));
  bool good = sb_pose_allocate(pose, (size_t)nodes);
  pose->planar = from[2] == to[2];
  for (int32_t i = 0; good && i < nodes; ++i)
    for (int c = 0; c < 3; ++c) pose->position[3 * i + c] = from[c] + (to[c] - from[c]) * i / (nodes - 1);
  const double stiffness = sb_scene_stiffness(options, SB_STRUCTURAL);
  for (int32_t i = 0; good && i + 1 < nodes; ++i) good = sb_pose_add_spring(pose, i, i + 1, stiffness, SB_STRUCTURAL);
  return good || sb_scene_too_large(options, diagnostics);
}

const sb_scene sb_scene_rope = {
    .name = "rope",
    .summary = "point masses on a line from rope_from to rope_to, hanging from the first",
    .origin = "rope exercise",
    .defaults = "nodes=16 rope_from=[0,200,0] rope_to=[-400,200,0] vertex_mass=1 stiffness=100 gravity=[0,-1,0] "
                "pins=first substeps=64 frames=100 frame_seconds=1",
    .uses = "nodes rope_from rope_to stiffness young total_mass vertex_mass",
    .build = build,
    .vertices = sb_scene_nodes,
};
