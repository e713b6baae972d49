/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HDF5 for the writers and readers of case files. Local.
 *
 * Callers need not check single calls: a handler stores the cause of the first HDF5 failure as one line, and after that
 * nothing more is created or written. sb_h5_good is checked once at the end. A negative identifier may be passed on:
 * the next call does nothing. HDF5 prints nothing itself. Objects have no times, so equal content gives equal bytes. */
#pragma once

#include <hdf5.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum { SB_H5_CAUSE_SIZE = 256, SB_H5_PATH_SIZE = 256, SB_H5_RANK_MAX = 3 };
/* The cause for files in which HDF5 itself finds no fault. */
#define SB_H5_INCOMPLETE "it is not a complete case file"

/* From here on, the cause of a failure goes to `cause` if that is empty; NULL: to an internal buffer, now empty. */
void        sb_h5_watch(char cause[SB_H5_CAUSE_SIZE]);
bool        sb_h5_good(void); /* nothing has failed */
const char *sb_h5_cause(void);
/* Reports a failure outside of HDF5. */
void sb_h5_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* An identifier that is closed where its scope ends. */
#define SB_H5_ID __attribute__((cleanup(sb_h5_leave))) hid_t
void sb_h5_leave(const hid_t *id);
/* Closes any kind of identifier; true for a negative one. */
bool sb_h5_close(hid_t id);

hid_t sb_h5_file(const char *path, unsigned flags); /* H5F_ACC_RDONLY, H5F_ACC_RDWR, or H5F_ACC_TRUNC for a new one */
/* Opens a group, which is created with its parents if missing; members keep the order of their creation. */
hid_t sb_h5_group(hid_t parent, const char *path);
/* Opens an object of this file; a link to another file is refused. */
hid_t sb_h5_open(hid_t file, const char *path);
/* True if every part of the path is a link. */
bool sb_h5_exists(hid_t parent, const char *path);

/* 'i': int32_t, 'l': int64_t, 'd': double, 't': ASCII of that length, padded with NUL; the caller closes it. */
hid_t sb_h5_type(char kind, size_t text_length);

/* Attributes: one value is a scalar, several are an array, none is an absent real (H5S_NULL). Text has fixed length. */
void sb_h5_put(hid_t object, const char *name, hid_t type, size_t count, const void *values);
void sb_h5_put_string(hid_t object, const char *name, const char *text, H5T_cset_t charset);
#define sb_h5_put_ascii(object, name, text)    sb_h5_put_string(object, name, text, H5T_CSET_ASCII)
#define sb_h5_put_text(object, name, text)     sb_h5_put_string(object, name, text, H5T_CSET_UTF8)
#define sb_h5_put_integer(object, name, value) sb_h5_put(object, name, H5T_NATIVE_INT64, 1, &(int64_t){value})

/* The layout of a dataset. Extents of 0 after the first are absent. */
typedef struct {
  hid_t       type;
  hsize_t     extents[SB_H5_RANK_MAX];
  const char *unit;         /* an attribute of fixed-length ASCII, as in H5MD; NULL: none */
  hsize_t     rows_a_chunk; /* 0: contiguous, with the given size; else the first extent may grow */
} sb_h5_layout;
hid_t sb_h5_create_dataset(hid_t parent, const char *name, const sb_h5_layout *layout);
/* Creates, fills and closes a dataset. */
void sb_h5_write(hid_t parent, const char *name, const sb_h5_layout *layout, const void *data);
/* The property list for datasets of this module; the caller closes it. */
hid_t sb_h5_dataset_plist(void);

/* A dataset that grows by rows, which are buffered and appended in blocks. If it ends within its first block it is
 * contiguous with its exact size, otherwise chunked. It gets its name with that block. All zero: not begun. */
enum { SB_H5_SERIES_BLOCK = 512 /* rows */ };
typedef struct {
  hid_t        parent, dataset; /* parent borrowed */
  const char  *name;            /* borrowed; NULL: not begun */
  sb_h5_layout layout;          /* of `buffered` rows */
  size_t       row_bytes, buffered;
  hsize_t      written;
  char        *buffer; /* in the arena */
} sb_h5_series;

/* `layout` is that of a row (its first extent is ignored); its type belongs to the series from now on. */
void sb_h5_series_begin(sb_h5_series *series, sb_arena *arena, hid_t parent, const char *name,
                        const sb_h5_layout *layout);
void sb_h5_series_append(sb_h5_series *series, const void *row);
/* Writes the remaining rows and closes; [0] rows if nothing was appended. Does nothing if it was not begun. */
void sb_h5_series_end(sb_h5_series *series);
/* Closes without writing. */
void sb_h5_series_drop(sb_h5_series *series);
/* For a file that is closed and opened again: closes the dataset, which is opened again with the next block. */
void sb_h5_series_rest(sb_h5_series *series);

/* Opens a dataset of `rank` extents (0: any) and returns them; missing ones are 1. Negative if it has another rank. */
hid_t sb_h5_open_dataset(hid_t file, const char *path, int rank, hsize_t extents[SB_H5_RANK_MAX]);
/* Reads row number `row` of a dataset with that rank and those extents. */
bool sb_h5_read_row(hid_t dataset, int rank, const hsize_t *extents, hsize_t row, hid_t type, void *values);
/* Reads a dataset of one number, without extents; false if it has another shape. */
bool sb_h5_read_number(hid_t file, const char *path, double *value);
/* Reads a dataset [rows] (width 0) or [rows][width] of `type` into the arena; NULL if it has another shape. */
void *sb_h5_read_array(sb_arena *arena, hid_t file, const char *path, hid_t type, size_t width, size_t *rows);

/* All attributes of the object at `path` in the order of their creation: texts, numbers, truth values, lists, null. */
json_t *sb_h5_attributes(hid_t file, const char *path);
/* One of them; *value is NULL if there is none. False if it is there and cannot be read. */
bool sb_h5_attribute(hid_t file, const char *path, const char *name, json_t **value);
/* Names of the members of a group in the order of their creation, or by name if the file does not know it. */
json_t *sb_h5_members(hid_t file, const char *group);

/* True if the path leads to a dataset in this file. */
bool sb_h5_is_dataset(hid_t file, const char *path);

/* The text of a dataset's attribute `unit`; "" if it has none, NULL if it is not text. */
char *sb_h5_unit(sb_arena *arena, hid_t dataset);

/* Columns of doubles of equal length, all in the arena. All zero except for the arena: no columns yet. */
typedef struct {
  sb_arena *arena;
  size_t    count, columns; /* count is the length of the first column */
  char    **names, **units; /* [columns]; units "" if there is none */
  double  **values;         /* [columns][count] */
} sb_stored_columns;

/* Appends the dataset `path` [T] as a column `name`, or [T][3] as three (name_x, name_y, name_z), with the text of its
 * attribute `unit`. Its length must equal that of earlier columns. */
bool sb_h5_read_columns(hid_t file, const char *path, const char *name, sb_stored_columns *columns);
