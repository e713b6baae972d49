/* From a resolved set of options to a pose: what all scenes share after their own build.
 *
 * Masses, k = Y/l (docs/model.md section 7), pinned vertices (section 5), initial velocity and the perturbation
 * p(2u - 1), u from SplitMix64 of (seed, 3 vertex + axis) (section 8); then the checks of a finished pose. */
#include "model/scene.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "model/field.h"
#include "model/path.h"

bool sb_scene_too_large(const sb_options *options, sb_diagnostics *diagnostics)
{
  return sb_error_at(diagnostics, sb_options_location(options, SB_OPT_scene), "E215",
                     "the scene does not fit into memory, or has more than 2^31 - 1 vertices or springs");
}

static void set_masses(const sb_options *options, sb_pose *pose)
{
  double mass = 1.0;
  if (SB_HAS(options, total_mass))
    mass = SB_REAL(options, total_mass) / (double)pose->vertices;
  else if (SB_HAS(options, vertex_mass))
    mass = SB_REAL(options, vertex_mass);
  for (size_t i = 0; i < pose->vertices; ++i) pose->mass[i] = mass;
}

static void set_young(const sb_options *options, sb_pose *pose)
{
  if (!SB_HAS(options, young)) return;
  const double young = SB_REAL(options, young);
  for (size_t s = 0; s < pose->springs; ++s) pose->stiffness[s] = young / pose->rest_length[s];
}

/* Pins the vertices of a list. `named` remembers what this list has pinned: a scene may have pinned some before. */
static bool pin_each(const sb_options *options, size_t count, const int64_t *numbers, bool *named, sb_pose *pose,
                     sb_diagnostics *diagnostics)
{
  const sb_location where = sb_scene_blame(options, SB_OPT_pins);
  bool              good = true;
  for (size_t i = 0; i < count; ++i) {
    const int64_t v = numbers[i];
    if (v < 0 || (uint64_t)v >= pose->vertices) {
      good =
          sb_error_at(diagnostics, where, "E210",
                      "pins names vertex %" PRId64 ", but the scene has the vertices 0 to %zu", v, pose->vertices - 1);
    } else if (named[v]) {
      good = sb_error_at(diagnostics, where, "E210", "pins names vertex %" PRId64 " twice", v);
    } else {
      named[v] = pose->pinned[v] = true;
    }
  }
  return good;
}

static bool set_pins(const sb_scene *scene, const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics)
{
  size_t   count = 0;
  int64_t *numbers = NULL;
  if (sb_options_numbers(options, SB_OPT_pins, &count, &numbers)) {
    bool      *named = calloc(pose->vertices, sizeof *named);
    const bool good =
        named ? pin_each(options, count, numbers, named, pose, diagnostics) : sb_scene_too_large(options, diagnostics);
    free(named);
    free(numbers);
    return good;
  }
  const char *name = SB_TEXT(options, pins);
  if (strcmp(name, "first") == 0)
    pose->pinned[0] = true;
  else if (scene->pin_set)
    scene->pin_set(options, name, pose);
  return true;
}

static void set_velocity(const sb_options *options, sb_pose *pose)
{
  const double *velocity = SB_VECTOR(options, initial_velocity);
  for (size_t i = 0; i < pose->vertices; ++i)
    for (size_t c = 0; c < 3; ++c) pose->velocity[3 * i + c] = pose->pinned[i] ? 0.0 : velocity[c];
}

static void perturb(const sb_options *options, sb_pose *pose)
{
  const double size = SB_REAL(options, perturbation);
  if (!(size > 0.0)) return;
  const uint64_t seed = (uint64_t)SB_INTEGER(options, seed);
  const size_t   axes = pose->planar ? 2 : 3;
  for (size_t i = 0; i < pose->vertices; ++i) {
    if (pose->pinned[i]) continue;
    for (size_t c = 0; c < axes; ++c) pose->position[3 * i + c] += size * (2.0 * sb_random_unit(seed, 3 * i + c) - 1.0);
  }
}

static bool check_lengths(const sb_pose *pose, const sb_options *options, sb_diagnostics *diagnostics)
{
  bool good = true;
  for (size_t s = 0; s < pose->springs; ++s) {
    const int32_t *end = pose->ends + 2 * s;
    const double  *a = pose->position + 3 * (size_t)end[0], *b = pose->position + 3 * (size_t)end[1];
    const double   x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    if (pose->rest_length[s] > 0.0 && x * x + y * y + z * z > 0.0) continue;
    good = sb_error_at(diagnostics, sb_scene_blame(options, SB_OPT_amplitude), "E204",
                       "spring %zu between vertices %" PRId32 " and %" PRId32 " has no length, so no direction", s,
                       end[0], end[1]);
  }
  return good;
}

static bool check_vertices(const sb_pose *pose, const sb_options *options, sb_diagnostics *diagnostics)
{
  bool *joined = calloc(pose->vertices, sizeof *joined);
  if (!joined) return sb_scene_too_large(options, diagnostics);
  for (size_t e = 0; e < 2 * pose->springs; ++e) joined[pose->ends[e]] = true;
  size_t pinned = 0, isolated = 0;
  for (size_t i = 0; i < pose->vertices; ++i) {
    pinned += pose->pinned[i];
    isolated += !joined[i];
  }
  free(joined);
  if (isolated > 0)
    sb_warning_at(diagnostics, sb_options_location(options, SB_OPT_scene), "W207", "%zu of %zu vertices have no spring",
                  isolated, pose->vertices);
  if (pinned < pose->vertices) return true;
  return sb_error_at(diagnostics, sb_scene_blame(options, SB_OPT_pins), "E209",
                     "all %zu vertices are pinned: nothing is left to solve", pose->vertices);
}

static void warn_of_slack(const sb_pose *pose, const sb_options *options, sb_diagnostics *diagnostics)
{
  size_t slack = 0;
  for (size_t s = 0; s < pose->springs; ++s) slack += !(pose->stiffness[s] > 0.0);
  if (slack > 0)
    sb_warning_at(diagnostics, sb_scene_blame(options, SB_OPT_stiffness), "W217",
                  "%zu of %zu springs have stiffness 0 and do nothing", slack, pose->springs);
}

bool sb_pose_check(const sb_pose *pose, const sb_options *options, sb_diagnostics *diagnostics)
{
  warn_of_slack(pose, options, diagnostics);
  const bool lengths = check_lengths(pose, options, diagnostics);
  return check_vertices(pose, options, diagnostics) && lengths;
}

bool sb_scene_build(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics)
{
  *pose = (sb_pose){0};
  const sb_scene *scene = sb_scene_find(SB_TEXT(options, scene));
  if (!scene) return sb_error_at(diagnostics, (sb_location){0}, "E106", "no scene is given; give scene=NAME");
  if (!scene->build(options, pose, diagnostics)) return false;
  set_masses(options, pose);
  set_young(options, pose);
  if (!set_pins(scene, options, pose, diagnostics)) return false;
  set_velocity(options, pose);
  perturb(options, pose);
  return sb_pose_check(pose, options, diagnostics) &&
         sb_field_check_start(options, pose->vertices, pose->position, diagnostics) &&
         sb_path_check_pins(options, pose->vertices, pose->position, pose->pinned, diagnostics);
}
