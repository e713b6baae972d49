/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A chain of masses at spacing 1 along x on equal springs, started in one of its modes. Planar.
 *
 * n free masses p = 1..n; fixed ends are further vertices, pinned, before and after them. The masses are equal, or two
 * in turn (second_mass). The start is `amplitude` times mode `initial_mode` (chain_modes.h). */
#include "model/scene/scene.h"

#include <inttypes.h>
#include <string.h>

#include "model/scene/chain_modes.h"

/* Across a free end neighbours move alike, so it would need equal masses there. */
static bool check_ends(const sb_options *options, sb_diagnostics *diagnostics)
{
  if (!SB_HAS(options, second_mass) || SB_IS(options, ends, "fixed_fixed")) return true;
  return sb_error_at(diagnostics, sb_options_blame(options, SB_ID(ends)), "E106",
                     "a chain with a second_mass can start in a mode only between fixed ends; got ends=%s",
                     SB_TEXT(options, ends));
}

static bool build(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics)
{
  const int32_t n = (int32_t)SB_INTEGER(options, nodes);
  const int64_t mode = SB_INTEGER(options, initial_mode);
  const bool    left = !SB_IS(options, ends, "free_free"), right = SB_IS(options, ends, "fixed_fixed");
  if (!check_ends(options, diagnostics)) return false;
  if (mode > n - !left)
    return sb_error_at(diagnostics, sb_options_blame(options, SB_ID(initial_mode)), "E104",
                       "initial_mode is %" PRId64 ", but a %s chain of %" PRId32 " masses has the modes 1 to %" PRId32,
                       mode, SB_TEXT(options, ends), n, n - !left);
  const int32_t vertices = n + left + right;
  bool          good = sb_pose_allocate(pose, (size_t)vertices);
  pose->planar = true;
  for (int32_t i = 0; good && i < vertices; ++i) pose->position[3 * i] = i;
  const double stiffness = sb_scene_stiffness(options, SB_STRUCTURAL);
  for (int32_t i = 0; good && i + 1 < vertices; ++i)
    good = sb_pose_add_spring(pose, i, i + 1, stiffness, SB_STRUCTURAL);
  if (!good) return sb_scene_too_large(options, diagnostics);
  if (left) pose->pinned[0] = true;
  if (right) pose->pinned[vertices - 1] = true;
  const double        amplitude = SB_REAL(options, amplitude);
  const double        first = SB_HAS(options, vertex_mass) ? SB_REAL(options, vertex_mass) : 1;
  const double        second = SB_HAS(options, second_mass) ? SB_REAL(options, second_mass) : first;
  const sb_chain_mode shape = sb_chain_mode_of(options, 1, first, second);
  for (int32_t p = 1; p <= n; ++p)
    pose->position[3 * (p - !left)] += amplitude * sb_chain_displacement(options, &shape, p);
  return true;
}

static double vertices(const sb_options *options)
{
  return sb_scene_nodes(options) + !SB_IS(options, ends, "free_free") + SB_IS(options, ends, "fixed_fixed");
}

const sb_scene sb_scene_chain = {
    .name = "chain",
    .summary = "masses at spacing 1 on x, equal or two in turn, starting in mode `initial_mode`",
    .origin = "textbook",
    .defaults = "nodes=10 ends=fixed_fixed stiffness=1 vertex_mass=1 initial_mode=1 amplitude=0.01 gravity=[0,0,0] "
                "pins=none h=0.01 duration=10",
    .uses = "nodes ends initial_mode amplitude stiffness young total_mass vertex_mass second_mass",
    .build = build,
    .vertices = vertices,
};
