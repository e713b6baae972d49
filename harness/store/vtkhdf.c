/* /VTKHDF (the VTK file format's chapter on VTKHDF, UnstructuredGrid, Version 2.0) and /frames, as virtual datasets in
 * the same file: no state is stored twice. The net does not change, so all steps share one part, one list of cells and
 * the offsets 0; only points and velocities advance, by one frame a step. */
#include "harness/store/vtkhdf.h"

#include <stdio.h>
#include <stdlib.h>

#include "harness/store/hdf5_tools.h"

enum { VTK_LINE = 3, VTK_TRIANGLE = 5 };

/* A piece of a virtual dataset: all of `space`, from a block of the dataset `source` of this file. */
static bool map_block(hid_t plist, hid_t space, const char *source, const hsize_t extents[3], const hsize_t *frame)
{
  const hid_t   from = H5Screate_simple(extents[2] > 0 ? 3 : 2, extents, NULL);
  const hsize_t start[3] = {frame ? *frame : 0, 0, 0}, count[3] = {1, extents[1], extents[2]};
  bool          ok = from >= 0;
  if (ok && frame) ok = H5Sselect_hyperslab(from, H5S_SELECT_SET, start, NULL, count, NULL) >= 0;
  ok = ok && H5Pset_virtual(plist, space, ".", source, from) >= 0;
  return sb_h5_close(from) && ok;
}

static bool create_virtual(hid_t file, const char *name, hid_t type, hid_t space, hid_t plist)
{
  const hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
  return dataset >= 0 && sb_h5_close(dataset);
}

/* `name` [rows][3]: all frames of `source` one after another, or only frame number *frame. */
static bool view_states(hid_t file, const char *name, const char *source, const sb_view_shape *shape,
                        const hsize_t *frame)
{
  const hsize_t stored[3] = {shape->frames, shape->vertices, 3};
  const hsize_t extents[2] = {frame ? shape->vertices : shape->frames * shape->vertices, 3};
  const hid_t   space = H5Screate_simple(2, extents, NULL), plist = sb_h5_dataset_plist();
  bool          ok = space >= 0 && plist >= 0 && map_block(plist, space, source, stored, frame) &&
            create_virtual(file, name, H5T_NATIVE_DOUBLE, space, plist);
  ok = sb_h5_close(space) && ok;
  return sb_h5_close(plist) && ok;
}

static bool map_list(hid_t plist, hid_t space, hsize_t start, const char *source, const hsize_t extents[3])
{
  const hsize_t count = extents[0] * extents[1];
  if (count == 0) return true;
  return H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL) >= 0 &&
         map_block(plist, space, source, extents, NULL);
}

/* Connectivity: the ends of the springs, then the corners of the triangles. */
static bool view_connectivity(hid_t file, const sb_view_shape *shape)
{
  const hsize_t springs[3] = {shape->springs, 2, 0}, triangles[3] = {shape->triangles, 3, 0};
  const hsize_t total = 2 * shape->springs + 3 * shape->triangles;
  const hid_t   space = H5Screate_simple(1, &total, NULL), plist = sb_h5_dataset_plist();
  bool          ok = space >= 0 && plist >= 0 && map_list(plist, space, 0, "/connectivity/springs", springs) &&
            map_list(plist, space, 2 * shape->springs, "/connectivity/triangles", triangles) &&
            H5Sselect_all(space) >= 0 && create_virtual(file, "VTKHDF/Connectivity", H5T_NATIVE_INT64, space, plist);
  ok = sb_h5_close(space) && ok;
  return sb_h5_close(plist) && ok;
}

static bool write_cells(hid_t file, const sb_view_shape *shape)
{
  const size_t cells = shape->springs + shape->triangles;
  int64_t     *offsets = malloc((cells + 1) * sizeof *offsets);
  uint8_t     *types = malloc(cells + 1);
  bool         ok = offsets && types;
  if (ok) offsets[0] = 0;
  for (size_t i = 0; ok && i < cells; ++i) {
    const bool line = i < shape->springs;
    types[i] = line ? VTK_LINE : VTK_TRIANGLE;
    offsets[i + 1] = offsets[i] + (line ? 2 : 3);
  }
  ok = ok && sb_h5_write_array(file, "VTKHDF/Offsets", H5T_NATIVE_INT64, cells + 1, 0, offsets) &&
       sb_h5_write_array(file, "VTKHDF/Types", H5T_NATIVE_UINT8, cells, 0, types);
  free(offsets);
  free(types);
  return ok;
}

/* `count` rows start, start + stride, …; width as in sb_h5_write_array. */
static bool write_sequence(hid_t file, const char *name, size_t count, size_t width, const int64_t terms[2])
{
  int64_t *values = malloc(count * sizeof *values);
  if (!values) return false;
  for (size_t i = 0; i < count; ++i) values[i] = terms[0] + (int64_t)i * terms[1];
  const bool ok = sb_h5_write_array(file, name, H5T_NATIVE_INT64, count, width, values);
  free(values);
  return ok;
}

static bool write_steps(hid_t file, const sb_view_shape *shape)
{
  const int64_t zeros[2] = {0, 0}, ones[2] = {1, 0}, frames[2] = {0, (int64_t)shape->vertices};
  const hid_t   steps = sb_h5_group(file, "VTKHDF/Steps"), points = sb_h5_group(file, "VTKHDF/Steps/PointDataOffsets");
  bool ok = steps >= 0 && points >= 0 && sb_h5_put_integers(steps, "NSteps", 1, &(int64_t){(int64_t)shape->frames}) &&
            sb_h5_link(file, "/particles/all/position/time", "VTKHDF/Steps/Values") &&
            write_sequence(file, "VTKHDF/Steps/PartOffsets", shape->frames, 0, zeros) &&
            write_sequence(file, "VTKHDF/Steps/NumberOfParts", shape->frames, 0, ones) &&
            write_sequence(file, "VTKHDF/Steps/PointOffsets", shape->frames, 0, frames) &&
            write_sequence(file, "VTKHDF/Steps/CellOffsets", shape->frames, 1, zeros) &&
            sb_h5_link(file, "/VTKHDF/Steps/CellOffsets", "VTKHDF/Steps/ConnectivityIdOffsets") &&
            sb_h5_link(file, "/VTKHDF/Steps/PointOffsets", "VTKHDF/Steps/PointDataOffsets/velocity") &&
            sb_h5_link(file, "/VTKHDF/Steps/PartOffsets", "VTKHDF/Steps/PointDataOffsets/mass");
  ok = sb_h5_close(steps) && ok;
  return sb_h5_close(points) && ok;
}

static bool write_grid(hid_t file, const sb_view_shape *shape)
{
  const int64_t points[2] = {(int64_t)shape->vertices, 0};
  const int64_t cells[2] = {(int64_t)(shape->springs + shape->triangles), 0};
  const int64_t ids[2] = {(int64_t)(2 * shape->springs + 3 * shape->triangles), 0};
  return write_sequence(file, "VTKHDF/NumberOfPoints", 1, 0, points) &&
         write_sequence(file, "VTKHDF/NumberOfCells", 1, 0, cells) &&
         write_sequence(file, "VTKHDF/NumberOfConnectivityIds", 1, 0, ids) && write_cells(file, shape) &&
         view_connectivity(file, shape) &&
         view_states(file, "VTKHDF/Points", "/particles/all/position/value", shape, NULL) &&
         view_states(file, "VTKHDF/PointData/velocity", "/particles/all/velocity/value", shape, NULL) &&
         sb_h5_link(file, "/particles/all/mass", "VTKHDF/PointData/mass");
}

bool sb_vtkhdf_write(hid_t file, const sb_view_shape *shape)
{
  static const int64_t version[2] = {2, 0};
  if (shape->frames == 0) return true;
  const hid_t group = sb_h5_group(file, "VTKHDF"), data = sb_h5_group(file, "VTKHDF/PointData");
  bool        ok = group >= 0 && data >= 0 && sb_h5_put_integers(group, "Version", 2, version) &&
            sb_h5_put_ascii(group, "Type", "UnstructuredGrid") && write_grid(file, shape) && write_steps(file, shape);
  ok = sb_h5_close(group) && ok;
  return sb_h5_close(data) && ok;
}

bool sb_frame_views_write(hid_t file, const sb_view_shape *shape)
{
  char name[SB_H5_CAUSE_SIZE];
  for (hsize_t k = 0; k < shape->frames; ++k) {
    snprintf(name, sizeof name, "frames/%llu", (unsigned long long)k);
    const hid_t group = sb_h5_group(file, name);
    if (group < 0 || !sb_h5_close(group)) return false;
    snprintf(name, sizeof name, "frames/%llu/position", (unsigned long long)k);
    if (!view_states(file, name, "/particles/all/position/value", shape, &k)) return false;
    snprintf(name, sizeof name, "frames/%llu/velocity", (unsigned long long)k);
    if (!view_states(file, name, "/particles/all/velocity/value", shape, &k)) return false;
  }
  return true;
}
