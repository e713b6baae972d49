/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cloth-on-sphere report: a free sheet of n = grid + 1 vertices a side at y = 0.6 falls on a ball at the origin.
 *
 * Vertex (i, j) is at ((i + 1/2)/n - 1/2, 0.6, (j + 1/2)/n - 1/2): spacing 1/n, symmetric to the bit. Springs go to
 * every neighbour with |di| + |dj| <= 2 and have the stiffness 3e4/length; their dampers, where `spring_damping` is not
 * given, 1e4/n. */
#include "model/scene/scene.h"

static bool build(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics)
{
  const double     n = (double)SB_INTEGER(options, grid) + 1.0;
  const sb_lattice lattice = {{1.0 - n, 0.0, 1.0 - n}, {2.0, 0.0, 0.0}, {0.0, 0.0, 2.0}, 2.0 * n};
  if (!sb_pose_grid(pose, options, &lattice)) return sb_scene_too_large(options, diagnostics);
  for (size_t i = 0; i < pose->vertices; ++i) pose->position[3 * i + 1] = 0.6;
  return true;
}

static bool derive(sb_options *options, sb_diagnostics *diagnostics)
{
  if (sb_options_origin(options, SB_ID(spring_damping)) == SB_FROM_USER) return true;
  char text[32];
  sb_format_real(1e4 / ((double)SB_INTEGER(options, grid) + 1.0), text);
  return sb_options_set(options, SB_ID(spring_damping), text, SB_FROM_SCENE, (sb_location){0}, diagnostics);
}

const sb_scene sb_scene_cloth_on_sphere = {
    .name = "cloth_on_sphere",
    .summary = "a free sheet that falls on a ball and drapes it; spring damping 1e4/(grid + 1)",
    .origin = "cloth-on-sphere report",
    .defaults = "grid=31 springs=crossed+bending young=3e4 vertex_mass=1 damping_rate=1 gravity=[0,-9.8,0] pins=none "
                "contact=cancel_velocity collider=sphere:centre=[0,0,0],radius=0.3 margin=1 h=1e-4 duration=2",
    .uses = SB_GRID_USES,
    .pin_sets = SB_GRID_PIN_SETS,
    .slabs = true,
    .build = build,
    .vertices = sb_scene_grid_vertices,
    .pin_set = sb_pose_grid_pins,
    .derive = derive,
};
