/* results.h5; see index.h. Tables by HDF5's table interface, which pandas and PyTables open. Numbers are doubles
 * (blank: NaN), truth values doubles 0 and 1, texts fixed-length (blank: ""). The file is made in memory and then
 * written as any other, so that HDF5 meets no full disk. */
#include "harness/results/index.h"

#include <hdf5.h>
#include <hdf5_hl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/common/durable.h"

enum { CHUNK_ROWS = 64, IMAGE_STEP = 1 << 16 };

/* How the rows lie in memory for the table interface. */
typedef struct {
  size_t       columns, row_size;
  size_t      *offsets, *sizes; /* [columns] */
  hid_t       *types;
  const char **names;
} layout;

static bool is_text(const sb_rows *rows, size_t column, size_t *longest)
{
  bool text = false;
  *longest = 1;
  for (size_t r = 0; r < sb_rows_count(rows); ++r) {
    const sb_value value = sb_rows_get(rows, r, column);
    if (value.kind != SB_WORD) continue;
    text = true;
    if (strlen(value.word) + 1 > *longest) *longest = strlen(value.word) + 1;
  }
  return text;
}

/* Columns that are texts even when all of their cells are blank. */
static bool is_always_text(const char *name)
{
  static const char *const texts[] = {"key", "status", "reason", "digest", "noisy", "command"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
    if (strcmp(name, texts[i]) == 0) return true;
  return false;
}

static void lay_out(const sb_rows *rows, layout *l)
{
  l->columns = sb_rows_column_count(rows);
  l->row_size = 0;
  l->offsets = sb_allocate(l->columns, sizeof *l->offsets);
  l->sizes = sb_allocate(l->columns, sizeof *l->sizes);
  l->types = sb_allocate(l->columns, sizeof *l->types);
  l->names = sb_allocate(l->columns, sizeof *l->names);
  for (size_t c = 0; c < l->columns; ++c) {
    size_t longest;
    l->names[c] = sb_rows_column_at(rows, c)->name;
    l->offsets[c] = l->row_size;
    if (is_text(rows, c, &longest) || is_always_text(l->names[c])) {
      l->types[c] = H5Tcopy(H5T_C_S1);
      l->sizes[c] = longest;
      H5Tset_size(l->types[c], longest);
    } else {
      l->types[c] = H5Tcopy(H5T_NATIVE_DOUBLE);
      l->sizes[c] = sizeof(double);
    }
    l->row_size += l->sizes[c];
  }
}

static void clear_layout(layout *l)
{
  for (size_t c = 0; c < l->columns; ++c) H5Tclose(l->types[c]);
  free(l->offsets);
  free(l->sizes);
  free(l->types);
  free(l->names);
}

static void put_cell(char *cell, size_t size, bool text, sb_value value)
{
  if (text) {
    if (value.kind == SB_WORD) memcpy(cell, value.word, strlen(value.word) < size ? strlen(value.word) : size);
    return;
  }
  double number = NAN;
  if (value.kind == SB_NUMBER) number = value.number;
  if (value.kind == SB_TRUTH) number = value.truth ? 1 : 0;
  memcpy(cell, &number, sizeof number);
}

static bool write_units(hid_t file, const sb_rows *rows)
{
  bool written = true;
  for (size_t c = 0; written && c < sb_rows_column_count(rows); ++c) {
    const sb_rows_column *column = sb_rows_column_at(rows, c);
    const int             timing = column->is_timing;
    char                 *unit = sb_format("FIELD_%zu_UNIT", c), *flag = sb_format("FIELD_%zu_TIMING", c);
    written = (!*column->unit || H5LTset_attribute_string(file, "cases", unit, column->unit) >= 0) &&
              H5LTset_attribute_int(file, "cases", flag, &timing, 1) >= 0;
    free(unit);
    free(flag);
  }
  return written;
}

static bool write_cases(hid_t file, const sb_rows *rows)
{
  layout l;
  lay_out(rows, &l);
  const size_t count = sb_rows_count(rows);
  char        *data = sb_allocate(count, l.row_size);
  for (size_t r = 0; r < count; ++r)
    for (size_t c = 0; c < l.columns; ++c)
      put_cell(data + r * l.row_size + l.offsets[c], l.sizes[c], H5Tget_class(l.types[c]) == H5T_STRING,
               sb_rows_get(rows, r, c));
  const bool written = H5TBmake_table("cases", file, "cases", l.columns, count, l.row_size, l.names, l.offsets, l.types,
                                      CHUNK_ROWS, NULL, 0, data) >= 0 &&
                       write_units(file, rows);
  free(data);
  clear_layout(&l);
  return written;
}

static bool write_links(hid_t file, const sb_results *results)
{
  const hid_t runs = H5Gcreate2(file, "runs", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool        written = runs >= 0;
  for (size_t i = 0; written && i < results->plan->count; ++i) {
    const char *key = results->plan->cases[i].key;
    if (!results->checksums[i]) continue;
    char *target = sb_format("cases/%s.h5", key);
    written = H5Lcreate_external(target, "/", runs, key, H5P_DEFAULT, H5P_DEFAULT) >= 0;
    free(target);
  }
  return runs >= 0 && H5Gclose(runs) >= 0 && written;
}

/* The bytes of the file as it would lie on disk (malloc'ed). */
static void *make_image(const sb_results *results, size_t *size)
{
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_core(access, IMAGE_STEP, 0);
  const hid_t file = H5Fcreate("results.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access);
  void       *image = NULL;
  if (file >= 0 && write_cases(file, results->rows) && write_links(file, results) &&
      sb_index_write_times(file, results) && H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0) {
    const ssize_t length = H5Fget_file_image(file, NULL, 0);
    image = length > 0 ? malloc((size_t)length) : NULL;
    if (image && H5Fget_file_image(file, image, (size_t)length) == length) *size = (size_t)length;
  }
  if (file >= 0) H5Fclose(file);
  H5Pclose(access);
  return image;
}

bool sb_index_write_hdf5(const sb_results *results)
{
  size_t size = 0;
  void  *image = make_image(results, &size);
  if (size == 0) fprintf(stderr, "springbench: error: HDF5 cannot make the index of %s\n", results->directory);
  const bool written = size > 0 && sb_replace_file(results->directory, "results.h5", image, size);
  free(image);
  return written;
}
