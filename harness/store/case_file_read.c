/* Reading case files back; see case_file.h and case_file_read.h. */
#include "harness/store/case_file_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"

hid_t sb_case_file_open(const char *path, char error[256])
{
  error[0] = '\0';
  return sb_h5_watch(error) ? sb_h5_open_file(path) : -1;
}

bool sb_case_file_close(hid_t file, bool good, char error[256])
{
  const bool closed = file >= 0 && sb_h5_close(file);
  (void)sb_h5_watch(NULL);
  if (closed && good && error[0] == '\0') return true; /* no failure, also none that nobody saw */
  if (error[0] == '\0') snprintf(error, 256, "it is not a complete case file");
  return false;
}

static json_t *attributes_of(hid_t file, const char *group)
{
  const hid_t id = H5Gopen2(file, group, H5P_DEFAULT);
  json_t     *attributes = id >= 0 ? sb_h5_attributes(id) : NULL;
  if (sb_h5_close(id)) return attributes;
  json_decref(attributes);
  return NULL;
}

/* Moves the members of `names` to `row`; what is left are columns. */
static bool move_members(json_t *from, json_t *row, const char *const *names, size_t count)
{
  for (size_t i = 0; i < count; ++i) {
    json_t *value = json_object_get(from, names[i]);
    if (!value || json_object_set(row, names[i], value) != 0) return false;
    (void)json_object_del(from, names[i]);
  }
  return true;
}

json_t *sb_case_file_row(hid_t file)
{
  static const char *const said[] = {"key", "status", "reason", "accuracy_ok", "digest"};
  static const char *const cost[] = {"wall_s", "max_rss_bytes"};
  json_t *columns = attributes_of(file, "result"), *timing = attributes_of(file, "timing/result"), *row = json_object();
  bool    ok = columns && timing && move_members(columns, row, said, sizeof said / sizeof *said) &&
            move_members(timing, row, cost, sizeof cost / sizeof *cost) && json_object_update(columns, timing) == 0 &&
            json_object_set(row, "columns", columns) == 0;
  json_decref(columns);
  json_decref(timing);
  if (ok) return row;
  json_decref(row);
  return NULL;
}

json_t *sb_case_file_parameters(hid_t file) { return attributes_of(file, "parameters"); }

json_t *sb_case_file_provenance(hid_t file) { return attributes_of(file, "provenance"); }

json_t *sb_case_file_inputs(hid_t file)
{
  return sb_h5_exists(file, "inputs") ? attributes_of(file, "inputs") : json_object();
}

char *sb_case_file_row_json(const char *path, char error[256])
{
  const hid_t file = sb_case_file_open(path, error);
  json_t     *row = file >= 0 ? sb_case_file_row(file) : NULL;
  char       *text = row ? json_dumps(row, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
  json_decref(row);
  if (sb_case_file_close(file, text != NULL, error)) return text;
  free(text);
  return NULL;
}

bool sb_case_file_is_one(const char *path)
{
  char        error[256];
  const hid_t file = sb_case_file_open(path, error);
  const bool  is_one =
      file >= 0 && sb_h5_exists(file, "h5md") && sb_h5_exists(file, "parameters") && sb_h5_exists(file, "result");
  return sb_case_file_close(file, is_one, error) && is_one;
}

static bool key_is(hid_t file, const char *key)
{
  json_t     *result = attributes_of(file, "result");
  const char *found = json_string_value(json_object_get(result, "key"));
  const bool  same = found && strcmp(found, key) == 0;
  json_decref(result);
  return same;
}

/* A table of records, all of it; none where it is missing. */
typedef struct {
  const char *path;
  hid_t (*type)(void);
  size_t size, count;
  void  *rows; /* malloc'ed */
} record_table;

static bool read_records(hid_t file, record_table *table)
{
  if (!sb_h5_exists(file, "timing") || !sb_h5_exists(file, table->path)) return true;
  const hid_t    dataset = H5Dopen2(file, table->path, H5P_DEFAULT), type = table->type();
  const hid_t    space = dataset >= 0 ? H5Dget_space(dataset) : -1;
  const hssize_t rows = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
  bool           ok = rows >= 0 && type >= 0;
  if (ok) table->rows = sb_allocate((size_t)rows, table->size);
  ok = ok && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, table->rows) >= 0;
  if (ok) table->count = (size_t)rows;
  ok = sb_h5_close(space) && ok;
  ok = sb_h5_close(type) && ok;
  return sb_h5_close(dataset) && ok;
}

static void take_tables(const record_table *samples, const record_table *noise, sb_case_times *times)
{
  *times = (sb_case_times){samples->count, samples->rows, noise->count, noise->rows};
  for (size_t i = 0; i < times->sample_count; ++i) times->samples[i].phase[SB_SAMPLE_PHASE_SIZE - 1] = '\0';
  for (size_t i = 0; i < times->noise_count; ++i) times->noise[i].noisy[SB_NOISE_WORDS - 1] = '\0';
}

bool sb_case_file_times(const char *path, const char *key, sb_case_times *times, char error[256])
{
  record_table samples = {.path = "timing/samples", .type = sb_sample_type, .size = sizeof *times->samples};
  record_table noise = {.path = "timing/noise", .type = sb_noise_type, .size = sizeof *times->noise};
  const hid_t  file = sb_case_file_open(path, error);
  const bool   same = file >= 0 && key_is(file, key);
  if (file >= 0 && !same && error[0] == '\0') snprintf(error, 256, "it holds another case than %s", key);
  const bool ok = same && read_records(file, &samples) && read_records(file, &noise);
  take_tables(&samples, &noise, times);
  if (sb_case_file_close(file, ok, error)) return true;
  sb_case_times_clear(times);
  return false;
}

void sb_case_times_clear(sb_case_times *times)
{
  free(times->samples);
  free(times->noise);
  *times = (sb_case_times){0};
}

bool sb_case_file_samples(const char *path, const char *key, size_t *count, sb_sample_record **samples, char error[256])
{
  sb_case_times times;
  const bool    read = sb_case_file_times(path, key, &times, error);
  *samples = times.samples;
  *count = times.sample_count;
  free(times.noise);
  return read;
}

bool sb_case_file_noise(const char *path, const char *key, size_t *count, sb_noise_record **records, char error[256])
{
  sb_case_times times;
  const bool    read = sb_case_file_times(path, key, &times, error);
  *records = times.noise;
  *count = times.noise_count;
  free(times.samples);
  return read;
}

bool sb_repetition_is_noisy(const sb_case_times *times, int32_t repetition)
{
  for (size_t i = 0; i < times->noise_count; ++i)
    if (times->noise[i].repetition == repetition) return times->noise[i].broken != 0;
  return false;
}

bool sb_repetition_counts(const sb_case_times *times, int32_t repetition)
{
  if (!sb_repetition_is_noisy(times, repetition)) return true;
  for (size_t i = 0; i < times->noise_count; ++i)
    if (times->noise[i].broken == 0) return false;
  return true;
}

static bool is_value_of_series(const char *name) { return strcmp(name, "state_digest") != 0; }

bool sb_case_file_observables(hid_t file, sb_columns *columns)
{
  char path[SB_H5_CAUSE_SIZE];
  if (!sb_h5_exists(file, "observables")) return true;
  json_t *names = sb_h5_members(file, "observables/all");
  bool    ok = names && sb_h5_read_columns(file, "observables/all/state_digest/step", "step", columns) &&
            sb_h5_read_columns(file, "observables/all/state_digest/time", "time", columns);
  for (size_t i = 0; ok && i < json_array_size(names); ++i) {
    const char *name = json_string_value(json_array_get(names, i));
    if (!is_value_of_series(name)) continue;
    snprintf(path, sizeof path, "observables/all/%s/value", name);
    ok = sb_h5_read_columns(file, path, name, columns);
  }
  json_decref(names);
  return ok;
}

/* Adds the columns of one run from below `group`, which need not be there. */
static bool read_run(hid_t file, const char *group, const char *run, sb_columns *columns)
{
  char path[SB_H5_CAUSE_SIZE], member[2 * SB_H5_CAUSE_SIZE];
  snprintf(path, sizeof path, "%s/%s", group, run);
  if (!sb_h5_exists(file, path)) return true;
  json_t *names = sb_h5_members(file, path);
  bool    ok = names != NULL;
  for (size_t i = 0; ok && i < json_array_size(names); ++i) {
    const char *name = json_string_value(json_array_get(names, i));
    snprintf(member, sizeof member, "%s/%s", path, name);
    ok = sb_h5_read_columns(file, member, name, columns);
  }
  json_decref(names);
  return ok;
}

/* Runs of /convergence, then those that only have timings. */
static json_t *list_runs(hid_t file, bool plain, bool timed)
{
  json_t *runs = plain ? sb_h5_members(file, "convergence") : json_array();
  json_t *more = timed ? sb_h5_members(file, "timing/convergence") : json_array();
  for (size_t i = 0; runs && i < json_array_size(more); ++i) {
    const char *name = json_string_value(json_array_get(more, i));
    bool        known = false;
    for (size_t j = 0; j < json_array_size(runs); ++j)
      known = known || strcmp(json_string_value(json_array_get(runs, j)), name) == 0;
    if (!known) json_array_append(runs, json_array_get(more, i));
  }
  json_decref(more);
  return runs;
}

typedef struct {
  bool (*call)(void *context, const sb_curve_run *run);
  void *context;
} visitor;

static bool visit_run(hid_t file, const char *name, const bool there[2], const visitor *visit)
{
  sb_columns columns = {0};
  bool       ok = (!there[0] || read_run(file, "convergence", name, &columns)) &&
            (!there[1] || read_run(file, "timing/convergence", name, &columns));
  const sb_curve_run run = {.run = name,
                            .count = columns.count,
                            .columns = columns.columns,
                            .names = (const char *const *)columns.names,
                            .units = (const char *const *)columns.units,
                            .values = (const double *const *)columns.values};
  ok = ok && visit->call(visit->context, &run);
  sb_columns_clear(&columns);
  return ok;
}

bool sb_case_file_curves(const char *path, bool (*visit)(void *context, const sb_curve_run *run), void *context,
                         char error[256])
{
  const visitor visitor_of_runs = {visit, context};
  const hid_t   file = sb_case_file_open(path, error);
  bool          there[2] = {false, false};
  if (file >= 0) {
    there[0] = sb_h5_exists(file, "convergence");
    there[1] = sb_h5_exists(file, "timing") && sb_h5_exists(file, "timing/convergence");
  }
  json_t *runs = file >= 0 ? list_runs(file, there[0], there[1]) : NULL;
  bool    ok = runs != NULL;
  for (size_t i = 0; ok && i < json_array_size(runs); ++i)
    ok = visit_run(file, json_string_value(json_array_get(runs, i)), there, &visitor_of_runs);
  json_decref(runs);
  return sb_case_file_close(file, ok, error);
}
