/* Reading attributes and columns; see hdf5_read.h. */
#include "harness/store/hdf5_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"

enum { TEXT_LIMIT = 1 << 20, LIST_LIMIT = 16 };

void sb_columns_clear(sb_columns *columns)
{
  for (size_t i = 0; i < columns->columns; ++i) {
    free(columns->names[i]);
    free(columns->units[i]);
    free(columns->values[i]);
  }
  free(columns->names);
  free(columns->units);
  free(columns->values);
  *columns = (sb_columns){0};
}

static json_t *read_text(hid_t attribute, hid_t type)
{
  const size_t size = H5Tget_size(type);
  if (H5Tis_variable_str(type) != 0 || size == 0 || size > TEXT_LIMIT) return NULL;
  char   *text = sb_allocate(size + 1, 1);
  json_t *json = H5Aread(attribute, type, text) >= 0 ? json_string(text) : NULL;
  free(text);
  return json;
}

static json_t *read_truth(hid_t attribute, hid_t type)
{
  int8_t value = 0;
  if (H5Tget_size(type) != sizeof value || H5Aread(attribute, type, &value) < 0) return NULL;
  return json_boolean(value);
}

static json_t *list_of(json_t *const *items, size_t count, bool scalar)
{
  if (scalar) return items[0];
  json_t *list = json_array();
  for (size_t i = 0; i < count; ++i) json_array_append_new(list, items[i]);
  return list;
}

static json_t *read_numbers(hid_t attribute, bool integers, hssize_t count, bool scalar)
{
  int64_t whole[LIST_LIMIT];
  double  real[LIST_LIMIT];
  json_t *items[LIST_LIMIT];
  if (count < 1 || count > LIST_LIMIT) return NULL;
  if (H5Aread(attribute, integers ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE, integers ? (void *)whole : (void *)real) < 0)
    return NULL;
  for (hssize_t i = 0; i < count; ++i) items[i] = integers ? json_integer(whole[i]) : json_real(real[i]);
  return list_of(items, (size_t)count, scalar);
}

static json_t *read_value(hid_t attribute)
{
  const hid_t       type = H5Aget_type(attribute), space = H5Aget_space(attribute);
  const H5S_class_t extent = H5Sget_simple_extent_type(space);
  const hssize_t    count = H5Sget_simple_extent_npoints(space);
  json_t           *json = NULL;
  if (extent == H5S_NULL)
    json = json_null();
  else if (H5Tget_class(type) == H5T_STRING && count == 1)
    json = read_text(attribute, type);
  else if (H5Tget_class(type) == H5T_ENUM && count == 1)
    json = read_truth(attribute, type);
  else if (H5Tget_class(type) == H5T_INTEGER)
    json = read_numbers(attribute, true, count, extent == H5S_SCALAR);
  else if (H5Tget_class(type) == H5T_FLOAT)
    json = read_numbers(attribute, false, count, extent == H5S_SCALAR);
  const bool closed = sb_h5_close(type) && sb_h5_close(space);
  if (closed) return json;
  json_decref(json);
  return NULL;
}

static herr_t add_attribute(hid_t object, const char *name, const H5A_info_t *info, void *context)
{
  const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
  json_t     *value = attribute >= 0 ? read_value(attribute) : NULL;
  (void)info;
  if (sb_h5_close(attribute) && value) return json_object_set_new(context, name, value) == 0 ? 0 : -1;
  json_decref(value);
  return -1;
}

json_t *sb_h5_attributes(hid_t object)
{
  json_t *json = json_object();
  if (H5Aiterate2(object, H5_INDEX_CRT_ORDER, H5_ITER_INC, NULL, add_attribute, json) >= 0) return json;
  json_decref(json);
  return NULL;
}

static herr_t add_member(hid_t group, const char *name, const H5L_info_t *info, void *context)
{
  (void)group;
  (void)info;
  return json_array_append_new(context, json_string(name)) == 0 ? 0 : -1;
}

json_t *sb_h5_members(hid_t file, const char *group)
{
  json_t     *names = json_array();
  const hid_t id = H5Gopen2(file, group, H5P_DEFAULT);
  const bool  ok = id >= 0 && H5Literate(id, H5_INDEX_CRT_ORDER, H5_ITER_INC, NULL, add_member, names) >= 0;
  if (sb_h5_close(id) && ok) return names;
  json_decref(names);
  return NULL;
}

static char *read_unit(hid_t dataset)
{
  if (H5Aexists(dataset, "unit") <= 0) return sb_copy_text("");
  const hid_t attribute = H5Aopen(dataset, "unit", H5P_DEFAULT);
  json_t     *value = attribute >= 0 ? read_value(attribute) : NULL;
  char       *unit = json_is_string(value) ? sb_copy_text(json_string_value(value)) : NULL;
  json_decref(value);
  return sb_h5_close(attribute) && unit ? unit : (free(unit), NULL);
}

static void append_column(sb_columns *c, char *name, const char *unit, double *values)
{
  c->names = sb_grow(c->names, c->columns, sizeof *c->names);
  c->units = sb_grow(c->units, c->columns, sizeof *c->units);
  c->values = sb_grow(c->values, c->columns, sizeof *c->values);
  c->names[c->columns] = name;
  c->units[c->columns] = sb_copy_text(unit);
  c->values[c->columns++] = values;
}

static void append_columns(sb_columns *columns, const char *name, const char *unit, size_t width, const double *data)
{
  for (size_t i = 0; i < width; ++i) {
    char   *full = width == 1 ? sb_copy_text(name) : sb_format("%s_%c", name, "xyz"[i]);
    double *values = sb_allocate(columns->count, sizeof *values);
    for (size_t row = 0; row < columns->count; ++row) values[row] = data[row * width + i];
    append_column(columns, full, unit, values);
  }
}

/* Extents of a dataset [T] or [T][3]; false when it is neither or does not fit in memory. */
static bool shape_of(hid_t dataset, hsize_t extents[2])
{
  const hid_t space = H5Dget_space(dataset);
  const int   rank = H5Sget_simple_extent_ndims(space);
  extents[1] = 1;
  bool ok = (rank == 1 || rank == 2) && H5Sget_simple_extent_dims(space, extents, NULL) >= 0;
  ok = ok && (extents[1] == 1 || extents[1] == 3) && extents[0] < ((hsize_t)1 << 40);
  return sb_h5_close(space) && ok;
}

bool sb_h5_read_columns(hid_t file, const char *path, const char *name, sb_columns *columns)
{
  hsize_t     extents[2] = {0, 1};
  const hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
  bool        ok = dataset >= 0 && shape_of(dataset, extents);
  ok = ok && (columns->columns == 0 || columns->count == extents[0]);
  char   *unit = ok ? read_unit(dataset) : NULL;
  double *data = ok ? sb_allocate((size_t)(extents[0] * extents[1]), sizeof *data) : NULL;
  ok = ok && unit && H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
  if (ok) {
    columns->count = (size_t)extents[0];
    append_columns(columns, name, unit, (size_t)extents[1], data);
  }
  free(unit);
  free(data);
  return sb_h5_close(dataset) && ok;
}

void *sb_h5_read_array(sb_arena *arena, hid_t file, const char *path, hid_t type, size_t width, size_t *rows)
{
  hsize_t     extents[3] = {0, 0, 0};
  const hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT), space = dataset >= 0 ? H5Dget_space(dataset) : -1;
  const int   rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
  void       *values = NULL;
  bool        ok = rank == (width > 0 ? 2 : 1) && H5Sget_simple_extent_dims(space, extents, NULL) >= 0 &&
            (width == 0 || extents[1] == width) && extents[0] < ((hsize_t)1 << 40);
  if (ok) {
    *rows = (size_t)extents[0];
    values = sb_arena_take(arena, *rows * (width > 0 ? width : 1), H5Tget_size(type));
    ok = *rows == 0 || H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
  }
  ok = sb_h5_close(space) && ok;
  return sb_h5_close(dataset) && ok ? values : NULL;
}
