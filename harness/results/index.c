/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The index of a results directory: results.csv and results.h5, written from the rows; see results.h.
 *
 * results.csv is quoted as in RFC 4180, but lines end in LF, so that a command line copied from it works in a shell.
 * Numbers read back to the same bits. results.h5 has tables by HDF5's table interface, which pandas and PyTables open.
 * /cases has a row per case. A timed sweep also has /samples, every timing sample, and /floor, the timings of the noise
 * floor. /runs/<key> are external links to the case files. Numbers are doubles (blank: NaN), truth values doubles 0 and
 * 1, texts fixed-length (blank: ""). The file is made in memory and then written as any other, so that HDF5 meets no
 * full disk. */
#include <hdf5.h>
#include <hdf5_hl.h>
#include <math.h>
#include <string.h>

#include "base/allocate.h"
#include "cases/common/csv.h"
#include "cases/common/durable.h"
#include "cases/common/seal.h"
#include "cases/store/case_file.h"
#include "cases/store/case_row.h"
#include "harness/results/results.h"

enum { CHUNK_ROWS = 64, IMAGE_STEP = 1 << 16 };

/* ---- results.csv ---- */

void sb_index_print_csv(const sb_rows *rows, FILE *stream)
{
  const size_t columns = sb_rows_column_count(rows);
  char         number[32];
  for (size_t c = 0; c < columns; ++c) {
    fputs(c > 0 ? "," : "", stream);
    sb_csv_put(stream, sb_rows_column_at(rows, c)->name);
  }
  for (size_t r = 0; r < sb_rows_count(rows); ++r)
    for (size_t c = 0; c < columns; ++c) {
      const sb_value value = sb_rows_get(rows, r, c);
      fputs(c > 0 ? "," : "\n", stream);
      if (value.kind == SB_NUMBER && isfinite(value.number)) fputs(sb_format_real(value.number, number), stream);
      if (value.kind == SB_WORD) sb_csv_put(stream, value.word);
      if (value.kind == SB_TRUTH) fputs(value.truth ? "true" : "false", stream);
    }
  fputc('\n', stream);
}

/* ---- results.h5 ---- */

/* A table in memory, as the table interface wants it. */
typedef struct {
  size_t       columns, count, row_size;
  size_t      *offsets; /* [columns] */
  hid_t       *types;
  const char **names;
  void        *rows;
} table;

static bool write_table(hid_t file, const char *name, const table *t)
{
  return H5TBmake_table(name, file, name, t->columns, t->count, t->row_size, t->names, t->offsets, t->types, CHUNK_ROWS,
                        NULL, 0, t->rows) >= 0;
}

static hid_t text_type(size_t size)
{
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, size);
  return type;
}

/* Room for the texts of a column; 0 where it has none, and is not one that always has. */
static size_t text_size(const sb_rows *rows, size_t column)
{
  const char             *name = sb_rows_column_at(rows, column)->name;
  const sb_common_column *common = sb_common_column_find(name);
  size_t                  size = strcmp(name, "noisy") == 0 || (common && common->may_be == SB_MAY_BE_WORD);
  for (size_t r = 0; r < sb_rows_count(rows); ++r) {
    const sb_value value = sb_rows_get(rows, r, column);
    if (value.kind == SB_WORD && strlen(value.word) + 1 > size) size = strlen(value.word) + 1;
  }
  return size;
}

static bool write_cases(hid_t file, const sb_rows *rows, sb_arena *arena)
{
  const size_t columns = sb_rows_column_count(rows), count = sb_rows_count(rows);
  table        t = {.columns = columns, .count = count};
  size_t      *sizes = sb_arena_take(arena, columns, sizeof *sizes); /* 0: numbers */
  t.offsets = sb_arena_take(arena, columns, sizeof *t.offsets);
  t.types = sb_arena_take(arena, columns, sizeof *t.types);
  t.names = sb_arena_take(arena, columns, sizeof *t.names);
  for (size_t c = 0; c < columns; ++c) {
    sizes[c] = text_size(rows, c);
    t.names[c] = sb_rows_column_at(rows, c)->name;
    t.offsets[c] = t.row_size;
    t.types[c] = sizes[c] > 0 ? text_type(sizes[c]) : H5Tcopy(H5T_NATIVE_DOUBLE);
    t.row_size += sizes[c] > 0 ? sizes[c] : sizeof(double);
  }
  t.rows = sb_arena_take(arena, count, t.row_size);
  for (size_t r = 0; r < count; ++r)
    for (size_t c = 0; c < columns; ++c) {
      const sb_value value = sb_rows_get(rows, r, c);
      const double   number = value.kind == SB_NUMBER ? value.number : value.kind == SB_TRUTH ? value.truth : NAN;
      char          *cell = (char *)t.rows + r * t.row_size + t.offsets[c];
      if (sizes[c] == 0) memcpy(cell, &number, sizeof number);
      if (sizes[c] > 0 && value.kind == SB_WORD) memcpy(cell, value.word, strlen(value.word));
    }
  bool written = write_table(file, "cases", &t);
  for (size_t c = 0; c < columns; ++c) {
    const sb_rows_column *column = sb_rows_column_at(rows, c);
    const int             timing = column->is_timing;
    const char           *unit = sb_arena_format(arena, "FIELD_%zu_UNIT", c);
    const char           *flag = sb_arena_format(arena, "FIELD_%zu_TIMING", c);
    written = written && (!*column->unit || H5LTset_attribute_string(file, "cases", unit, column->unit) >= 0) &&
              H5LTset_attribute_int(file, "cases", flag, &timing, 1) >= 0;
    H5Tclose(t.types[c]);
  }
  return written;
}

static bool write_links(hid_t file, const sb_results *results, sb_arena *arena)
{
  const hid_t runs = H5Gcreate2(file, "runs", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool        written = runs >= 0;
  for (size_t i = 0; written && i < results->plan->count; ++i) {
    const char *key = results->plan->cases[i].key, *target = sb_arena_format(arena, "cases/%s.h5", key);
    written = !results->checksums[i] || H5Lcreate_external(target, "/", runs, key, H5P_DEFAULT, H5P_DEFAULT) >= 0;
  }
  return runs >= 0 && H5Gclose(runs) >= 0 && written;
}

typedef struct {
  char    key[SB_KEY_LENGTH + 1];
  char    phase[SB_SAMPLE_PHASE_SIZE];
  int32_t repetition, noisy;
  int64_t step;
  double  seconds;
} sample_row;

/* A file that cannot be read is named and left out: the index is about the others too. */
static void add_samples(table *t, const sb_results *results, size_t number, sb_arena *arena)
{
  char                                    error[256];
  sb_case_times                           times = {0};
  const char                             *key = results->plan->cases[number].key;
  SB_ENDED_BY(sb_arena_destroy) sb_arena *own = sb_arena_create();
  const char                             *path = NULL;
  if (!sb_results_case_file(results, number, own, &path, error) || !sb_case_file_times(own, path, key, &times, error))
    fprintf(stderr, "springbench: warning: no samples of case %s in the index: %s\n", key, error);
  for (size_t i = 0; i < times.sample_count; ++i) {
    const sb_sample_record *sample = &times.samples[i];
    t->rows = sb_arena_grow(arena, t->rows, t->count, sizeof(sample_row));
    sample_row *row = (sample_row *)t->rows + t->count++;
    *row = (sample_row){.repetition = sample->repetition,
                        .noisy = sb_repetition_is_noisy(&times, sample->repetition),
                        .step = sample->step,
                        .seconds = sample->seconds};
    memcpy(row->key, key, SB_KEY_LENGTH);
    memcpy(row->phase, sample->phase, SB_SAMPLE_PHASE_SIZE);
  }
}

static bool write_samples(hid_t file, const sb_results *results, sb_arena *arena)
{
  const char *names[] = {"key", "phase", "repetition", "step", "seconds", "noisy"};
  size_t      offsets[] = {offsetof(sample_row, key),  offsetof(sample_row, phase),   offsetof(sample_row, repetition),
                           offsetof(sample_row, step), offsetof(sample_row, seconds), offsetof(sample_row, noisy)};
  hid_t       key = text_type(SB_KEY_LENGTH + 1), phase = text_type(SB_SAMPLE_PHASE_SIZE);
  hid_t       types[] = {key, phase, H5T_NATIVE_INT32, H5T_NATIVE_INT64, H5T_NATIVE_DOUBLE, H5T_NATIVE_INT32};
  table       t = {sizeof names / sizeof *names, 0, sizeof(sample_row), offsets, types, names, NULL};
  for (size_t i = 0; i < results->plan->count; ++i)
    if (results->checksums[i]) add_samples(&t, results, i, arena);
  const bool written = t.count == 0 || write_table(file, "samples", &t);
  H5Tclose(key);
  H5Tclose(phase);
  return written;
}

/* The timings as rows, what they come to as attributes. */
static bool write_floor(hid_t file, const sb_noise_floor *floor)
{
  const char *names[] = {"seconds", "noisy"};
  size_t      offsets[] = {offsetof(sb_floor_timing, seconds), offsetof(sb_floor_timing, noisy)};
  hid_t       types[] = {H5T_NATIVE_DOUBLE, H5T_NATIVE_INT32};
  const table t = {2, floor->timings, sizeof(sb_floor_timing), offsets, types, names, floor->each};
  if (floor->timings == 0) return true;
  return write_table(file, "floor", &t) && H5LTset_attribute_string(file, "floor", "case", floor->key) >= 0 &&
         H5LTset_attribute_string(file, "floor", "words", floor->words) >= 0 &&
         H5LTset_attribute_double(file, "floor", "spread", &floor->spread, 1) >= 0;
}

/* The bytes of the file as it would lie on disk; NULL when HDF5 fails. */
static void *make_image(const sb_results *results, sb_arena *arena, size_t *size)
{
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_core(access, IMAGE_STEP, 0);
  const hid_t file = H5Fcreate("results.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access);
  void       *image = NULL;
  bool        good = file >= 0 && write_cases(file, results->rows, arena) && write_links(file, results, arena);
  if (results->sweep->timed) good = good && write_samples(file, results, arena) && write_floor(file, &results->floor);
  if (good && H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0) {
    const ssize_t length = H5Fget_file_image(file, NULL, 0);
    *size = length > 0 ? (size_t)length : 0;
    image = sb_arena_take(arena, *size + SB_SEAL_ROOM, 1);
    if (length <= 0 || H5Fget_file_image(file, image, *size) != length) image = NULL;
    if (image) *size = sb_seal_put(image, *size);
  }
  if (file >= 0) H5Fclose(file);
  H5Pclose(access);
  return image;
}

bool sb_results_write_index(const sb_results *results)
{
  SB_OWNED char                          *text = NULL;
  size_t                                  length = 0, size = 0;
  FILE                                   *stream = sb_text_stream(&text, &length);
  SB_ENDED_BY(sb_arena_destroy) sb_arena *arena = sb_arena_create();
  sb_index_print_csv(results->rows, stream);
  bool        written = fclose(stream) == 0 && sb_replace_file(results->directory, "results.csv", text, length);
  const void *image = written ? make_image(results, arena, &size) : NULL;
  if (written && !image) fprintf(stderr, "springbench: error: HDF5 cannot make the index of %s\n", results->directory);
  written = image && sb_replace_file(results->directory, "results.h5", image, size);
  return written;
}
