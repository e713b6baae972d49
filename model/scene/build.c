/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a resolved set of options to a pose: the steps that follow the build of every scene.
 *
 * Masses, k = Y/l (docs/model.md section 7), values of single vertices and springs, pinned vertices (section 5),
 * initial velocity and the perturbation p(2u - 1), u from SplitMix64 of (seed, 3 vertex + axis) (section 8); then the
 * checks of pose_check.c. */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "model/forces/field.h"
#include "model/forces/law.h"
#include "model/forces/path.h"
#include "model/scene/build.h"

/* If neither option is set, the masses are those of the scene. */
static void set_masses(const sb_options *options, sb_pose *pose)
{
  double mass = 0.0;
  if (SB_HAS(options, total_mass))
    mass = SB_REAL(options, total_mass) / (double)sb_pose_slab(pose).vertices;
  else if (SB_HAS(options, vertex_mass))
    mass = SB_REAL(options, vertex_mass);
  else
    return;
  const double second = SB_HAS(options, second_mass) ? SB_REAL(options, second_mass) : mass;
  for (size_t i = 0; i < pose->vertices; ++i) pose->mass[i] = (pose->slab.first_vertex + i) % 2 ? mass : second;
  if (SB_HAS(options, last_mass)) pose->mass[pose->vertices - 1] = SB_REAL(options, last_mass);
}

static void set_young(const sb_options *options, sb_pose *pose)
{
  if (!SB_HAS(options, young)) return;
  const double young = SB_REAL(options, young);
  for (size_t s = 0; s < pose->springs; ++s) pose->stiffness[s] = young / pose->rest_length[s];
}

/* Adds to the velocities of a net from arrays; other scenes have none yet. */
static void add_velocity(const sb_options *options, sb_pose *pose)
{
  const double *velocity = SB_VECTOR(options, initial_velocity);
  for (size_t i = 0; i < pose->vertices; ++i)
    for (size_t c = 0; c < 3; ++c)
      pose->velocity[3 * i + c] = pose->pinned[i] ? 0.0 : pose->velocity[3 * i + c] + velocity[c];
}

/* The half-width of the noise, m. */
static double noise_of(const sb_options *options, const sb_pose *pose)
{
  double shortest = pose->springs > 0 ? pose->rest_length[0] : 0;
  for (size_t s = 1; s < pose->springs; ++s) shortest = fmin(shortest, pose->rest_length[s]);
  const double share = SB_HAS(options, relative_perturbation) ? SB_REAL(options, relative_perturbation) : 0;
  return SB_REAL(options, perturbation) + share * shortest;
}

static void perturb(const sb_options *options, sb_pose *pose)
{
  const double size = noise_of(options, pose);
  if (!(size > 0.0)) return;
  const uint64_t seed = (uint64_t)SB_INTEGER(options, seed);
  const size_t   axes = pose->planar ? 2 : 3, first = pose->slab.first_vertex;
  for (size_t i = 0; i < pose->vertices; ++i) {
    if (pose->pinned[i]) continue;
    for (size_t c = 0; c < axes; ++c)
      pose->position[3 * i + c] += size * (2.0 * sb_random_unit(seed, 3 * (first + i) + c) - 1.0);
  }
}

static bool complete(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics)
{
  const sb_scene *scene = sb_scene_find(SB_TEXT(options, scene));
  set_masses(options, pose);
  if (!sb_pose_apply_vertex_data(options, pose, diagnostics)) return false;
  set_young(options, pose);
  if (!sb_pose_merge_duplicates(options, pose, diagnostics)) return false;
  if (!sb_pose_apply_spring_data(options, pose, diagnostics)) return false;
  if (!sb_pose_everywhere(pose, sb_pose_pin(scene, options, pose, diagnostics))) return false;
  add_velocity(options, pose);
  if (scene->start) scene->start(options, pose);
  perturb(options, pose);
  const sb_springs springs = {
      .count = (int)pose->springs, .stiffness = pose->stiffness, .rest_length = pose->rest_length};
  return sb_pose_check(pose, options, diagnostics) && sb_law_check_start(options, &springs, diagnostics) &&
         sb_field_check_start(options, pose->vertices, pose->position, diagnostics) &&
         sb_path_check_pins(options, pose->vertices, pose->position, pose->pinned, diagnostics);
}

bool sb_scene_complete(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics)
{
  return complete(options, pose, diagnostics) && sb_scene_check(options, pose, &(sb_pose_facts){0}, diagnostics);
}

/* Options that read or test the net as a whole need all of it on every rank. */
static bool may_be_slabs(const sb_scene *scene, const sb_options *options)
{
  size_t paths, fields;
  sb_options_composites(options, SB_ID(pin_path), &paths);
  sb_options_composites(options, SB_ID(wind), &fields);
  return scene->slabs && paths == 0 && fields == 0 && !SB_HAS(options, relative_perturbation) &&
         *SB_TEXT(options, vertex_data) == '\0' && *SB_TEXT(options, spring_data) == '\0' &&
         !SB_FLAG(options, merge_duplicates) && SB_IS(options, self_contact, "none") &&
         !(SB_REAL(options, air_resistance) > 0);
}

static bool build_net(const sb_options *options, const sb_team *team, sb_pose *pose, sb_diagnostics *diagnostics)
{
  *pose = (sb_pose){0};
  const sb_scene *scene = sb_scene_find(SB_TEXT(options, scene));
  if (!scene) return sb_error_at(diagnostics, (sb_location){0}, "E106", "no scene is given; give scene=NAME");
  if (team && team->ranks > 1 && may_be_slabs(scene, options)) pose->slab.team = team;
  return sb_pose_everywhere(pose, scene->build(options, pose, diagnostics)) && complete(options, pose, diagnostics);
}

bool sb_scene_build_net(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics)
{
  return build_net(options, NULL, pose, diagnostics);
}

bool sb_scene_build_slab(const sb_options *options, const sb_team *team, sb_pose *pose, sb_diagnostics *diagnostics)
{
  return build_net(options, team, pose, diagnostics) && sb_scene_check(options, pose, &(sb_pose_facts){0}, diagnostics);
}

bool sb_scene_build(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics)
{
  return sb_scene_build_slab(options, NULL, pose, diagnostics);
}
