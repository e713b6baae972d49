/* HDF5 for the writers and readers of case files. Local.
 *
 * Nobody looks at single calls: HDF5 calls us when one of its functions fails, and the cause of the first failure is
 * kept as one line. From then on nothing more is made or written. Who is done looks once, at sb_h5_good. A negative
 * identifier may be handed on: the call that takes it does nothing. HDF5 prints nothing itself, and what these
 * functions create tracks no times, so that equal content gives equal bytes. */
#pragma once

#include <hdf5.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum { SB_H5_CAUSE_SIZE = 256, SB_H5_PATH_SIZE = 256, SB_H5_RANK_MAX = 3 };
/* What is wrong with a file of which HDF5 says nothing. */
#define SB_H5_INCOMPLETE "it is not a complete case file"

/* From here on the cause of a failure goes to `cause` if that is empty, until the next watch; NULL: to a place of our
 * own, which is emptied. */
void        sb_h5_watch(char cause[SB_H5_CAUSE_SIZE]);
bool        sb_h5_good(void); /* nothing has failed */
const char *sb_h5_cause(void);
/* A failure of which HDF5 knows nothing. */
void sb_h5_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* An identifier that is closed where its scope ends. */
#define SB_H5_ID __attribute__((cleanup(sb_h5_leave))) hid_t
void sb_h5_leave(const hid_t *id);
/* Closes any kind of identifier; true for a negative one, which is nothing to close. */
bool sb_h5_close(hid_t id);

hid_t sb_h5_file(const char *path, unsigned flags); /* H5F_ACC_RDONLY, or H5F_ACC_TRUNC for a new one */
/* Opens a group, made with its parents where it is missing; members are kept in the order of their creation. */
hid_t sb_h5_group(hid_t parent, const char *path);
/* True when every part of the path is a link. */
bool sb_h5_exists(hid_t parent, const char *path);

/* 'i': int32_t, 'l': int64_t, 'd': double, 't': ASCII of that length, padded with NUL; the caller closes it. */
hid_t sb_h5_type(char kind, size_t text_length);

/* Attributes, their values as they lie in memory: one is a scalar, several are an array, none is a real number that is
 * not there (H5S_NULL). Text is of fixed length. */
void sb_h5_put(hid_t object, const char *name, hid_t type, size_t count, const void *values);
void sb_h5_put_string(hid_t object, const char *name, const char *text, H5T_cset_t charset);
#define sb_h5_put_ascii(object, name, text)    sb_h5_put_string(object, name, text, H5T_CSET_ASCII)
#define sb_h5_put_text(object, name, text)     sb_h5_put_string(object, name, text, H5T_CSET_UTF8)
#define sb_h5_put_integer(object, name, value) sb_h5_put(object, name, H5T_NATIVE_INT64, 1, &(int64_t){value})

/* How a dataset is laid out. The extents that are 0 behind the first are not there. */
typedef struct {
  hid_t       type;
  hsize_t     extents[SB_H5_RANK_MAX];
  const char *unit;         /* an attribute of fixed-length ASCII, as H5MD wants it; NULL: none */
  hsize_t     rows_a_chunk; /* 0: contiguous, of the size given; else the first extent may grow */
} sb_h5_layout;
hid_t sb_h5_create_dataset(hid_t parent, const char *name, const sb_h5_layout *layout);
/* Creates, fills and closes one. */
void sb_h5_write(hid_t parent, const char *name, const sb_h5_layout *layout, const void *data);
/* The property list for datasets of this module's kind; the caller closes it. */
hid_t sb_h5_dataset_plist(void);

/* A dataset that grows by rows: buffered in memory, appended in blocks, so that a run of any length streams. One that
 * ends within its first block becomes a contiguous dataset of its exact size; a longer one is chunked. The dataset has
 * its name only from the first block, or the end, on. All zero: a series that has not begun. */
enum { SB_H5_SERIES_BLOCK = 512 /* rows */ };
typedef struct {
  hid_t        parent, dataset; /* parent borrowed */
  const char  *name;            /* borrowed; NULL: not begun */
  sb_h5_layout layout;          /* of `buffered` rows */
  size_t       row_bytes, buffered;
  hsize_t      written;
  char        *buffer; /* in the arena */
} sb_h5_series;

/* `layout` is that of a row (its first extent counts for nothing); its type is the series' from now on. */
void sb_h5_series_begin(sb_h5_series *series, sb_arena *arena, hid_t parent, const char *name,
                        const sb_h5_layout *layout);
void sb_h5_series_append(sb_h5_series *series, const void *row);
/* Writes what is left and closes; rows: [0] when nothing was appended. A series that never began is left alone. */
void sb_h5_series_end(sb_h5_series *series);
/* Closes without writing. */
void sb_h5_series_drop(sb_h5_series *series);

/* Opens a dataset of `rank` extents (0: any) and gives them; those it lacks are 1. Negative when it has others. */
hid_t sb_h5_open_dataset(hid_t file, const char *path, int rank, hsize_t extents[SB_H5_RANK_MAX]);
/* Row number `row` of a dataset of that rank and those extents. */
bool sb_h5_read_row(hid_t dataset, int rank, const hsize_t *extents, hsize_t row, hid_t type, void *values);
/* A whole dataset [rows] (width 0) or [rows][width] of elements of `type`, in the arena; NULL when it is not that. */
void *sb_h5_read_array(sb_arena *arena, hid_t file, const char *path, hid_t type, size_t width, size_t *rows);

/* All attributes of the object at `path` in the order they were written: texts, numbers, truth values, lists, null. */
json_t *sb_h5_attributes(hid_t file, const char *path);
/* Names of the members of a group in the order they were made. */
json_t *sb_h5_members(hid_t file, const char *group);

/* Columns of doubles of equal length; all of it lies in the arena. All zero but for the arena: no columns yet. */
typedef struct {
  sb_arena *arena;
  size_t    count, columns; /* count is that of the first column */
  char    **names, **units; /* [columns]; units "" where there is none */
  double  **values;         /* [columns][count] */
} sb_stored_columns;

/* Appends the dataset `path` [T] as a column `name`, or [T][3] as three (name_x, name_y, name_z), with the text of its
 * attribute `unit`. The length must be that of the columns already there. */
bool sb_h5_read_columns(hid_t file, const char *path, const char *name, sb_stored_columns *columns);
