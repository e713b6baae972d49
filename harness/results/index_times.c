/* The tables of results.h5 that hold times one by one; see index.h. */
#include <hdf5_hl.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/results/index.h"
#include "harness/store/case_file.h"

enum { CHUNK_ROWS = 64 };

typedef struct {
  char    key[SB_KEY_LENGTH + 1];
  char    phase[SB_SAMPLE_PHASE_SIZE];
  int32_t repetition, noisy;
  int64_t step;
  double  seconds;
} sample_row;

typedef struct {
  size_t      count;
  sample_row *rows;
} sample_table;

/* A file that cannot be read is named and left out: the index is about the others too. */
static void add_samples(sample_table *table, const sb_results *results, size_t number)
{
  char          error[256];
  sb_case_times times = {0};
  sb_arena     *arena = sb_arena_create();
  const char   *key = results->plan->cases[number].key;
  char         *path = sb_results_case_path(results, key);
  if (!sb_results_row_is_whole(results, number, error) || !sb_case_file_times(arena, path, key, &times, error))
    fprintf(stderr, "springbench: warning: no samples of case %s in the index: %s\n", key, error);
  for (size_t i = 0; i < times.sample_count; ++i) {
    const sb_sample_record *sample = &times.samples[i];
    table->rows = sb_grow(table->rows, table->count, sizeof *table->rows);
    sample_row *row = &table->rows[table->count++];
    *row = (sample_row){.repetition = sample->repetition,
                        .noisy = sb_repetition_is_noisy(&times, sample->repetition),
                        .step = sample->step,
                        .seconds = sample->seconds};
    memcpy(row->key, key, SB_KEY_LENGTH);
    memcpy(row->phase, sample->phase, SB_SAMPLE_PHASE_SIZE);
  }
  sb_arena_destroy(&arena);
  free(path);
}

static hid_t text_type(size_t size)
{
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, size);
  return type;
}

static bool write_sample_table(hid_t file, const sample_table *table)
{
  const char  *names[] = {"key", "phase", "repetition", "step", "seconds", "noisy"};
  const size_t offsets[] = {offsetof(sample_row, key),  offsetof(sample_row, phase),   offsetof(sample_row, repetition),
                            offsetof(sample_row, step), offsetof(sample_row, seconds), offsetof(sample_row, noisy)};
  const hid_t  key = text_type(SB_KEY_LENGTH + 1), phase = text_type(SB_SAMPLE_PHASE_SIZE);
  const hid_t  types[] = {key, phase, H5T_NATIVE_INT32, H5T_NATIVE_INT64, H5T_NATIVE_DOUBLE, H5T_NATIVE_INT32};
  const size_t columns = sizeof names / sizeof *names;
  const bool   written = H5TBmake_table("samples", file, "samples", columns, table->count, sizeof(sample_row), names,
                                        offsets, types, CHUNK_ROWS, NULL, 0, table->rows) >= 0;
  H5Tclose(key);
  H5Tclose(phase);
  return written;
}

static bool write_samples(hid_t file, const sb_results *results)
{
  sample_table table = {0};
  for (size_t i = 0; i < results->plan->count; ++i)
    if (results->checksums[i]) add_samples(&table, results, i);
  const bool written = table.count == 0 || write_sample_table(file, &table);
  free(table.rows);
  return written;
}

/* The timings as rows, what they come to as attributes. */
static bool write_floor(hid_t file, const sb_noise_floor *floor)
{
  const char  *names[] = {"seconds", "noisy"};
  const size_t offsets[] = {offsetof(sb_floor_timing, seconds), offsetof(sb_floor_timing, noisy)};
  const hid_t  types[] = {H5T_NATIVE_DOUBLE, H5T_NATIVE_INT32};
  if (floor->timings == 0) return true;
  return H5TBmake_table("floor", file, "floor", sizeof names / sizeof *names, floor->timings, sizeof(sb_floor_timing),
                        names, offsets, types, CHUNK_ROWS, NULL, 0, floor->each) >= 0 &&
         H5LTset_attribute_string(file, "floor", "case", floor->key) >= 0 &&
         H5LTset_attribute_string(file, "floor", "words", floor->words) >= 0 &&
         H5LTset_attribute_double(file, "floor", "spread", &floor->spread, 1) >= 0;
}

bool sb_index_write_times(hid_t file, const sb_results *results)
{
  return !results->sweep->timed || (write_samples(file, results) && write_floor(file, &results->floor));
}
