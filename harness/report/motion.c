/* Reading a stored motion; see motion.h. Indices are checked: a file may come from anywhere. */
#include "harness/report/motion.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/allocate.h"

/* A dataset [rows][width] (width 0: [rows]) of any size; malloc'ed. */
static bool read_array(hid_t file, const char *path, hsize_t width, hid_t type, size_t *rows, void **values)
{
  hsize_t     extents[3] = {0, 0, 0};
  const hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT), space = dataset >= 0 ? H5Dget_space(dataset) : -1;
  const int   rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
  bool        ok = rank == (width > 0 ? 2 : 1) && H5Sget_simple_extent_dims(space, extents, NULL) >= 0 &&
            (width == 0 || extents[1] == width);
  if (ok) {
    *rows = (size_t)extents[0];
    *values = sb_allocate(*rows * (width > 0 ? (size_t)width : 1) + 1, H5Tget_size(type));
    ok = *rows == 0 || H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *values) >= 0;
  }
  ok = sb_h5_close(space) && ok;
  return sb_h5_close(dataset) && ok;
}

static bool are_vertices(const sb_motion *m, const int32_t *id, size_t count)
{
  for (size_t i = 0; i < count; ++i)
    if (id[i] < 0 || (size_t)id[i] >= m->vertices) return false;
  return true;
}

static bool open_positions(sb_motion *m)
{
  hsize_t extents[3] = {0, 0, 0};
  m->positions = H5Dopen2(m->file, "particles/all/position/value", H5P_DEFAULT);
  const hid_t space = m->positions >= 0 ? H5Dget_space(m->positions) : -1;
  const bool  ok = space >= 0 && H5Sget_simple_extent_ndims(space) == 3 &&
                  H5Sget_simple_extent_dims(space, extents, NULL) >= 0 && extents[2] == 3;
  m->vertices = (size_t)extents[1];
  return sb_h5_close(space) && ok && extents[0] == m->frames;
}

static bool read_net(sb_motion *m)
{
  size_t lengths = 0;
  return read_array(m->file, "particles/all/position/time", 0, H5T_NATIVE_DOUBLE, &m->frames, (void **)&m->seconds) &&
         open_positions(m) &&
         read_array(m->file, "connectivity/springs", 2, H5T_NATIVE_INT32, &m->springs, (void **)&m->ends) &&
         read_array(m->file, "connectivity/triangles", 3, H5T_NATIVE_INT32, &m->triangles, (void **)&m->triangle) &&
         read_array(m->file, "springs/rest_length", 0, H5T_NATIVE_DOUBLE, &lengths, (void **)&m->rest_length) &&
         lengths == m->springs && are_vertices(m, m->ends, 2 * m->springs) &&
         are_vertices(m, m->triangle, 3 * m->triangles);
}

bool sb_motion_open(const char *path, sb_motion *motion, char error[256])
{
  *motion = (sb_motion){.positions = -1};
  motion->file = sb_case_file_open(path, error);
  const bool stored = motion->file >= 0 && sb_h5_exists(motion->file, "particles") &&
                      sb_h5_exists(motion->file, "particles/all") &&
                      sb_h5_exists(motion->file, "particles/all/position");
  if (motion->file >= 0 && !stored)
    snprintf(error, 256, "no states are stored in it: run the case with save=every:1 (a state a frame)");
  if (stored && read_net(motion)) motion->parameters = sb_case_file_parameters(motion->file);
  if (motion->parameters && motion->frames > 0 && motion->vertices > 0) return true;
  sb_motion_close(motion);
  if (error[0] == '\0') snprintf(error, 256, "it is not a complete case file");
  return false;
}

void sb_motion_close(sb_motion *motion)
{
  char ignored[256] = "";
  (void)sb_h5_close(motion->positions);
  if (motion->file >= 0) (void)sb_case_file_close(motion->file, true, ignored);
  json_decref(motion->parameters);
  free(motion->ends);
  free(motion->triangle);
  free(motion->rest_length);
  free(motion->seconds);
  *motion = (sb_motion){.file = -1, .positions = -1};
}

bool sb_motion_read(const sb_motion *motion, size_t frame, double *position, char error[256])
{
  const hsize_t start[3] = {frame, 0, 0}, count[3] = {1, motion->vertices, 3};
  const hid_t   rows = H5Dget_space(motion->positions), row = H5Screate_simple(3, count, NULL);
  bool ok = rows >= 0 && row >= 0 && H5Sselect_hyperslab(rows, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
            H5Dread(motion->positions, H5T_NATIVE_DOUBLE, row, rows, H5P_DEFAULT, position) >= 0;
  ok = sb_h5_close(rows) && ok;
  ok = sb_h5_close(row) && ok;
  if (!ok && error[0] == '\0') snprintf(error, 256, "frame %zu cannot be read", frame);
  return ok;
}
