/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Connected parts by union-find with path halving (Tarjan, van Leeuwen 1984); see components.h. */
#include "drivers/components.h"

#include <stdio.h>
#include <stdlib.h>

enum { LISTED_MAX = 5 };

static size_t root_of(size_t *parent, size_t i)
{
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

/* parent[i] of each vertex; the root of a part is its smallest vertex. */
static void join_parts(const sb_pose *pose, size_t *parent)
{
  for (size_t i = 0; i < pose->vertices; ++i) parent[i] = i;
  for (size_t s = 0; s < pose->springs; ++s) {
    if (!(pose->stiffness[s] > 0.0)) continue; /* holds nothing */
    const size_t a = root_of(parent, (size_t)pose->ends[2 * s]), b = root_of(parent, (size_t)pose->ends[2 * s + 1]);
    if (a < b)
      parent[b] = a;
    else
      parent[a] = b;
  }
}

/* size[root] = vertices of the part; 0 when one of them is pinned. */
static void measure_parts(const sb_pose *pose, size_t *parent, size_t *size)
{
  for (size_t i = 0; i < pose->vertices; ++i) ++size[root_of(parent, i)];
  for (size_t i = 0; i < pose->vertices; ++i)
    if (pose->pinned[i]) size[root_of(parent, i)] = 0;
}

static bool refuse(const sb_options *options, size_t vertices, size_t parts, const char *list,
                   sb_diagnostics *diagnostics)
{
  const sb_location where = sb_options_blame(options, SB_ID(pins));
  if (parts == 1 && vertices == strtoull(list, NULL, 10))
    return sb_error_at(diagnostics, where, "E208",
                       "no vertex is pinned, so the net of %zu vertices has no static equilibrium; give pins",
                       vertices);
  return sb_error_at(diagnostics, where, "E208",
                     "the net has %zu part%s without a pin (vertices in each: %s), so it has no static equilibrium; "
                     "pin a vertex of every part",
                     parts, parts == 1 ? "" : "s", list);
}

static bool judge_parts(const sb_options *options, size_t vertices, const size_t *size, sb_diagnostics *diagnostics)
{
  char   list[32 * LISTED_MAX] = "";
  size_t parts = 0, length = 0;
  for (size_t i = 0; i < vertices; ++i) {
    if (size[i] == 0) continue;
    if (parts < LISTED_MAX)
      length += (size_t)snprintf(list + length, sizeof list - length, "%s%zu", parts ? ", " : "", size[i]);
    ++parts;
  }
  if (parts > LISTED_MAX) snprintf(list + length, sizeof list - length, ", …");
  return parts == 0 || refuse(options, vertices, parts, list, diagnostics);
}

bool sb_components_check(const sb_options *options, const sb_pose *pose, sb_diagnostics *diagnostics)
{
  size_t *parent = calloc(pose->vertices, sizeof *parent), *size = calloc(pose->vertices, sizeof *size);
  bool    good = parent && size;
  if (good) {
    join_parts(pose, parent);
    measure_parts(pose, parent, size);
    good = judge_parts(options, pose->vertices, size, diagnostics);
  } else {
    sb_scene_too_large(options, diagnostics);
  }
  free(parent);
  free(size);
  return good;
}
