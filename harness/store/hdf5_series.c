/* Growing datasets; see hdf5_series.h. */
#include "harness/store/hdf5_series.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"

static int rank_of(const sb_h5_series *s) { return s->width > 0 ? 2 : 1; }

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

static hid_t chunked_plist(const sb_h5_series *s)
{
  const hsize_t chunk[2] = {SB_H5_SERIES_BLOCK, s->width};
  const hid_t   plist = sb_h5_dataset_plist();
  if (plist >= 0 && H5Pset_chunk(plist, rank_of(s), chunk) >= 0) return plist;
  (void)sb_h5_close(plist);
  return -1;
}

static bool create_growing(sb_h5_series *s)
{
  const hsize_t extents[2] = {0, s->width}, limits[2] = {H5S_UNLIMITED, s->width};
  const hid_t   space = H5Screate_simple(rank_of(s), extents, limits), plist = chunked_plist(s);
  if (space >= 0 && plist >= 0)
    s->dataset = H5Dcreate2(s->parent, s->name, s->type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
  bool ok = s->dataset >= 0 && (!s->unit || sb_h5_put_ascii(s->dataset, "unit", s->unit));
  ok = sb_h5_close(space) && ok;
  return sb_h5_close(plist) && ok;
}

static bool write_block(sb_h5_series *s)
{
  if (s->dataset < 0 && !create_growing(s)) return false;
  const hsize_t extents[2] = {s->written + s->buffered, s->width}, start[2] = {s->written, 0};
  const hsize_t count[2] = {s->buffered, s->width};
  if (H5Dset_extent(s->dataset, extents) < 0) return false;
  const hid_t file_space = H5Dget_space(s->dataset), memory_space = H5Screate_simple(rank_of(s), count, NULL);
  bool        ok = H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
            H5Dwrite(s->dataset, s->type, memory_space, file_space, H5P_DEFAULT, s->buffer) >= 0;
  ok = sb_h5_close(file_space) && ok;
  ok = sb_h5_close(memory_space) && ok;
  s->written += s->buffered;
  s->buffered = 0;
  return ok;
}

bool sb_h5_series_append(sb_h5_series *series, const void *row)
{
  if (series->buffered == SB_H5_SERIES_BLOCK && !write_block(series)) return false;
  memcpy(series->buffer + series->buffered * series->row_bytes, row, series->row_bytes);
  series->buffered++;
  return true;
}

static bool write_whole(sb_h5_series *s)
{
  if (!sb_h5_write_array(s->parent, s->name, s->type, s->buffered, s->width, s->buffer)) return false;
  if (!s->unit) return true;
  const hid_t dataset = H5Dopen2(s->parent, s->name, H5P_DEFAULT);
  const bool  ok = dataset >= 0 && sb_h5_put_ascii(dataset, "unit", s->unit);
  return sb_h5_close(dataset) && ok;
}

bool sb_h5_series_end(sb_h5_series *series)
{
  if (!series->buffer) return true;
  bool ok = true;
  if (series->written == 0)
    ok = write_whole(series);
  else if (series->buffered > 0)
    ok = write_block(series);
  ok = sb_h5_close(series->dataset) && ok;
  series->dataset = -1;
  sb_h5_series_drop(series);
  return ok;
}

void sb_h5_series_drop(sb_h5_series *series)
{
  if (!series->buffer) return;
  free(series->buffer);
  (void)sb_h5_close(series->type);
  (void)sb_h5_close(series->dataset);
  *series = (sb_h5_series){.dataset = -1, .type = -1};
}
