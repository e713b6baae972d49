/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pinned vertices: the named sets that every scene has, those of a scene, and lists (docs/model.md section 5). */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "model/scene/build.h"

static const sb_entry *const entries[] = {
/* clang-format off */
#define SB_PINS(title, words, about) &(const sb_entry){.name = #title, .spelled = (words), .summary = (about)},
#define SB_PINS_OF_NETS(title, reads, about) &(const sb_entry){.name = #title, .uses = (reads), .summary = (about)},
/* clang-format on */
#include "model/scene/pins.def"
#undef SB_PINS_OF_NETS
#undef SB_PINS
};

static void describe(const sb_entry *entry, sb_description *d)
{
  const char *scenes = "";
  for (size_t i = 0; i < sb_scene_count(); ++i)
    if (sb_has_word(sb_scene_pin_sets(sb_scene_at(i), d->arena), entry->name))
      scenes = sb_arena_format(d->arena, "%s %s", scenes, sb_scene_at(i)->name);
  sb_describe_words(d, "scenes", scenes);
}

const sb_list sb_pin_sets = {
    .family = "pins",
    .title = "Sets of pinned vertices",
    .about = "Named by option `pins`, which also takes a list of vertex numbers and ranges such as [0,3,10:12].",
    .brief = true,
    SB_LIST_ENTRIES(entries),
    .describe = describe,
};

/* Pins the vertices of a list. `named` remembers what this list has pinned: a scene may have pinned some before. */
static bool pin_each(const sb_options *options, size_t count, const int64_t *numbers, bool *named, sb_pose *pose,
                     sb_diagnostics *diagnostics)
{
  const sb_location where = sb_options_blame(options, SB_ID(pins));
  const size_t      all = sb_pose_slab(pose).vertices;
  bool              good = true;
  for (size_t i = 0; i < count; ++i) {
    const int64_t v = numbers[i];
    const size_t  here = (size_t)v - pose->slab.first_vertex;
    if (v < 0 || (uint64_t)v >= all) {
      good = sb_error_at(diagnostics, where, "E210",
                         "pins names vertex %" PRId64 ", but the scene has the vertices 0 to %zu", v, all - 1);
    } else if (here >= pose->vertices) {
      continue; /* of another slab, or below this one, where the difference wraps */
    } else if (named[here]) {
      good = sb_error_at(diagnostics, where, "E210", "pins names vertex %" PRId64 " twice", v);
    } else {
      named[here] = pose->pinned[here] = true;
    }
  }
  return good;
}

static bool pin_list(const sb_options *options, size_t count, const int64_t *numbers, sb_pose *pose,
                     sb_diagnostics *diagnostics)
{
  bool      *named = calloc(pose->vertices, sizeof *named);
  const bool good =
      named ? pin_each(options, count, numbers, named, pose, diagnostics) : sb_scene_too_large(options, diagnostics);
  free(named);
  return good;
}

/* x - min x <= 1e-12 (max x - min x), for the least x: a mesh's plane, whose vertices rounding has spread. `sign` -1:
 * the largest. */
static void pin_end(size_t axis, double sign, sb_pose *pose)
{
  double end[2] = {-INFINITY, -INFINITY}; /* of -sign x and sign x */
  for (size_t i = 0; i < pose->vertices; ++i) {
    end[0] = fmax(end[0], -sign * pose->position[3 * i + axis]);
    end[1] = fmax(end[1], sign * pose->position[3 * i + axis]);
  }
  sb_pose_largest(pose, 2, end);
  const double least = -end[0], reach = 1e-12 * (end[1] - least);
  for (size_t i = 0; i < pose->vertices; ++i)
    if (sign * pose->position[3 * i + axis] - least <= reach) pose->pinned[i] = true;
}

static double square_to(const double *point, const double *position)
{
  double square = 0;
  for (int d = 0; d < 3; ++d) square += (position[d] - point[d]) * (position[d] - point[d]);
  return square;
}

static void pin_nearest(const double *point, sb_pose *pose)
{
  double nearness = -INFINITY, first = -INFINITY; /* the largest of the negative squares, and of the negative numbers */
  for (size_t i = 0; i < pose->vertices; ++i) nearness = fmax(nearness, -square_to(point, pose->position + 3 * i));
  sb_pose_largest(pose, 1, &nearness);
  for (size_t i = 0; i < pose->vertices; ++i)
    if (-square_to(point, pose->position + 3 * i) == nearness)
      first = fmax(first, -(double)(pose->slab.first_vertex + i));
  sb_pose_largest(pose, 1, &first);
  sb_pose_pin_vertex(pose, (size_t)-first);
}

static bool pin_box(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics)
{
  const double *from = SB_VECTOR(options, pin_from), *to = SB_VECTOR(options, pin_to);
  double        found = 0;
  for (size_t i = 0; i < pose->vertices; ++i) {
    const double *x = pose->position + 3 * i;
    bool          within = true;
    for (int d = 0; d < 3; ++d) within = within && from[d] <= x[d] && x[d] <= to[d];
    pose->pinned[i] = pose->pinned[i] || within;
    found = fmax(found, within);
  }
  sb_pose_largest(pose, 1, &found);
  return found > 0 || sb_error_at(diagnostics, sb_options_blame(options, SB_ID(pin_to)), "E210",
                                  "no vertex is in the box of pins from pin_from=%s to pin_to=%s",
                                  SB_TEXT(options, pin_from), SB_TEXT(options, pin_to));
}

bool sb_pose_pin(const sb_scene *scene, const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics)
{
  size_t   count = 0;
  int64_t *numbers = NULL;
  if (sb_options_numbers(options, SB_ID(pins), &count, &numbers)) {
    const bool good = pin_list(options, count, numbers, pose, diagnostics);
    free(numbers);
    return good;
  }
  const char *name = SB_TEXT(options, pins);
  if (strcmp(name, "first") == 0)
    sb_pose_pin_vertex(pose, 0);
  else if (strncmp(name, "min_", 4) == 0 || strncmp(name, "max_", 4) == 0)
    pin_end((size_t)(name[4] - 'x'), name[1] == 'i' ? 1 : -1, pose);
  else if (strcmp(name, "near") == 0)
    pin_nearest(SB_VECTOR(options, pin_near), pose);
  else if (strcmp(name, "box") == 0)
    return pin_box(options, pose, diagnostics);
  else if (scene->pin_set)
    scene->pin_set(options, name, pose);
  return true;
}
