/* Checked HDF5 calls; see hdf5_tools.h. The cause of a failure is taken from the innermost record of HDF5's error
 * stack, and from it the text of errno where a system call failed. */
#include "harness/store/hdf5_tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"

enum { TEXT_LIMIT = 1 << 20, LIST_LIMIT = 16 };
static const hsize_t rows_limit = (hsize_t)1 << 40;

static herr_t copy_innermost(unsigned n, const H5E_error2_t *record, void *context)
{
  char *cause = context;
  (void)n;
  if (cause[0] == '\0' && record->desc) snprintf(cause, SB_H5_CAUSE_SIZE, "%s", record->desc);
  return 0;
}

/* "… error message = 'No space left on device', buf = …" becomes "No space left on device". */
static void shorten(char *cause)
{
  static const char mark[] = "error message = '";
  const char       *start = strstr(cause, mark);
  if (!start) return;
  start += sizeof mark - 1;
  const char *end = strchr(start, '\'');
  if (!end) return;
  const size_t length = (size_t)(end - start);
  memmove(cause, start, length);
  cause[length] = '\0';
}

/* HDF5 calls this where it would print: at the end of every API call that failed. */
static herr_t keep_cause(hid_t stack, void *context)
{
  char *cause = context;
  if (!cause || cause[0] != '\0') return 0;
  H5Ewalk2(stack, H5E_WALK_UPWARD, copy_innermost, cause);
  if (cause[0] == '\0') snprintf(cause, SB_H5_CAUSE_SIZE, "unknown error of the HDF5 library");
  shorten(cause);
  return 0;
}

bool sb_h5_watch(char cause[SB_H5_CAUSE_SIZE])
{
  return H5open() >= 0 && H5Eset_auto2(H5E_DEFAULT, keep_cause, cause) >= 0;
}

/* ---- Identifiers ---- */

bool sb_h5_close(hid_t id)
{
  if (id < 0) return true;
  switch (H5Iget_type(id)) {
  case H5I_FILE:
    return H5Fclose(id) >= 0;
  case H5I_GROUP:
    return H5Gclose(id) >= 0;
  case H5I_DATASET:
    return H5Dclose(id) >= 0;
  case H5I_DATATYPE:
    return H5Tclose(id) >= 0;
  case H5I_DATASPACE:
    return H5Sclose(id) >= 0;
  case H5I_ATTR:
    return H5Aclose(id) >= 0;
  case H5I_GENPROP_LST:
    return H5Pclose(id) >= 0;
  default:
    return false;
  }
}

bool sb_h5_close_all(bool good, const hid_t *ids)
{
  for (; *ids != SB_H5_LAST; ++ids) good = sb_h5_close(*ids) && good;
  return good;
}

/* `id` when all is good; else it is closed. */
static hid_t only_if(bool good, hid_t id)
{
  if (good) return id;
  (void)sb_h5_close(id);
  return -1;
}

/* The format of HDF5 1.10 has virtual datasets and cheap appends. An object left open makes the file's close fail. */
static hid_t access_plist(void)
{
  const hid_t plist = H5Pcreate(H5P_FILE_ACCESS);
  return only_if(H5Pset_libver_bounds(plist, H5F_LIBVER_V110, H5F_LIBVER_V110) >= 0 &&
                     H5Pset_fclose_degree(plist, H5F_CLOSE_SEMI) >= 0,
                 plist);
}

hid_t sb_h5_create_file(const char *path)
{
  const hid_t access = access_plist(), creation = H5Pcreate(H5P_FILE_CREATE);
  hid_t       file = -1;
  if (access >= 0 && H5Pset_obj_track_times(creation, false) >= 0)
    file = H5Fcreate(path, H5F_ACC_TRUNC, creation, access);
  return only_if(SB_H5_CLOSE(true, access, creation), file);
}

hid_t sb_h5_open_file(const char *path)
{
  const hid_t access = access_plist();
  const hid_t file = access >= 0 ? H5Fopen(path, H5F_ACC_RDONLY, access) : -1;
  return only_if(sb_h5_close(access), file);
}

/* HDF5 could make missing parents itself, but those would track times. */
static hid_t create_group(hid_t parent, const char *path)
{
  const unsigned order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
  const hid_t    creation = H5Pcreate(H5P_GROUP_CREATE);
  hid_t          group = -1;
  if (H5Pset_obj_track_times(creation, false) >= 0 && H5Pset_link_creation_order(creation, order) >= 0 &&
      H5Pset_attr_creation_order(creation, order) >= 0)
    group = H5Gcreate2(parent, path, H5P_DEFAULT, creation, H5P_DEFAULT);
  return only_if(sb_h5_close(creation), group);
}

hid_t sb_h5_group(hid_t parent, const char *path)
{
  char  prefix[SB_H5_PATH_SIZE];
  hid_t group = -1;
  for (size_t end = 1; end <= strlen(path); ++end) {
    if (path[end] != '/' && path[end] != '\0') continue;
    snprintf(prefix, sizeof prefix, "%.*s", (int)end, path);
    if (!sb_h5_close(group)) return -1;
    const bool there = H5Lexists(parent, prefix, H5P_DEFAULT) > 0;
    group = there ? H5Gopen2(parent, prefix, H5P_DEFAULT) : create_group(parent, prefix);
    if (group < 0) return -1;
  }
  return group;
}

bool sb_h5_make_group(hid_t parent, const char *path)
{
  const hid_t group = sb_h5_group(parent, path);
  return group >= 0 && sb_h5_close(group);
}

bool sb_h5_exists(hid_t parent, const char *path)
{
  char prefix[SB_H5_PATH_SIZE];
  for (size_t end = 1; end <= strlen(path); ++end) {
    if (path[end] != '/' && path[end] != '\0') continue;
    snprintf(prefix, sizeof prefix, "%.*s", (int)end, path);
    if (H5Lexists(parent, prefix, H5P_DEFAULT) <= 0) return false;
  }
  return true;
}

bool sb_h5_link(hid_t parent, const char *target, const char *name)
{
  return H5Lcreate_hard(parent, target, parent, name, H5P_DEFAULT, H5P_DEFAULT) >= 0;
}

hid_t sb_h5_text_type(size_t length, H5T_cset_t charset)
{
  const hid_t type = H5Tcopy(H5T_C_S1);
  return only_if(H5Tset_size(type, length > 0 ? length : 1) >= 0 && H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 &&
                     H5Tset_cset(type, charset) >= 0,
                 type);
}

static hid_t flag_type(void)
{
  const int8_t values[2] = {0, 1};
  const hid_t  type = H5Tenum_create(H5T_STD_I8LE);
  return only_if(H5Tenum_insert(type, "FALSE", &values[0]) >= 0 && H5Tenum_insert(type, "TRUE", &values[1]) >= 0, type);
}

hid_t sb_h5_record_type(size_t size, size_t count, const sb_h5_member *members)
{
  const hid_t type = H5Tcreate(H5T_COMPOUND, size);
  bool        ok = true;
  for (size_t i = 0; ok && i < count; ++i) {
    const sb_h5_member *m = &members[i];
    const hid_t         text = m->kind == 't' ? sb_h5_text_type(m->text_length, H5T_CSET_ASCII) : -1;
    const hid_t         kind = m->kind == 't'   ? text
                               : m->kind == 'i' ? H5T_NATIVE_INT32
                               : m->kind == 'l' ? H5T_NATIVE_INT64
                                                : H5T_NATIVE_DOUBLE;
    ok = SB_H5_CLOSE(H5Tinsert(type, m->name, m->offset, kind) >= 0, text);
  }
  return only_if(ok, type);
}

hid_t sb_h5_dataset_plist(void)
{
  const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
  return only_if(H5Pset_obj_track_times(plist, false) >= 0 &&
                     H5Pset_attr_creation_order(plist, H5P_CRT_ORDER_TRACKED) >= 0,
                 plist);
}

/* ---- Attributes, written ---- */

static bool put_in(hid_t object, const char *name, hid_t type, hid_t space, const void *values)
{
  const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  return SB_H5_CLOSE(attribute >= 0 && (!values || H5Awrite(attribute, type, values) >= 0), attribute, space);
}

bool sb_h5_put(hid_t object, const char *name, hid_t type, size_t count, const void *values)
{
  const hsize_t extent = count;
  return put_in(object, name, type, count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &extent, NULL), values);
}

static bool put_string(hid_t object, const char *name, const char *text, H5T_cset_t charset)
{
  const hid_t type = sb_h5_text_type(strlen(text), charset);
  return SB_H5_CLOSE(type >= 0 && sb_h5_put(object, name, type, 1, text), type);
}

bool sb_h5_put_ascii(hid_t object, const char *name, const char *text)
{
  return put_string(object, name, text, H5T_CSET_ASCII);
}

bool sb_h5_put_text(hid_t object, const char *name, const char *text)
{
  return put_string(object, name, text, H5T_CSET_UTF8);
}

bool sb_h5_put_reals(hid_t object, const char *name, size_t count, const double *values)
{
  return sb_h5_put(object, name, H5T_NATIVE_DOUBLE, count, values);
}

bool sb_h5_put_integers(hid_t object, const char *name, size_t count, const int64_t *values)
{
  return sb_h5_put(object, name, H5T_NATIVE_INT64, count, values);
}

bool sb_h5_put_integer(hid_t object, const char *name, int64_t value)
{
  return sb_h5_put_integers(object, name, 1, &value);
}

bool sb_h5_put_flag(hid_t object, const char *name, bool value)
{
  const hid_t type = flag_type();
  return SB_H5_CLOSE(type >= 0 && sb_h5_put(object, name, type, 1, &(int8_t){value}), type);
}

bool sb_h5_put_blank(hid_t object, const char *name)
{
  return put_in(object, name, H5T_NATIVE_DOUBLE, H5Screate(H5S_NULL), NULL);
}

/* ---- Datasets, written ---- */

hid_t sb_h5_create_dataset(hid_t parent, const char *name, const sb_h5_layout *layout)
{
  const bool grows = layout->rows_a_chunk > 0, row_is_chunk = layout->rows_a_chunk == 1;
  hsize_t    limits[SB_H5_RANK_MAX], chunk[SB_H5_RANK_MAX];
  memcpy(limits, layout->extents, sizeof limits);
  memcpy(chunk, layout->extents, sizeof chunk);
  limits[0] = H5S_UNLIMITED;
  chunk[0] = layout->rows_a_chunk;
  const hid_t space = H5Screate_simple(layout->rank, layout->extents, grows ? limits : NULL);
  const hid_t plist = sb_h5_dataset_plist();
  bool        ok = space >= 0 && plist >= 0 && (!grows || H5Pset_chunk(plist, layout->rank, chunk) >= 0);
  if (ok && row_is_chunk) ok = H5Pset_fill_time(plist, H5D_FILL_TIME_NEVER) >= 0; /* chunks are written whole */
  const hid_t dataset = ok ? H5Dcreate2(parent, name, layout->type, space, H5P_DEFAULT, plist, H5P_DEFAULT) : -1;
  ok = dataset >= 0 && (!layout->unit || sb_h5_put_ascii(dataset, "unit", layout->unit));
  return only_if(SB_H5_CLOSE(ok, space, plist), dataset);
}

/* Writes a contiguous dataset and leaves it open. */
static hid_t write_array(hid_t parent, const char *name, const char *unit, hid_t type, const size_t extents[2],
                         const void *data)
{
  const sb_h5_layout layout = {
      .type = type, .rank = extents[1] > 0 ? 2 : 1, .extents = {extents[0], extents[1]}, .unit = unit};
  const hid_t dataset = sb_h5_create_dataset(parent, name, &layout);
  const bool  ok =
      dataset >= 0 && (extents[0] == 0 || H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
  return only_if(ok, dataset);
}

bool sb_h5_write_array(hid_t parent, const char *name, hid_t type, size_t count, size_t width, const void *data)
{
  const hid_t dataset = write_array(parent, name, NULL, type, (const size_t[]){count, width}, data);
  return dataset >= 0 && sb_h5_close(dataset);
}

bool sb_h5_write_quantity(hid_t parent, const char *name, const char *unit, size_t count, size_t width,
                          const double *values)
{
  const hid_t dataset = write_array(parent, name, unit, H5T_NATIVE_DOUBLE, (const size_t[]){count, width}, values);
  return dataset >= 0 && sb_h5_close(dataset);
}

bool sb_h5_write_curve(hid_t parent, const char *name, const char *unit, size_t count, const double *values)
{
  const hid_t dataset = write_array(parent, name, NULL, H5T_NATIVE_DOUBLE, (const size_t[]){count, 0}, values);
  return SB_H5_CLOSE(dataset >= 0 && sb_h5_put_text(dataset, "unit", unit), dataset);
}

bool sb_h5_series_begin(sb_h5_series *series, hid_t parent, const char *name, const char *unit, hid_t type,
                        size_t width)
{
  *series = (sb_h5_series){.parent = parent, .dataset = -1, .unit = unit, .width = width};
  snprintf(series->name, sizeof series->name, "%s", name);
  series->type = H5Tcopy(type);
  series->row_bytes = H5Tget_size(type) * (width > 0 ? width : 1);
  series->buffer = sb_allocate(SB_H5_SERIES_BLOCK, series->row_bytes);
  return series->type >= 0 && series->row_bytes > 0;
}

static bool write_block(sb_h5_series *s)
{
  const int          rank = s->width > 0 ? 2 : 1;
  const sb_h5_layout layout = {
      .type = s->type, .rank = rank, .extents = {0, s->width}, .rows_a_chunk = SB_H5_SERIES_BLOCK, .unit = s->unit};
  if (s->dataset < 0) s->dataset = sb_h5_create_dataset(s->parent, s->name, &layout);
  const hsize_t extents[2] = {s->written + s->buffered, s->width}, start[2] = {s->written, 0};
  const hsize_t count[2] = {s->buffered, s->width};
  if (s->dataset < 0 || H5Dset_extent(s->dataset, extents) < 0) return false;
  const hid_t file_space = H5Dget_space(s->dataset), memory_space = H5Screate_simple(rank, count, NULL);
  const bool ok = memory_space >= 0 && H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                  H5Dwrite(s->dataset, s->type, memory_space, file_space, H5P_DEFAULT, s->buffer) >= 0;
  s->written += s->buffered;
  s->buffered = 0;
  return SB_H5_CLOSE(ok, file_space, memory_space);
}

bool sb_h5_series_append(sb_h5_series *series, const void *row)
{
  if (series->buffered == SB_H5_SERIES_BLOCK && !write_block(series)) return false;
  memcpy(series->buffer + series->buffered * series->row_bytes, row, series->row_bytes);
  series->buffered++;
  return true;
}

bool sb_h5_series_end(sb_h5_series *s)
{
  if (!s->buffer) return true;
  bool ok = true;
  if (s->written == 0) {
    s->dataset = write_array(s->parent, s->name, s->unit, s->type, (const size_t[]){s->buffered, s->width}, s->buffer);
    ok = s->dataset >= 0;
  } else if (s->buffered > 0) {
    ok = write_block(s);
  }
  ok = SB_H5_CLOSE(ok, s->dataset);
  s->dataset = -1;
  sb_h5_series_drop(s);
  return ok;
}

void sb_h5_series_drop(sb_h5_series *series)
{
  if (!series->buffer) return;
  free(series->buffer);
  (void)SB_H5_CLOSE(true, series->type, series->dataset);
  *series = (sb_h5_series){0};
}

/* ---- Attributes and members, read ---- */

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

static json_t *read_numbers(hid_t attribute, bool integers, hssize_t count, bool scalar)
{
  union {
    int64_t whole[LIST_LIMIT];
    double  real[LIST_LIMIT];
  } read;
  if (count < 1 || count > LIST_LIMIT) return NULL;
  if (H5Aread(attribute, integers ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE, &read) < 0) return NULL;
  json_t *list = json_array();
  for (hssize_t i = 0; i < count; ++i)
    json_array_append_new(list, integers ? json_integer(read.whole[i]) : json_real(read.real[i]));
  if (!scalar) return list;
  json_t *only = json_incref(json_array_get(list, 0));
  json_decref(list);
  return only;
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
  if (SB_H5_CLOSE(true, type, space)) return json;
  json_decref(json);
  return NULL;
}

static json_t *read_attribute(hid_t object, const char *name)
{
  const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
  json_t     *value = attribute >= 0 ? read_value(attribute) : NULL;
  if (sb_h5_close(attribute)) return value;
  json_decref(value);
  return NULL;
}

static herr_t add_attribute(hid_t object, const char *name, const H5A_info_t *info, void *context)
{
  (void)info;
  return json_object_set_new(context, name, read_attribute(object, name)) == 0 ? 0 : -1;
}

static herr_t add_member(hid_t group, const char *name, const H5L_info_t *info, void *context)
{
  (void)group;
  (void)info;
  return json_array_append_new(context, json_string(name)) == 0 ? 0 : -1;
}

json_t *sb_h5_attributes(hid_t file, const char *path)
{
  json_t     *json = json_object();
  const hid_t id = H5Gopen2(file, path, H5P_DEFAULT);
  const bool  ok = id >= 0 && H5Aiterate2(id, H5_INDEX_CRT_ORDER, H5_ITER_INC, NULL, add_attribute, json) >= 0;
  if (SB_H5_CLOSE(ok, id)) return json;
  json_decref(json);
  return NULL;
}

json_t *sb_h5_members(hid_t file, const char *group)
{
  json_t     *names = json_array();
  const hid_t id = H5Gopen2(file, group, H5P_DEFAULT);
  const bool  ok = id >= 0 && H5Literate(id, H5_INDEX_CRT_ORDER, H5_ITER_INC, NULL, add_member, names) >= 0;
  if (SB_H5_CLOSE(ok, id)) return names;
  json_decref(names);
  return NULL;
}

/* ---- Datasets, read ---- */

hid_t sb_h5_open_dataset(hid_t file, const char *path, int rank, hsize_t extents[SB_H5_RANK_MAX])
{
  const hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT), space = dataset >= 0 ? H5Dget_space(dataset) : -1;
  const int   found = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
  for (int i = 0; i < SB_H5_RANK_MAX; ++i) extents[i] = 1;
  const bool ok = found >= 1 && found <= SB_H5_RANK_MAX && (rank == 0 || found == rank) &&
                  H5Sget_simple_extent_dims(space, extents, NULL) >= 0;
  return only_if(SB_H5_CLOSE(ok, space), dataset);
}

bool sb_h5_read_row(hid_t dataset, int rank, const hsize_t *extents, hsize_t row, hid_t type, void *values)
{
  const hsize_t start[SB_H5_RANK_MAX] = {row}, count[SB_H5_RANK_MAX] = {1, extents[1], extents[2]};
  const hid_t   all = H5Dget_space(dataset), one = H5Screate_simple(rank, count, NULL);
  const bool    ok = all >= 0 && one >= 0 && H5Sselect_hyperslab(all, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                  H5Dread(dataset, type, one, all, H5P_DEFAULT, values) >= 0;
  return SB_H5_CLOSE(ok, all, one);
}

void *sb_h5_read_array(sb_arena *arena, hid_t file, const char *path, hid_t type, size_t width, size_t *rows)
{
  hsize_t      extents[SB_H5_RANK_MAX];
  const hid_t  dataset = sb_h5_open_dataset(file, path, width > 0 ? 2 : 1, extents);
  const size_t size = H5Tget_size(type);
  bool         ok = dataset >= 0 && size > 0 && (width == 0 || extents[1] == width) && extents[0] < rows_limit;
  void        *values = ok ? sb_arena_take(arena, (size_t)(extents[0] * extents[1]), size) : NULL;
  ok = ok && (extents[0] == 0 || H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  *rows = (size_t)extents[0];
  return SB_H5_CLOSE(ok, dataset) ? values : NULL;
}

static char *read_unit(sb_arena *arena, hid_t dataset)
{
  if (H5Aexists(dataset, "unit") <= 0) return sb_arena_copy(arena, "");
  json_t *value = read_attribute(dataset, "unit");
  char   *unit = sb_arena_copy(arena, json_string_value(value));
  json_decref(value);
  return unit;
}

bool sb_h5_read_columns(hid_t file, const char *path, const char *name, sb_columns *c)
{
  hsize_t      extents[SB_H5_RANK_MAX];
  const hid_t  dataset = sb_h5_open_dataset(file, path, 0, extents);
  const size_t rows = (size_t)extents[0], width = (size_t)extents[1];
  bool         ok = dataset >= 0 && (width == 1 || width == 3) && extents[2] == 1 && extents[0] < rows_limit &&
            (c->columns == 0 || c->count == rows);
  char   *unit = ok ? read_unit(c->arena, dataset) : NULL;
  double *data = ok ? sb_allocate(rows * width, sizeof *data) : NULL;
  ok = ok && unit && H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
  for (size_t i = 0; ok && i < width; ++i, ++c->columns) {
    c->count = rows;
    c->names = sb_arena_grow(c->arena, c->names, c->columns, sizeof *c->names);
    c->units = sb_arena_grow(c->arena, c->units, c->columns, sizeof *c->units);
    c->values = sb_arena_grow(c->arena, c->values, c->columns, sizeof *c->values);
    c->names[c->columns] =
        width == 1 ? sb_arena_copy(c->arena, name) : sb_arena_format(c->arena, "%s_%c", name, "xyz"[i]);
    c->units[c->columns] = unit;
    double *values = c->values[c->columns] = sb_arena_take(c->arena, rows, sizeof *values);
    for (size_t row = 0; row < rows; ++row) values[row] = data[row * width + i];
  }
  free(data);
  return SB_H5_CLOSE(ok, dataset);
}
