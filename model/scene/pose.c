/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The arrays of a pose: allocated for a number of vertices, with springs appended. */
#include "model/scene/scene.h"

#include <math.h>
#include <stdlib.h>

bool sb_pose_allocate(sb_pose *pose, size_t vertices)
{
  if (vertices == 0 || vertices > INT32_MAX) return false;
  pose->vertices = vertices;
  pose->position = calloc(3 * vertices, sizeof *pose->position);
  pose->velocity = calloc(3 * vertices, sizeof *pose->velocity);
  pose->mass = malloc(vertices * sizeof *pose->mass);
  pose->pinned = calloc(vertices, sizeof *pose->pinned);
  if (!pose->position || !pose->velocity || !pose->mass || !pose->pinned) return false;
  for (size_t i = 0; i < vertices; ++i) pose->mass[i] = 1.0;
  return true;
}

/* realloc that leaves the old array to sb_pose_clear when it fails. */
static bool grow(void **array, size_t count, size_t size)
{
  void *larger = realloc(*array, count * size);
  if (!larger) return false;
  *array = larger;
  return true;
}

bool sb_pose_reserve(sb_pose *pose, size_t more)
{
  const size_t capacity = pose->springs + more;
  if (capacity <= pose->springs_capacity) return true;
  if (capacity > INT32_MAX) return false;
  if (!grow((void **)&pose->ends, 2 * capacity, sizeof *pose->ends)) return false;
  if (!grow((void **)&pose->stiffness, capacity, sizeof *pose->stiffness)) return false;
  if (!grow((void **)&pose->rest_length, capacity, sizeof *pose->rest_length)) return false;
  if (!grow((void **)&pose->kind, capacity, sizeof *pose->kind)) return false;
  pose->springs_capacity = capacity;
  return true;
}

static bool grow_by_half(sb_pose *pose)
{
  const size_t room = INT32_MAX - pose->springs, more = 64 + pose->springs / 2;
  return room > 0 && sb_pose_reserve(pose, more < room ? more : room);
}

bool sb_pose_add_spring(sb_pose *pose, int32_t first, int32_t second, double stiffness, sb_spring_kind kind)
{
  if (pose->springs == pose->springs_capacity && !grow_by_half(pose)) return false;
  const double *a = pose->position + 3 * (size_t)first, *b = pose->position + 3 * (size_t)second;
  const double  x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
  const size_t  s = pose->springs++;
  pose->ends[2 * s] = first;
  pose->ends[2 * s + 1] = second;
  pose->stiffness[s] = stiffness;
  pose->rest_length[s] = sqrt(x * x + y * y + z * z);
  pose->kind[s] = (uint8_t)kind;
  return true;
}

void sb_pose_clear(sb_pose *pose)
{
  free(pose->position);
  free(pose->velocity);
  free(pose->mass);
  free(pose->pinned);
  free(pose->ends);
  free(pose->stiffness);
  free(pose->rest_length);
  for (int i = 0; i < SB_LAW_PARAMETERS; ++i) free(pose->parameter[i]);
  free(pose->kind);
  free(pose->triangle);
  *pose = (sb_pose){0};
}

bool sb_pose_add_edges(sb_pose *pose, size_t blocks, const sb_cells *block, double stiffness)
{
  size_t   edges = 0;
  int32_t *ends = NULL;
  bool     good = sb_edges_of_cells(pose->vertices, blocks, block, &edges, &ends) && sb_pose_reserve(pose, edges);
  for (size_t e = 0; good && e < edges; ++e)
    good = sb_pose_add_spring(pose, ends[2 * e], ends[2 * e + 1], stiffness, SB_STRUCTURAL);
  free(ends);
  return good;
}
