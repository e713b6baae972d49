/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pinned vertices: the named sets that every scene has, those of a scene, and lists (docs/model.md section 5). */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "model/scene/build.h"

static const sb_entry *const entries[] = {
#define SB_PINS(title, words, about) &(const sb_entry){.name = #title, .spelled = (words), .summary = (about)},
#include "model/scene/pins.def"
#undef SB_PINS
};

static void describe(const sb_entry *entry, sb_description *d)
{
  const char *scenes = "";
  for (size_t i = 0; i < sb_scene_count(); ++i)
    if (sb_has_word(sb_scene_at(i)->pin_sets, entry->name))
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
  const sb_location where = sb_options_blame(options, SB_OPT_pins);
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

/* x - min x <= 1e-12 (max x - min x): a mesh's plane of least x, whose vertices rounding has spread. */
static void pin_least_x(sb_pose *pose)
{
  double end[2] = {-INFINITY, -INFINITY}; /* -x of the least, x of the largest */
  for (size_t i = 0; i < pose->vertices; ++i) {
    end[0] = fmax(end[0], -pose->position[3 * i]);
    end[1] = fmax(end[1], pose->position[3 * i]);
  }
  sb_pose_largest(pose, 2, end);
  const double least = -end[0], reach = 1e-12 * (end[1] - least);
  for (size_t i = 0; i < pose->vertices; ++i)
    if (pose->position[3 * i] - least <= reach) pose->pinned[i] = true;
}

bool sb_pose_pin(const sb_scene *scene, const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics)
{
  size_t   count = 0;
  int64_t *numbers = NULL;
  if (sb_options_numbers(options, SB_OPT_pins, &count, &numbers)) {
    const bool good = pin_list(options, count, numbers, pose, diagnostics);
    free(numbers);
    return good;
  }
  const char *name = SB_TEXT(options, pins);
  if (strcmp(name, "first") == 0)
    sb_pose_pin_vertex(pose, 0);
  else if (strcmp(name, "min_x") == 0)
    pin_least_x(pose);
  else if (scene->pin_set)
    scene->pin_set(options, name, pose);
  return true;
}
