/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See hdf5_tools.h. The cause of a failure is the innermost record of HDF5's error stack, or its text of errno. */
#include "cases/store/hdf5_tools.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/allocate.h"
#include "cases/common/durable.h"
#include "cases/common/json_text.h"

enum { TEXT_LIMIT = 1 << 20, LIST_LIMIT = 16 };
static const hsize_t rows_limit = (hsize_t)1 << 40;

static char own[SB_H5_CAUSE_SIZE], *watched = own;

/* "… error message = 'No space left on device', buf = …" becomes "No space left on device". */
static herr_t copy_innermost(unsigned n, const H5E_error2_t *record, void *context)
{
  static const char mark[] = "error message = '";
  (void)n, (void)context;
  if (!sb_h5_good() || !record->desc) return 0;
  const char *text = strstr(record->desc, mark);
  if (text)
    snprintf(watched, SB_H5_CAUSE_SIZE, "%.*s", (int)strcspn(text + strlen(mark), "'"), text + strlen(mark));
  else
    snprintf(watched, SB_H5_CAUSE_SIZE, "%s", record->desc);
  return 0;
}

/* HDF5 calls this instead of printing: at the end of every API call that failed. */
static herr_t keep_cause(hid_t stack, void *context)
{
  (void)context;
  if (!sb_h5_good()) return 0;
  H5Ewalk2(stack, H5E_WALK_UPWARD, copy_innermost, NULL);
  if (sb_h5_good()) sb_h5_refuse("unknown error of the HDF5 library");
  return 0;
}

void sb_h5_watch(char cause[SB_H5_CAUSE_SIZE])
{
  own[0] = '\0';
  watched = cause ? cause : own;
  if (H5open() < 0 || H5Eset_auto2(H5E_DEFAULT, keep_cause, NULL) < 0) sb_h5_refuse("HDF5 cannot be used");
}

bool sb_h5_good(void) { return watched[0] == '\0'; }

const char *sb_h5_cause(void) { return watched; }

void sb_h5_refuse(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  if (sb_h5_good()) vsnprintf(watched, SB_H5_CAUSE_SIZE, format, arguments);
  va_end(arguments);
}

/* ---- Identifiers ---- */

bool sb_h5_close(hid_t id) { return id < 0 || H5Idec_ref(id) >= 0; }

void sb_h5_leave(const hid_t *id) { (void)sb_h5_close(*id); }

/* Only regular files that can be opened are passed to HDF5, which would wait for a pipe. */
static bool is_readable(const char *path)
{
  const int  file = sb_open(path, O_RDONLY);
  const bool readable = file >= 0 && close(file) == 0;
  if (!readable) sb_h5_refuse("%s", sb_cause(errno));
  return readable;
}

hid_t sb_h5_file(const char *path, unsigned flags)
{
  if (flags == H5F_ACC_RDONLY && !is_readable(path)) return -1;
  SB_H5_ID access = H5Pcreate(H5P_FILE_ACCESS), creation = H5Pcreate(H5P_FILE_CREATE);
  /* The format of HDF5 1.10 has virtual datasets and cheap appends. An object left open makes the file's close fail. */
  H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
  H5Pset_fclose_degree(access, H5F_CLOSE_SEMI);
  H5Pset_obj_track_times(creation, false);
  if (!sb_h5_good()) return -1;
  if (flags == H5F_ACC_TRUNC) {
    (void)unlink(path); /* as sb_create */
    return H5Fcreate(path, H5F_ACC_EXCL, creation, access);
  }
  hid_t file = H5Fopen(path, flags, access);
  while (file < 0 && strcmp(watched, strerror(EINTR)) == 0) { /* HDF5 does not repeat an interrupted open */
    watched[0] = '\0';
    file = H5Fopen(path, flags, access);
  }
  return file;
}

static herr_t refuse_link(const char *parent, const char *group, const char *file, const char *object, unsigned *flags,
                          hid_t access, void *context)
{
  (void)parent, (void)group, (void)object, (void)flags, (void)access, (void)context;
  sb_h5_refuse("a link in it to another file, '%s', is not followed", file);
  return -1;
}

/* Access properties for everything that opens by a path: they refuse links to other files. A case file is complete in
 * itself, and one from another person must not make its reader open further files. */
static hid_t stay_inside(hid_t class)
{
  const hid_t access = H5Pcreate(class);
  H5Pset_elink_cb(access, refuse_link, NULL);
  return access;
}

hid_t sb_h5_group(hid_t parent, const char *path)
{
  const unsigned order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
  char           prefix[SB_H5_PATH_SIZE];
  hid_t          group = -1;
  /* HDF5 could make missing parents itself, but those would track times. */
  SB_H5_ID creation = H5Pcreate(H5P_GROUP_CREATE);
  H5Pset_obj_track_times(creation, false);
  H5Pset_link_creation_order(creation, order);
  H5Pset_attr_creation_order(creation, order);
  for (size_t end = 1; end <= strlen(path) && sb_h5_good(); ++end) {
    if (path[end] != '/' && path[end] != '\0') continue;
    snprintf(prefix, sizeof prefix, "%.*s", (int)end, path);
    sb_h5_close(group);
    group = H5Lexists(parent, prefix, H5P_DEFAULT) > 0 ? H5Gopen2(parent, prefix, H5P_DEFAULT)
                                                       : H5Gcreate2(parent, prefix, H5P_DEFAULT, creation, H5P_DEFAULT);
  }
  return group;
}

bool sb_h5_exists(hid_t parent, const char *path)
{
  char     prefix[SB_H5_PATH_SIZE];
  SB_H5_ID access = stay_inside(H5P_LINK_ACCESS);
  for (size_t end = 1; end <= strlen(path); ++end) {
    if (path[end] != '/' && path[end] != '\0') continue;
    snprintf(prefix, sizeof prefix, "%.*s", (int)end, path);
    if (H5Lexists(parent, prefix, access) <= 0) return false;
  }
  return true;
}

static hid_t text_type(size_t length, H5T_cset_t charset)
{
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, length > 0 ? length : 1);
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  H5Tset_cset(type, charset);
  return type;
}

hid_t sb_h5_type(char kind, size_t text_length)
{
  if (kind == 't') return text_type(text_length, H5T_CSET_ASCII);
  return H5Tcopy(kind == 'i' ? H5T_NATIVE_INT32 : kind == 'l' ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE);
}

hid_t sb_h5_dataset_plist(void)
{
  const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(plist, false);
  H5Pset_attr_creation_order(plist, H5P_CRT_ORDER_TRACKED);
  return plist;
}

/* ---- Attributes, written ---- */

void sb_h5_put(hid_t object, const char *name, hid_t type, size_t count, const void *values)
{
  const hsize_t extent = count;
  SB_H5_ID      space = count > 1 ? H5Screate_simple(1, &extent, NULL) : H5Screate(count == 1 ? H5S_SCALAR : H5S_NULL);
  SB_H5_ID      attribute = sb_h5_good() ? H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT) : -1;
  if (count > 0) H5Awrite(attribute, type, values);
}

void sb_h5_put_string(hid_t object, const char *name, const char *text, H5T_cset_t charset)
{
  SB_H5_ID type = text_type(strlen(text), charset);
  sb_h5_put(object, name, type, 1, text);
}

/* ---- Datasets, written ---- */

static int rank_of(const sb_h5_layout *layout) { return 1 + (layout->extents[1] > 0) + (layout->extents[2] > 0); }

hid_t sb_h5_create_dataset(hid_t parent, const char *name, const sb_h5_layout *layout)
{
  const bool grows = layout->rows_a_chunk > 0;
  hsize_t    limits[SB_H5_RANK_MAX], chunk[SB_H5_RANK_MAX];
  memcpy(limits, layout->extents, sizeof limits);
  memcpy(chunk, layout->extents, sizeof chunk);
  limits[0] = H5S_UNLIMITED;
  chunk[0] = layout->rows_a_chunk;
  SB_H5_ID space = H5Screate_simple(rank_of(layout), layout->extents, grows ? limits : NULL);
  SB_H5_ID plist = sb_h5_dataset_plist();
  if (grows) H5Pset_chunk(plist, rank_of(layout), chunk);
  if (layout->rows_a_chunk == 1) H5Pset_fill_time(plist, H5D_FILL_TIME_NEVER); /* chunks are written whole */
  if (!sb_h5_good()) return -1;
  const hid_t dataset = H5Dcreate2(parent, name, layout->type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
  if (layout->unit) sb_h5_put_ascii(dataset, "unit", layout->unit);
  return dataset;
}

void sb_h5_write(hid_t parent, const char *name, const sb_h5_layout *layout, const void *data)
{
  SB_H5_ID dataset = sb_h5_create_dataset(parent, name, layout);
  if (layout->extents[0] > 0) H5Dwrite(dataset, layout->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
}

void sb_h5_series_begin(sb_h5_series *series, sb_arena *arena, hid_t parent, const char *name,
                        const sb_h5_layout *layout)
{
  *series = (sb_h5_series){.parent = parent, .dataset = -1, .name = name, .layout = *layout};
  series->row_bytes = H5Tget_size(layout->type) * (layout->extents[1] > 0 ? layout->extents[1] : 1);
  series->buffer = sb_arena_take(arena, SB_H5_SERIES_BLOCK, series->row_bytes);
}

static void write_block(sb_h5_series *s)
{
  const hsize_t start[2] = {s->written, 0}, count[2] = {s->buffered, s->layout.extents[1]};
  const hsize_t extents[2] = {s->written + s->buffered, s->layout.extents[1]};
  s->layout.extents[0] = 0;
  s->layout.rows_a_chunk = SB_H5_SERIES_BLOCK;
  if (s->dataset < 0 && s->written > 0) s->dataset = H5Dopen2(s->parent, s->name, H5P_DEFAULT);
  if (s->dataset < 0) s->dataset = sb_h5_create_dataset(s->parent, s->name, &s->layout);
  H5Dset_extent(s->dataset, extents);
  SB_H5_ID file_space = H5Dget_space(s->dataset), memory_space = H5Screate_simple(rank_of(&s->layout), count, NULL);
  H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, NULL, count, NULL);
  if (sb_h5_good()) H5Dwrite(s->dataset, s->layout.type, memory_space, file_space, H5P_DEFAULT, s->buffer);
  s->written += s->buffered;
  s->buffered = 0;
}

void sb_h5_series_append(sb_h5_series *series, const void *row)
{
  if (series->buffered == SB_H5_SERIES_BLOCK) write_block(series);
  memcpy(series->buffer + series->buffered * series->row_bytes, row, series->row_bytes);
  series->buffered++;
}

void sb_h5_series_end(sb_h5_series *s)
{
  if (!s->name) return;
  s->layout.extents[0] = s->buffered;
  if (s->written == 0)
    sb_h5_write(s->parent, s->name, &s->layout, s->buffer);
  else if (s->buffered > 0)
    write_block(s);
  sb_h5_series_drop(s);
}

void sb_h5_series_drop(sb_h5_series *series)
{
  if (!series->name) return;
  sb_h5_close(series->dataset);
  sb_h5_close(series->layout.type);
  *series = (sb_h5_series){0};
}

void sb_h5_series_rest(sb_h5_series *series)
{
  if (!series->name) return;
  sb_h5_close(series->dataset);
  series->dataset = -1;
}

/* ---- Attributes and members, read ---- */

/* One text, or a list of several; NULL if one is not UTF-8. h5py writes texts of variable length. */
static json_t *read_texts(hid_t attribute, hid_t type, size_t count)
{
  const bool   vary = H5Tis_variable_str(type) > 0;
  const size_t size = vary ? sizeof(char *) : H5Tget_size(type);
  if (size == 0 || size > TEXT_LIMIT) return NULL;
  SB_OWNED char *bytes = sb_allocate(count * size + 1, 1);
  json_auto_t   *list = json_array();
  if (H5Aread(attribute, type, bytes) < 0) return NULL;
  for (size_t i = 0; i < count; ++i) {
    char *text = bytes + i * size;
    if (vary) memcpy(&text, bytes + i * size, sizeof text);
    if (text) json_array_append_new(list, json_stringn(text, vary ? strlen(text) : strnlen(text, size)));
    if (vary) H5free_memory(text);
  }
  if (json_array_size(list) < count) return NULL;
  return json_incref(count == 1 ? json_array_get(list, 0) : list);
}

hid_t sb_h5_open(hid_t file, const char *path)
{
  SB_H5_ID access = stay_inside(H5P_LINK_ACCESS);
  return H5Oopen(file, path, access);
}

static json_t *read_attribute(hid_t object, const char *name)
{
  int8_t   truth = 0;
  int64_t  whole[LIST_LIMIT];
  double   real[LIST_LIMIT];
  SB_H5_ID attribute = H5Aopen(object, name, H5P_DEFAULT);
  SB_H5_ID type = H5Aget_type(attribute), space = H5Aget_space(attribute);
  const H5T_class_t class = H5Tget_class(type);
  const H5S_class_t extent = H5Sget_simple_extent_type(space);
  const hssize_t    count = H5Sget_simple_extent_npoints(space);
  if (!sb_h5_good()) return NULL;
  if (extent == H5S_NULL) return json_null();
  if (class == H5T_STRING) return count >= 1 && count <= LIST_LIMIT ? read_texts(attribute, type, (size_t)count) : NULL;
  if (class == H5T_ENUM && count == 1 && H5Tget_size(type) == sizeof truth && H5Aread(attribute, type, &truth) >= 0)
    return json_boolean(truth);
  const bool integers = class == H5T_INTEGER;
  if ((!integers && class != H5T_FLOAT) || count < 1 || count > LIST_LIMIT) return NULL;
  if (H5Aread(attribute, integers ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE, integers ? (void *)whole : real) < 0)
    return NULL;
  /* JSON has no NaN. An option has it if the program chooses its number. */
  if (extent == H5S_SCALAR) return integers ? json_integer(whole[0]) : sb_json_of_real(real[0]);
  json_t *list = json_array();
  for (hssize_t i = 0; i < count; ++i)
    json_array_append_new(list, integers ? json_integer(whole[i]) : sb_json_of_real(real[i]));
  return list;
}

static herr_t add_attribute(hid_t object, const char *name, const H5A_info_t *info, void *context)
{
  (void)info;
  return json_object_set_new(context, name, read_attribute(object, name)) == 0 ? 0 : -1;
}

static herr_t add_member(hid_t group, const char *name, const H5L_info_t *info, void *context)
{
  (void)group, (void)info;
  return json_array_append_new(context, json_string(name)) == 0 ? 0 : -1;
}

/* `read`, or NULL unless HDF5 visited all members: it does not always report this otherwise. */
static json_t *if_whole(json_t *read, herr_t status)
{
  if (status >= 0 && sb_h5_good()) return read;
  sb_h5_refuse(SB_H5_INCOMPLETE);
  json_decref(read);
  return NULL;
}

json_t *sb_h5_attributes(hid_t file, const char *path)
{
  json_t  *json = json_object();
  SB_H5_ID access = stay_inside(H5P_GROUP_ACCESS), group = H5Gopen2(file, path, access);
  return if_whole(json, H5Aiterate2(group, H5_INDEX_CRT_ORDER, H5_ITER_INC, NULL, add_attribute, json));
}

json_t *sb_h5_members(hid_t file, const char *path)
{
  json_t  *names = json_array();
  unsigned order = 0;
  SB_H5_ID access = stay_inside(H5P_GROUP_ACCESS), group = H5Gopen2(file, path, access);
  SB_H5_ID creation = H5Gget_create_plist(group);
  H5Pget_link_creation_order(creation, &order);
  const H5_index_t index = order & H5P_CRT_ORDER_TRACKED ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME; /* by others */
  return if_whole(names, H5Literate(group, index, H5_ITER_INC, NULL, add_member, names));
}

bool sb_h5_is_dataset(hid_t file, const char *path)
{
  SB_H5_ID object = sb_h5_open(file, path);
  return H5Iget_type(object) == H5I_DATASET;
}

/* ---- Datasets, read ---- */

/* True if source number i of a view is a dataset of this file that stores its values itself. */
static bool is_plain_source(hid_t dataset, hid_t creation, size_t i)
{
  char     file[4], name[SB_H5_PATH_SIZE];
  SB_H5_ID access = stay_inside(H5P_DATASET_ACCESS);
  if (H5Pget_virtual_filename(creation, i, file, sizeof file) != 1 || file[0] != '.') return false;
  if (H5Pget_virtual_dsetname(creation, i, name, sizeof name) >= (ssize_t)sizeof name) return false;
  SB_H5_ID source = H5Dopen2(dataset, name, access), how = H5Dget_create_plist(source);
  return how >= 0 && H5Pget_external_count(how) == 0 && H5Pget_layout(how) != H5D_VIRTUAL;
}

/* True if a dataset's values are in this file: in the dataset itself or, for a view, in other datasets. */
static bool stays_inside(hid_t dataset, const char *path)
{
  size_t   sources = 0;
  SB_H5_ID creation = H5Dget_create_plist(dataset);
  if (creation < 0) return true; /* HDF5 reports this */
  bool inside = H5Pget_external_count(creation) == 0;
  if (H5Pget_layout(creation) == H5D_VIRTUAL) inside = inside && H5Pget_virtual_count(creation, &sources) >= 0;
  for (size_t i = 0; inside && i < sources; ++i) inside = is_plain_source(dataset, creation, i);
  if (!inside) sb_h5_refuse("the values of '%s' are in another file, which is not read", path);
  return inside;
}

hid_t sb_h5_open_dataset(hid_t file, const char *path, int rank, hsize_t extents[SB_H5_RANK_MAX])
{
  SB_H5_ID    access = stay_inside(H5P_DATASET_ACCESS);
  const hid_t dataset = H5Dopen2(file, path, access);
  SB_H5_ID    space = H5Dget_space(dataset);
  const int   found = H5Sget_simple_extent_ndims(space);
  for (int i = 0; i < SB_H5_RANK_MAX; ++i) extents[i] = 1;
  if (stays_inside(dataset, path) && found >= 1 && found <= SB_H5_RANK_MAX && (rank == 0 || found == rank) &&
      H5Sget_simple_extent_dims(space, extents, NULL) >= 0)
    return dataset;
  sb_h5_close(dataset);
  return -1;
}

bool sb_h5_read_row(hid_t dataset, int rank, const hsize_t *extents, hsize_t row, hid_t type, void *values)
{
  const hsize_t start[SB_H5_RANK_MAX] = {row}, count[SB_H5_RANK_MAX] = {1, extents[1], extents[2]};
  SB_H5_ID      all = H5Dget_space(dataset), one = H5Screate_simple(rank, count, NULL);
  return H5Sselect_hyperslab(all, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
         H5Dread(dataset, type, one, all, H5P_DEFAULT, values) >= 0;
}

bool sb_h5_read_number(hid_t file, const char *path, double *value)
{
  SB_H5_ID access = stay_inside(H5P_DATASET_ACCESS), dataset = H5Dopen2(file, path, access);
  SB_H5_ID space = H5Dget_space(dataset);
  return H5Sget_simple_extent_type(space) == H5S_SCALAR && stays_inside(dataset, path) &&
         H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0;
}

void *sb_h5_read_array(sb_arena *arena, hid_t file, const char *path, hid_t type, size_t width, size_t *rows)
{
  hsize_t      extents[SB_H5_RANK_MAX];
  SB_H5_ID     dataset = sb_h5_open_dataset(file, path, width > 0 ? 2 : 1, extents);
  const size_t size = H5Tget_size(type);
  *rows = (size_t)extents[0];
  if (dataset < 0 || size == 0 || (width > 0 && extents[1] != width) || extents[0] >= rows_limit) return NULL;
  void      *values = sb_arena_take(arena, (size_t)(extents[0] * extents[1]), size);
  const bool read = extents[0] == 0 || H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
  return read ? values : NULL;
}

static void add_column(sb_stored_columns *c, char *name, char *unit, double *values)
{
  c->names = sb_arena_grow(c->arena, c->names, c->columns, sizeof *c->names);
  c->units = sb_arena_grow(c->arena, c->units, c->columns, sizeof *c->units);
  c->values = sb_arena_grow(c->arena, c->values, c->columns, sizeof *c->values);
  c->names[c->columns] = name;
  c->units[c->columns] = unit;
  c->values[c->columns++] = values;
}

bool sb_h5_attribute(hid_t file, const char *path, const char *name, json_t **value)
{
  SB_H5_ID   object = sb_h5_open(file, path);
  const bool there = H5Aexists(object, name) > 0;
  *value = there ? read_attribute(object, name) : NULL;
  return !there || *value;
}

char *sb_h5_unit(sb_arena *arena, hid_t dataset)
{
  json_auto_t *said = H5Aexists(dataset, "unit") > 0 ? read_attribute(dataset, "unit") : json_string("");
  return sb_arena_copy(arena, json_string_value(said));
}

bool sb_h5_read_columns(hid_t file, const char *path, const char *name, sb_stored_columns *c)
{
  hsize_t      extents[SB_H5_RANK_MAX];
  SB_H5_ID     dataset = sb_h5_open_dataset(file, path, 0, extents);
  const size_t rows = (size_t)extents[0], width = (size_t)extents[1];
  if (dataset < 0 || (width != 1 && width != 3) || extents[2] != 1 || extents[0] >= rows_limit) return false;
  if (c->columns > 0 && c->count != rows) return false;
  char   *unit = sb_h5_unit(c->arena, dataset);
  double *data = sb_arena_take(c->arena, rows * width, sizeof *data);
  if (!unit || H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) return false;
  c->count = rows;
  if (width == 1) add_column(c, sb_arena_copy(c->arena, name), unit, data);
  for (size_t i = 0; width > 1 && i < width; ++i) {
    double *values = sb_arena_take(c->arena, rows, sizeof *values);
    for (size_t row = 0; row < rows; ++row) values[row] = data[row * width + i];
    add_column(c, sb_arena_format(c->arena, "%s_%c", name, "xyz"[i]), unit, values);
  }
  return true;
}
