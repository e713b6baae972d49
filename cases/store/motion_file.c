/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads H5MD files of others; see motion_file.h. */
#include "cases/store/motion_file.h"

#include <math.h>
#include <string.h>

#include "cases/store/case_file.h"

enum { FRAMES_MAX = 1 << 27 }; /* a dataset may declare any size, and store nothing */

/* The group of particles; NULL with *why. */
static const char *find_group(hid_t file, sb_arena *arena, const char **why)
{
  json_auto_t *groups = sb_h5_exists(file, "particles") ? sb_h5_members(file, "particles") : NULL;
  if (json_array_size(groups) == 1)
    return sb_arena_format(arena, "particles/%s", json_string_value(json_array_get(groups, 0)));
  *why = json_array_size(groups) > 1 ? "it has several groups of particles; keep one" : "it has no group of particles";
  return NULL;
}

/* A dataset [frames][vertices][3] whose unit, if it has one, is that of SI; -1 with *why. */
static hid_t open_values(hid_t file, const char *path, const char *unit, hsize_t extents[SB_H5_RANK_MAX],
                         sb_arena *arena, const char **why)
{
  const hid_t dataset = sb_h5_open_dataset(file, path, 3, extents);
  const char *said = dataset >= 0 ? sb_h5_unit(arena, dataset) : NULL;
  if (dataset < 0 || extents[2] != 3 || extents[0] < 2 || extents[0] > FRAMES_MAX || extents[1] < 1)
    *why = sb_arena_format(arena, "'%s' is not an array [frames][vertices][3] of at least two frames", path);
  else if (said && *said && strcmp(said, unit) != 0)
    *why = sb_arena_format(arena, "'%s' is in %s; write it in %s", path, said, unit);
  else
    return dataset;
  sb_h5_close(dataset);
  return -1;
}

/* Times from a list, or from the length of a frame. */
static const char *read_times(const char *path, sb_arena *arena, sb_motion_file *m)
{
  size_t count = 0;
  double step = NAN;
  if (!sb_h5_exists(m->file, path)) return sb_arena_format(arena, "it has no '%s'", path);
  if (sb_h5_read_number(m->file, path, &step)) {
    m->seconds = sb_arena_take(arena, m->frames, sizeof *m->seconds);
    for (size_t k = 0; k < m->frames; ++k) m->seconds[k] = step * (double)k;
    return step > 0 ? NULL : sb_arena_format(arena, "'%s' is %g; the length of a frame must be above 0", path, step);
  }
  m->seconds = sb_h5_read_array(arena, m->file, path, H5T_NATIVE_DOUBLE, 0, &count);
  if (!m->seconds || count != m->frames)
    return sb_arena_format(arena, "'%s' is not an array of %zu times, one per frame", path, m->frames);
  for (size_t k = m->frames; k > 0; --k) m->seconds[k - 1] -= m->seconds[0];
  return NULL;
}

static const char *open_motion(sb_arena *arena, sb_motion_file *m)
{
  hsize_t     extents[SB_H5_RANK_MAX], same[SB_H5_RANK_MAX];
  const char *why = NULL, *group = find_group(m->file, arena, &why);
  if (!group) return why;
  const char *velocity = sb_arena_format(arena, "%s/velocity/value", group);
  m->positions = open_values(m->file, sb_arena_format(arena, "%s/position/value", group), "m", extents, arena, &why);
  if (why) return why;
  m->frames = (size_t)extents[0];
  m->vertices = (size_t)extents[1];
  why = read_times(sb_arena_format(arena, "%s/position/time", group), arena, m);
  if (why || !sb_h5_exists(m->file, velocity)) return why;
  m->velocities = open_values(m->file, velocity, "m s-1", same, arena, &why);
  if (why || (same[0] == extents[0] && same[1] == extents[1])) return why;
  return sb_arena_format(arena, "'%s' does not have the frames and vertices of the positions", velocity);
}

const char *sb_motion_file_open(const char *path, sb_arena *arena, sb_motion_file *m)
{
  char error[256] = "";
  *m = (sb_motion_file){.file = sb_case_file_open(path, error), .positions = -1, .velocities = -1};
  if (m->file < 0) return sb_arena_copy(arena, error);
  const char *why = open_motion(arena, m);
  if (why || sb_h5_good()) return why;
  return sb_arena_copy(arena, sb_h5_cause());
}

bool sb_motion_file_read(const sb_motion_file *m, hid_t dataset, size_t frame, double *values)
{
  const hsize_t extents[SB_H5_RANK_MAX] = {m->frames, m->vertices, 3};
  return sb_h5_read_row(dataset, 3, extents, frame, H5T_NATIVE_DOUBLE, values);
}

void sb_motion_file_close(sb_motion_file *m)
{
  sb_h5_close(m->positions);
  sb_h5_close(m->velocities);
  sb_h5_close(m->file);
  *m = (sb_motion_file){.file = -1, .positions = -1, .velocities = -1};
}
