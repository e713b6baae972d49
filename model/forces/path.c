/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prescribed motions; see path.h. */
#include "model/forces/path.h"

#include <math.h>
#include <stdlib.h>

#define SB_ENTRY(name) extern const sb_path_kind sb_path_##name;
#include "model/forces/paths.def"
#undef SB_ENTRY

static const sb_entry *const entries[] = {
#define SB_ENTRY(name) &sb_path_##name.form.entry,
#include "model/forces/paths.def"
#undef SB_ENTRY
};

const sb_list sb_paths = {
    .family = "paths",
    .title = "Prescribed motions",
    .about = "Named by option `pin_path` for pinned vertices and by `collider_path` for colliders, with their parts.",
    SB_LIST_ENTRIES(entries),
    .describe = sb_form_facts,
};

struct sb_path {
  const sb_path_kind *kind;
  sb_composite       *value; /* own: the options may go first */
  void               *state;
};

static bool prepare(sb_path *path, const sb_composite *value)
{
  path->kind = (const void *)value->form;
  path->value = sb_composites_copy(value, 1);
  if (path->kind->state_bytes > 0 && !(path->state = calloc(1, path->kind->state_bytes))) return false;
  return !path->kind->prepare || path->kind->prepare(path->state, path->value);
}

sb_path *sb_path_create(const sb_composite *value)
{
  sb_path *path = calloc(1, sizeof *path);
  if (path && !prepare(path, value)) sb_path_destroy(&path);
  return path;
}

void sb_path_destroy(sb_path **path)
{
  sb_path *old = *path;
  size_t   count = 1;
  if (!old) return;
  if (old->state && old->kind->destroy) old->kind->destroy(old->state);
  free(old->state);
  if (old->value) sb_composites_free(&old->value, &count);
  free(old);
  *path = NULL;
}

void sb_path_place(sb_path *path, double t_seconds, size_t count, const double *rest, double *place)
{
  path->kind->place(path->state, path->value, t_seconds, count, rest, place);
}

bool sb_path_is_still(const sb_path *path) { return path->kind == &sb_path_still; }

bool sb_path_starts_at(sb_path *path, const double rest[3], double place[3])
{
  bool good = true;
  sb_path_place(path, 0.0, 1, rest, place);
  for (size_t c = 0; c < 3; ++c)
    good = good && fabs(place[c] - rest[c]) <= SB_PATH_START_TOLERANCE * (1.0 + fabs(rest[c]));
  return good;
}

static bool check_vertex(sb_path *path, const sb_options *options, size_t vertex, const double *rest,
                         sb_diagnostics *diagnostics)
{
  double place[3];
  char   p[3][32], r[3][32];
  if (sb_path_starts_at(path, rest, place)) return true;
  for (int c = 0; c < 3; ++c) {
    sb_format_real(place[c], p[c]);
    sb_format_real(rest[c], r[c]);
  }
  return sb_error_at(diagnostics, sb_options_location(options, SB_ID(pin_path)), "E214",
                     "pin_path puts vertex %zu at (%s, %s, %s) at t = 0, but it starts at (%s, %s, %s)", vertex, p[0],
                     p[1], p[2], r[0], r[1], r[2]);
}

bool sb_path_check_pins(const sb_options *options, size_t count, const double *position, const bool *pinned,
                        sb_diagnostics *diagnostics)
{
  size_t              items = 0;
  const sb_composite *value = SB_COMPOSITES(options, pin_path, &items);
  bool                good = true;
  if (items == 0) return true;
  sb_path *path = sb_path_create(value);
  if (!path)
    return sb_error_at(diagnostics, sb_options_location(options, SB_ID(pin_path)), "E215",
                       "the path of the pinned vertices does not fit into memory");
  for (size_t i = 0; good && i < count; ++i)
    if (pinned[i]) good = check_vertex(path, options, i, position + 3 * i, diagnostics);
  sb_path_destroy(&path);
  return good;
}
