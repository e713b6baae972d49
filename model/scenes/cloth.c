/* Cloth exercise: a horizontal sheet on [-1, 1]^2, two corners pinned, falling under gravity along z. */
#include "model/scene.h"

static bool build(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics)
{
  static const double origin[3] = {-1.0, -1.0, 0.0}, u[3] = {2.0, 0.0, 0.0}, v[3] = {0.0, 2.0, 0.0};
  return sb_pose_grid(pose, options, origin, u, v) || sb_scene_too_large(options, diagnostics);
}

const sb_scene sb_scene_cloth = {
    .name = "cloth",
    .summary = "a sheet on [-1, 1]^2 in the plane z = 0, hanging from two corners",
    .origin = "cloth exercise",
    .defaults = "grid=10 springs=triangulated stiffness=1000 total_mass=1 gravity=[0,0,-9.8] pins=corners2 h=0.01 "
                "duration=1",
    .uses = SB_GRID_USES,
    .pin_sets = SB_GRID_PIN_SETS,
    .build = build,
    .pin_set = sb_pose_grid_pins,
};
