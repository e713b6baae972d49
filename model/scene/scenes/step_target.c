/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The step of implicit Euler on which the survey of Jacobson (2026) compares methods: a sheet on [0, 1]^2, held at x =
 * 0, whose inertial target stretches it to 2.6 times its width and 0.1 m down. The velocities are those that move every
 * vertex there in a step of h. Planar. */
#include "model/scene/scene.h"

#define STRETCH 2.6
#define DROP    0.1 /* m */

static bool build(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics)
{
  if (!sb_pose_sheet(pose, options, 0.0)) return sb_scene_too_large(options, diagnostics);
  pose->planar = true;
  return true;
}

/* The length of a step: h, or a frame's part. */
static double step_of(const sb_options *options)
{
  return SB_HAS(options, h) ? SB_REAL(options, h)
                            : SB_REAL(options, frame_seconds) / (double)SB_INTEGER(options, substeps);
}

static void start(const sb_options *options, sb_pose *pose)
{
  const double h = step_of(options);
  for (size_t i = 0; i < pose->vertices; ++i) {
    if (pose->pinned[i]) continue;
    pose->velocity[3 * i] += (STRETCH - 1) * pose->position[3 * i] / h;
    pose->velocity[3 * i + 1] -= DROP / h;
  }
}

const sb_scene sb_scene_step_target = {
    .name = "step_target",
    .summary = "one step of a plane sheet that is stretched to 2.6 times its width, to compare minimisers",
    .origin = "survey of elasticity solvers (Jacobson 2026)",
    .defaults = "extent=1 grid=8 springs=triangulated_right stiffness=1000 vertex_mass=1 gravity=[0,0,0] pins=min_x "
                "integrator=implicit_euler start=inertial h=1/30 duration=1/30",
    .uses = SB_SHEET_USES,
    .pin_sets = SB_GRID_PIN_SETS,
    .build = build,
    .vertices = sb_scene_grid_vertices,
    .pin_set = sb_pose_grid_pins,
    .start = start,
};
