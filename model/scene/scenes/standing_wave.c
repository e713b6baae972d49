/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A standing wave of small amplitude a in a basin of depth d that is periodic along x, one wave long: it starts flat,
 * with the velocity of linear theory (Lamb: Hydrodynamics, section 228),
 *
 *     v = a omega (-sin kx cosh ky, cos kx sinh ky)/sinh kd,   omega^2 = g k tanh kd */
#include <math.h>

#include "model/scene/tank.h"

static bool build(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics)
{
  if (SB_INTEGER(options, dimensions) != 2)
    return sb_error_at(diagnostics, sb_options_blame(options, SB_ID(dimensions)), "E104",
                       "scene 'standing_wave' has 2 dimensions");
  if (!(SB_VECTOR(options, gravity)[1] < 0))
    return sb_error_at(diagnostics, sb_options_blame(options, SB_ID(gravity)), "E104",
                       "scene 'standing_wave' needs gravity that pulls along -y, such as gravity=[0,-1,0]");
  return sb_tank_fill(options, &(sb_tank){.width = 1, .height = 1.25}, pose, diagnostics);
}

static void start(const sb_options *options, sb_pose *pose)
{
  const double k = 2 * acos(-1) / SB_REAL(options, width), depth = SB_REAL(options, depth);
  const double omega = sqrt(-SB_VECTOR(options, gravity)[1] * k * tanh(k * depth));
  const double speed = SB_REAL(options, amplitude) * omega / sinh(k * depth);
  for (size_t i = 0; i < pose->vertices; ++i) {
    const double x = k * pose->position[3 * i], y = k * pose->position[3 * i + 1];
    if (pose->pinned[i]) continue;
    pose->velocity[3 * i] -= speed * sin(x) * cosh(y);
    pose->velocity[3 * i + 1] += speed * cos(x) * sinh(y);
  }
}

const sb_scene sb_scene_standing_wave = {
    .name = "standing_wave",
    .summary = "a wave of small amplitude in a periodic basin, starting from a flat surface",
    .origin = "linear theory of waves",
    .defaults = SB_TANK_DEFAULTS SB_TANK_AT_REST
    "spacing=0.1 width=2 depth=1 amplitude=0.05 gravity=[0,-1,0] viscosity=0 h=0.002 duration=8",
    .uses = SB_TANK_USES " amplitude",
    .particles = true,
    .periodic = 1,
    .build = build,
    .vertices = sb_tank_particles,
    .start = start,
};
