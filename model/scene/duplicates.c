/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several springs between the same vertices: found by sorting, and merged on request; see build.h. */
#include <stdlib.h>
#include <string.h>

#include "model/scene/build.h"

static int32_t smaller_end(const int32_t *end) { return end[0] < end[1] ? end[0] : end[1]; }
static int32_t larger_end(const int32_t *end) { return end[0] < end[1] ? end[1] : end[0]; }

int sb_pose_compare_ends(const int32_t a[2], const int32_t b[2])
{
  const int32_t small = smaller_end(a), other_small = smaller_end(b);
  if (small != other_small) return small < other_small ? -1 : 1;
  const int32_t large = larger_end(a), other_large = larger_end(b);
  return (large > other_large) - (large < other_large);
}

/* One pass of a counting sort that keeps the order of equals: from[] by the end that `end_of` gives, into to[]. */
static void sort_by(const sb_pose *pose, int32_t (*end_of)(const int32_t *), size_t *start, const int32_t *from,
                    int32_t *to)
{
  memset(start, 0, (pose->vertices + 1) * sizeof *start);
  for (size_t s = 0; s < pose->springs; ++s) ++start[(size_t)end_of(pose->ends + 2 * s) + 1];
  for (size_t v = 1; v <= pose->vertices; ++v) start[v] += start[v - 1];
  for (size_t i = 0; i < pose->springs; ++i) to[start[end_of(pose->ends + 2 * (size_t)from[i])]++] = from[i];
}

bool sb_pose_order_springs(const sb_pose *pose, int32_t **order)
{
  const size_t size = (pose->springs ? pose->springs : 1) * sizeof **order;
  size_t      *start = malloc((pose->vertices + 1) * sizeof *start);
  int32_t     *half = malloc(size);
  *order = malloc(size);
  const bool good = start && half && *order;
  if (good) {
    for (size_t s = 0; s < pose->springs; ++s) (*order)[s] = (int32_t)s;
    sort_by(pose, larger_end, start, *order, half);
    sort_by(pose, smaller_end, start, half, *order);
  } else {
    free(*order);
    *order = NULL;
  }
  free(start);
  free(half);
  return good;
}

/* Springs order[0 … count - 1] join the same vertices: the first becomes all of them, the others are marked. */
static void merge(sb_pose *pose, const int32_t *order, size_t count, bool *merged)
{
  const size_t first = (size_t)order[0];
  double       stiffness = 0.0, weighted = 0.0, lengths = 0.0;
  for (size_t i = 0; i < count; ++i) {
    const size_t s = (size_t)order[i];
    stiffness += pose->stiffness[s];
    weighted += pose->stiffness[s] * pose->rest_length[s];
    lengths += pose->rest_length[s];
    merged[s] = i > 0;
  }
  pose->stiffness[first] = stiffness;
  pose->rest_length[first] = stiffness > 0.0 ? weighted / stiffness : lengths / (double)count;
}

static size_t merge_all(sb_pose *pose, const int32_t *order, bool *merged)
{
  size_t found = 0;
  for (size_t i = 0, next; i < pose->springs; i = next) {
    const int32_t *end = pose->ends + 2 * (size_t)order[i];
    for (next = i + 1; next < pose->springs; ++next)
      if (sb_pose_compare_ends(end, pose->ends + 2 * (size_t)order[next]) != 0) break;
    if (next == i + 1) continue;
    merge(pose, order + i, next - i, merged);
    found += next - i - 1;
  }
  return found;
}

static void close_gaps(sb_pose *pose, const bool *merged)
{
  size_t kept = 0;
  for (size_t s = 0; s < pose->springs; ++s) {
    if (merged[s]) continue;
    memmove(pose->ends + 2 * kept, pose->ends + 2 * s, 2 * sizeof *pose->ends);
    pose->stiffness[kept] = pose->stiffness[s];
    pose->rest_length[kept] = pose->rest_length[s];
    pose->kind[kept++] = pose->kind[s];
  }
  pose->springs = kept;
}

bool sb_pose_merge_duplicates(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics)
{
  if (!SB_FLAG(options, merge_duplicates)) return true;
  int32_t   *order = NULL;
  bool      *merged = calloc(pose->springs ? pose->springs : 1, sizeof *merged);
  const bool good = merged && sb_pose_order_springs(pose, &order);
  if (good) {
    const size_t found = merge_all(pose, order, merged);
    if (found > 0) {
      sb_warning_at(diagnostics, sb_options_blame(options, SB_ID(merge_duplicates)), "W206",
                    "%zu of %zu springs repeat the ends of another and were merged with it, stiffnesses added", found,
                    pose->springs);
      close_gaps(pose, merged);
    }
  }
  free(order);
  free(merged);
  return good || sb_scene_too_large(options, diagnostics);
}
