/* Rope exercise: a hanging rope of point masses, released from the horizontal. Planar. */
#include "model/scene.h"

static bool build(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics)
{
  const int32_t nodes = (int32_t)SB_INTEGER(options, nodes);
  bool          good = sb_pose_allocate(pose, (size_t)nodes);
  pose->planar = true;
  for (int32_t i = 0; good && i < nodes; ++i) {
    pose->position[3 * i] = -400.0 * i / (nodes - 1);
    pose->position[3 * i + 1] = 200.0;
  }
  const double stiffness = sb_scene_stiffness(options, SB_STRUCTURAL);
  for (int32_t i = 0; good && i + 1 < nodes; ++i) good = sb_pose_add_spring(pose, i, i + 1, stiffness, SB_STRUCTURAL);
  return good || sb_scene_too_large(options, diagnostics);
}

const sb_scene sb_scene_rope = {
    .name = "rope",
    .summary = "point masses on a horizontal line of 400 m, hanging from the first",
    .origin = "rope exercise",
    .defaults =
        "nodes=16 vertex_mass=1 stiffness=100 gravity=[0,-1,0] pins=first substeps=64 frames=100 frame_seconds=1",
    .uses = "nodes stiffness young total_mass vertex_mass",
    .pin_sets = "none first min_x",
    .build = build,
};
