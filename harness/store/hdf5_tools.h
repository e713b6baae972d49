/* HDF5 with every return value looked at: small checked calls for the writers and readers of case files. Local.
 *
 * HDF5 prints nothing itself; the cause of the first failure is kept in a buffer of the caller as one line. What these
 * functions create tracks no times, so that equal content gives equal bytes. They return false, NULL or a negative
 * identifier when HDF5 failed. A negative identifier may be handed on: the call that takes it fails. */
#pragma once

#include <hdf5.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum { SB_H5_CAUSE_SIZE = 256, SB_H5_PATH_SIZE = 256, SB_H5_RANK_MAX = 3 };

/* From here on a failing HDF5 call leaves its cause in `cause` if that is empty, until the next watch; NULL: nowhere.
 * HDF5's own printing is off from the first call on. */
bool sb_h5_watch(char cause[SB_H5_CAUSE_SIZE]);

hid_t sb_h5_create_file(const char *path); /* truncates; format of HDF5 1.10 */
hid_t sb_h5_open_file(const char *path);   /* for reading */
/* Opens a group, made with its parents where it is missing; members are kept in the order of their creation. */
hid_t sb_h5_group(hid_t parent, const char *path);
bool  sb_h5_make_group(hid_t parent, const char *path); /* and closes it */
/* Closes any kind of identifier; true for a negative one, which is nothing to close. */
bool sb_h5_close(hid_t id);
/* Closes all of these identifiers, whatever went before; true when that is `good` and all could be closed. */
#define SB_H5_CLOSE(good, ...) sb_h5_close_all((good), (const hid_t[]){__VA_ARGS__, SB_H5_LAST})
#define SB_H5_LAST             INT64_MIN
bool sb_h5_close_all(bool good, const hid_t *ids);
/* True when every part of the path is a link. */
bool sb_h5_exists(hid_t parent, const char *path);
/* Makes `name` below `parent` a second name (hard link) of `target`, a path from the root. */
bool sb_h5_link(hid_t parent, const char *target, const char *name);

/* Text of fixed length, padded with NUL; the caller closes it. */
hid_t sb_h5_text_type(size_t length, H5T_cset_t charset);
/* A compound type for a struct of `size` bytes; the caller closes it. */
typedef struct {
  const char *name;
  size_t      offset;
  char        kind;        /* 'i': int32_t, 'l': int64_t, 'd': double, 't': text */
  size_t      text_length; /* of a text, NUL included */
} sb_h5_member;
hid_t sb_h5_record_type(size_t size, size_t count, const sb_h5_member *members);

/* Attributes. Text is fixed-length. Several values make an array, one a scalar. */
bool sb_h5_put_ascii(hid_t object, const char *name, const char *text);
bool sb_h5_put_text(hid_t object, const char *name, const char *text); /* UTF-8 */
bool sb_h5_put_reals(hid_t object, const char *name, size_t count, const double *values);
bool sb_h5_put_integers(hid_t object, const char *name, size_t count, const int64_t *values);
bool sb_h5_put_integer(hid_t object, const char *name, int64_t value);
bool sb_h5_put_flag(hid_t object, const char *name, bool value); /* as h5py writes bool */
bool sb_h5_put_blank(hid_t object, const char *name);            /* a real number that is not there (H5S_NULL) */
/* Any attribute of one dimension (a scalar where count is 1), its values as they lie in memory. */
bool sb_h5_put(hid_t object, const char *name, hid_t type, size_t count, const void *values);

/* How a dataset is laid out: `rank` extents; the first may grow where rows_a_chunk is not 0. */
typedef struct {
  hid_t       type;
  int         rank;
  hsize_t     extents[SB_H5_RANK_MAX];
  hsize_t     rows_a_chunk; /* 0: contiguous, of the size given */
  const char *unit;         /* an attribute of fixed-length ASCII, as H5MD wants it; NULL: none */
} sb_h5_layout;
hid_t sb_h5_create_dataset(hid_t parent, const char *name, const sb_h5_layout *layout);
/* The property list for datasets of this module's kind; the caller closes it. */
hid_t sb_h5_dataset_plist(void);

/* A contiguous dataset: `count` rows of `width` elements ([count] when width is 0); `type` in memory and in the file.
 */
bool sb_h5_write_array(hid_t parent, const char *name, hid_t type, size_t count, size_t width, const void *data);
/* The same of doubles with a unit attribute, fixed-length ASCII as H5MD wants it. */
bool sb_h5_write_quantity(hid_t parent, const char *name, const char *unit, size_t count, size_t width,
                          const double *values);
/* [count] doubles with a unit of our own, UTF-8. */
bool sb_h5_write_curve(hid_t parent, const char *name, const char *unit, size_t count, const double *values);

/* A dataset that grows by rows: buffered in memory, appended in blocks, so that a run of any length streams. One that
 * ends within its first block becomes a contiguous dataset of its exact size; a longer one is chunked. The dataset has
 * its name only from the first block, or the end, on. All zero: a series that has not begun. */
enum { SB_H5_SERIES_BLOCK = 512 /* rows */ };
typedef struct {
  hid_t       parent, dataset; /* parent borrowed */
  hid_t       type;            /* of one element, in memory and file; owned */
  char        name[SB_H5_PATH_SIZE];
  const char *unit;  /* borrowed; NULL: none */
  size_t      width; /* elements a row; 0: rows are scalars */
  size_t      row_bytes, buffered;
  hsize_t     written;
  char       *buffer;
} sb_h5_series;

/* Copies `type`. */
bool sb_h5_series_begin(sb_h5_series *series, hid_t parent, const char *name, const char *unit, hid_t type,
                        size_t width);
bool sb_h5_series_append(sb_h5_series *series, const void *row);
/* Writes what is left and closes; rows: [0] when nothing was appended. A series that never began is left alone. */
bool sb_h5_series_end(sb_h5_series *series);
/* Frees without writing, after a failure. */
void sb_h5_series_drop(sb_h5_series *series);

/* Opens a dataset of `rank` extents (0: any) and gives them; those it lacks are 1. Negative when it is missing or has
 * another number of them. */
hid_t sb_h5_open_dataset(hid_t file, const char *path, int rank, hsize_t extents[SB_H5_RANK_MAX]);
/* Row number `row` of a dataset of that rank and those extents. */
bool sb_h5_read_row(hid_t dataset, int rank, const hsize_t *extents, hsize_t row, hid_t type, void *values);
/* A whole dataset [rows] (width 0) or [rows][width] of elements of `type`, in the arena; NULL when it is not of that
 * shape or fails. */
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
} sb_columns;

/* Appends the dataset `path` [T] as a column `name`, or [T][3] as three (name_x, name_y, name_z), with the text of its
 * attribute `unit`. The length must be that of the columns already there. */
bool sb_h5_read_columns(hid_t file, const char *path, const char *name, sb_columns *columns);
