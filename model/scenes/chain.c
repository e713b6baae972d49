/* A chain of equal masses and springs along x, started in one of its modes. Planar.
 *
 * n free masses p = 1..n; fixed ends are further vertices, pinned, before and after them. Displacement of mode j:
 *   fixed_fixed  sin(j pi p/(n + 1)),             omega = 2 sqrt(k/m) sin(j pi/(2(n + 1)))
 *   fixed_free   sin((2j - 1) pi p/(2n + 1)),     omega = 2 sqrt(k/m) sin((2j - 1) pi/(2(2n + 1)))
 *   free_free    cos(j pi (p - 1/2)/n), j < n,    omega = 2 sqrt(k/m) sin(j pi/(2n))
 * They solve 2u_p - u_{p-1} - u_{p+1} = (omega^2 m/k) u_p with u = 0 at a fixed end and equal neighbours across a free
 * one. The start is `amplitude` times the mode. */
#include "model/scene.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static double mode_shape(bool fixed_left, bool fixed_right, int64_t mode, double p, double n)
{
  const double pi = 3.14159265358979323846;
  if (fixed_left && fixed_right) return sin((double)mode * pi * p / (n + 1.0));
  if (fixed_left) return sin((double)(2 * mode - 1) * pi * p / (2.0 * n + 1.0));
  return cos((double)mode * pi * (p - 0.5) / n);
}

static bool build(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics)
{
  const int32_t n = (int32_t)SB_INTEGER(options, nodes);
  const int64_t mode = SB_INTEGER(options, initial_mode);
  const bool    left = !SB_IS(options, ends, "free_free"), right = SB_IS(options, ends, "fixed_fixed");
  if (mode > n - !left)
    return sb_error_at(diagnostics, sb_scene_blame(options, SB_OPT_initial_mode), "E104",
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
  const double amplitude = SB_REAL(options, amplitude);
  for (int32_t p = 1; p <= n; ++p) pose->position[3 * (p - !left)] += amplitude * mode_shape(left, right, mode, p, n);
  return true;
}

const sb_scene sb_scene_chain = {
    .name = "chain",
    .summary = "equal masses at spacing 1 on x, started in mode `initial_mode`",
    .origin = "textbook",
    .defaults = "nodes=10 ends=fixed_fixed stiffness=1 vertex_mass=1 initial_mode=1 amplitude=0.01 gravity=[0,0,0] "
                "pins=none h=0.01 duration=10",
    .uses = "nodes ends initial_mode amplitude stiffness young total_mass vertex_mass",
    .pin_sets = "none first min_x",
    .build = build,
};
