/* Checked reading of HDF5: attributes as JSON, datasets as columns of doubles. Local. False, or NULL, when HDF5 failed
 * (the watched buffer of hdf5_tools.h says why) or the content is not what is asked for. */
#pragma once

#include <jansson.h>

#include "base/arena.h"
#include "harness/store/hdf5_tools.h"

/* Columns of equal length. Names, units and values are owned. */
typedef struct {
  size_t   count, columns; /* count is that of the first column */
  char   **names, **units; /* [columns]; units "" where there is none */
  double **values;         /* [columns][count] */
} sb_columns;

void sb_columns_clear(sb_columns *columns);

/* All attributes of an object in the order they were written: texts, numbers, truth values, lists, null. NULL: error.
 */
json_t *sb_h5_attributes(hid_t object);
/* Appends the dataset `path` [T] as a column `name`, or [T][3] as three (name_x, name_y, name_z), with the text of its
 * attribute `unit`. The length must be that of the columns already there. */
bool sb_h5_read_columns(hid_t file, const char *path, const char *name, sb_columns *columns);
/* Names of the members of a group in the order they were made; none when there is no such group. NULL on error. */
json_t *sb_h5_members(hid_t file, const char *group);
/* A dataset [rows][width], or [rows] with a width of 0, as an array of `type` from the arena. NULL when it is not one.
 */
void *sb_h5_read_array(sb_arena *arena, hid_t file, const char *path, hid_t type, size_t width, size_t *rows);
