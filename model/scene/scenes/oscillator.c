/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The linear oscillator: one mass on a spring along x, displaced by `amplitude` from rest length 1. Planar. */
#include "model/scene/scene.h"

static bool build(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics)
{
  bool good = sb_pose_allocate(pose, 2);
  if (good) {
    pose->position[3] = 1.0;
    good = sb_pose_add_spring(pose, 0, 1, sb_scene_stiffness(options, SB_STRUCTURAL), SB_STRUCTURAL);
    pose->position[3] = 1.0 + SB_REAL(options, amplitude);
  }
  pose->planar = true;
  return good || sb_scene_too_large(options, diagnostics);
}

static double vertices(const sb_options *options)
{
  (void)options;
  return 2;
}

const sb_scene sb_scene_oscillator = {
    .name = "oscillator",
    .summary = "one mass on a spring of length 1 along x, displaced by `amplitude`",
    .origin = "textbook",
    .defaults = "stiffness=4 vertex_mass=1 amplitude=0.1 gravity=[0,0,0] pins=first h=0.01 duration=10",
    .uses = "amplitude stiffness young total_mass vertex_mass",
    .build = build,
    .vertices = vertices,
};
