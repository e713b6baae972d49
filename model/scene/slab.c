/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Slabs: the part of a net that a rank builds, and reductions over its ranks. See scene.h. */
#include "model/scene/scene.h"

sb_slab sb_pose_slab(const sb_pose *pose)
{
  if (pose->slab.team) return pose->slab;
  return (sb_slab){.vertices = pose->vertices,
                   .springs = pose->springs,
                   .triangles = pose->triangles,
                   .own_vertices = {0, pose->vertices},
                   .own_springs = {0, pose->springs},
                   .own_triangles = {0, pose->triangles}};
}

sb_range sb_owned_vertices(size_t count, size_t rank, size_t ranks)
{
  const size_t least = count / ranks, longer = count % ranks;
  return (sb_range){rank * least + (rank < longer ? rank : longer), least + (rank < longer)};
}

void sb_pose_sum(const sb_pose *pose, int count, double *values)
{
  const sb_team *team = pose->slab.team;
  if (team) team->sum(team->context, count, values);
}

void sb_pose_largest(const sb_pose *pose, int count, double *values)
{
  const sb_team *team = pose->slab.team;
  if (team) team->largest(team->context, count, values);
}

bool sb_pose_everywhere(const sb_pose *pose, bool good)
{
  double bad = !good;
  sb_pose_largest(pose, 1, &bad);
  return bad == 0;
}

void sb_pose_pin_vertex(sb_pose *pose, size_t vertex)
{
  const size_t first = pose->slab.first_vertex;
  if (vertex >= first && vertex < first + pose->vertices) pose->pinned[vertex - first] = true;
}
