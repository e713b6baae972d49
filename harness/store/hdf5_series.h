/* Datasets that grow by rows: buffered in memory, appended in blocks, so that a run of any length streams. Local.
 *
 * A series that ends within its first block becomes a contiguous dataset of its exact size; a longer one is chunked.
 * The dataset has its name only from the first block, or the end, on. */
#pragma once

#include "harness/store/hdf5_tools.h"

enum { SB_H5_SERIES_BLOCK = 512 /* rows */, SB_H5_NAME_SIZE = 96 };

typedef struct {
  hid_t       parent, dataset; /* parent borrowed */
  hid_t       type;            /* of one element, in memory and file; owned */
  char        name[SB_H5_NAME_SIZE];
  const char *unit;  /* borrowed; NULL: none */
  size_t      width; /* elements a row; 0: rows are scalars */
  size_t      row_bytes, buffered;
  hsize_t     written;
  char       *buffer;
} sb_h5_series;

/* Copies `type`. False when memory is out or HDF5 failed. */
bool sb_h5_series_begin(sb_h5_series *series, hid_t parent, const char *name, const char *unit, hid_t type,
                        size_t width);
bool sb_h5_series_append(sb_h5_series *series, const void *row);
/* Writes what is left and closes; rows: [0] when nothing was appended. A series that never began is left alone. */
bool sb_h5_series_end(sb_h5_series *series);
/* Frees without writing, after a failure. */
void sb_h5_series_drop(sb_h5_series *series);
