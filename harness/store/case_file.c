/* Reading case files back; see case_file.h. */
#include "harness/store/case_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/store/journal.h"

hid_t sb_sample_type(void)
{
  static const sb_h5_member members[] = {
      {"repetition", offsetof(sb_sample_record, repetition), 'i', 0},
      {"phase", offsetof(sb_sample_record, phase), 't', SB_SAMPLE_PHASE_SIZE},
      {"step", offsetof(sb_sample_record, step), 'l', 0},
      {"seconds", offsetof(sb_sample_record, seconds), 'd', 0},
  };
  return sb_h5_record_type(sizeof(sb_sample_record), sizeof members / sizeof *members, members);
}

hid_t sb_noise_type(void)
{
  static const sb_h5_member members[] = {
      {"repetition", offsetof(sb_noise_record, repetition), 'i', 0},
      {"broken", offsetof(sb_noise_record, broken), 'i', 0},
      {"calibrations", offsetof(sb_noise_record, calibrations), 'l', 0},
      {"switches", offsetof(sb_noise_record, switches), 'l', 0},
      {"window_s", offsetof(sb_noise_record, window_s), 'd', 0},
      {"calibration_median_s", offsetof(sb_noise_record, calibration_median_s), 'd', 0},
      {"calibration_fast_s", offsetof(sb_noise_record, calibration_fast_s), 'd', 0},
      {"steal", offsetof(sb_noise_record, steal), 'd', 0},
      {"waited", offsetof(sb_noise_record, waited), 'd', 0},
      {"noisy", offsetof(sb_noise_record, noisy), 't', SB_NOISE_WORDS},
  };
  return sb_h5_record_type(sizeof(sb_noise_record), sizeof members / sizeof *members, members);
}

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

bool sb_case_file_is_one(const char *path)
{
  char        error[256];
  const hid_t file = sb_case_file_open(path, error);
  const bool  is_one =
      file >= 0 && sb_h5_exists(file, "h5md") && sb_h5_exists(file, "parameters") && sb_h5_exists(file, "result");
  return sb_case_file_close(file, is_one, error);
}

/* ---- What is said of the case ---- */

/* Moves the members of `names` to `row`; what is left are columns. */
static bool move_members(json_t *from, json_t *row, const char *const *names)
{
  for (; *names; ++names) {
    json_t *value = json_object_get(from, *names);
    if (!value || json_object_set(row, *names, value) != 0) return false;
    (void)json_object_del(from, *names);
  }
  return true;
}

json_t *sb_case_file_row(hid_t file)
{
  static const char *const said[] = {"key", "status", "reason", "accuracy_ok", "digest", NULL};
  static const char *const cost[] = {"wall_s", "max_rss_bytes", NULL};
  json_t    *columns = sb_h5_attributes(file, "result"), *timing = sb_h5_attributes(file, "timing/result");
  json_t    *row = json_object();
  const bool ok = columns && timing && move_members(columns, row, said) && move_members(timing, row, cost) &&
                  json_object_update(columns, timing) == 0 && json_object_set(row, "columns", columns) == 0;
  json_decref(columns);
  json_decref(timing);
  if (ok) return row;
  json_decref(row);
  return NULL;
}

json_t *sb_case_file_parameters(hid_t file) { return sb_h5_attributes(file, "parameters"); }

json_t *sb_case_file_provenance(hid_t file) { return sb_h5_attributes(file, "provenance"); }

json_t *sb_case_file_inputs(hid_t file)
{
  return sb_h5_exists(file, "inputs") ? sb_h5_attributes(file, "inputs") : json_object();
}

/* ---- Times ---- */

static bool key_is(hid_t file, const char *key)
{
  json_t     *result = sb_h5_attributes(file, "result");
  const char *found = json_string_value(json_object_get(result, "key"));
  const bool  same = found && strcmp(found, key) == 0;
  json_decref(result);
  return same;
}

/* A table of records, all of it; none where it is missing. Takes `type` over. */
static bool read_records(sb_arena *arena, hid_t file, const char *path, hid_t type, size_t *count, void **records)
{
  bool ok = type >= 0;
  if (ok && sb_h5_exists(file, path)) {
    *records = sb_h5_read_array(arena, file, path, type, 0, count);
    ok = *records != NULL;
  }
  return SB_H5_CLOSE(ok, type);
}

bool sb_case_file_times(sb_arena *arena, const char *path, const char *key, sb_case_times *times, char error[256])
{
  void         *samples = NULL, *noise = NULL;
  sb_case_times read = {0};
  const hid_t   file = sb_case_file_open(path, error);
  const bool    same = file >= 0 && key_is(file, key);
  if (file >= 0 && !same && error[0] == '\0') snprintf(error, 256, "it holds another case than %s", key);
  const bool ok = same && read_records(arena, file, "timing/samples", sb_sample_type(), &read.sample_count, &samples) &&
                  read_records(arena, file, "timing/noise", sb_noise_type(), &read.noise_count, &noise);
  *times = (sb_case_times){0};
  if (!sb_case_file_close(file, ok, error)) return false;
  *times = (sb_case_times){read.sample_count, samples, read.noise_count, noise};
  for (size_t i = 0; i < times->sample_count; ++i) times->samples[i].phase[SB_SAMPLE_PHASE_SIZE - 1] = '\0';
  for (size_t i = 0; i < times->noise_count; ++i) times->noise[i].noisy[SB_NOISE_WORDS - 1] = '\0';
  return true;
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

/* ---- Observables and curves ---- */

bool sb_case_file_observables(hid_t file, sb_columns *columns)
{
  char path[SB_H5_PATH_SIZE];
  if (!sb_h5_exists(file, "observables")) return true;
  json_t *names = sb_h5_members(file, "observables/all");
  bool    ok = names && sb_h5_read_columns(file, "observables/all/state_digest/step", "step", columns) &&
            sb_h5_read_columns(file, "observables/all/state_digest/time", "time", columns);
  for (size_t i = 0; ok && i < json_array_size(names); ++i) {
    const char *name = json_string_value(json_array_get(names, i));
    if (strcmp(name, "state_digest") == 0) continue;
    snprintf(path, sizeof path, "observables/all/%s/value", name);
    ok = sb_h5_read_columns(file, path, name, columns);
  }
  json_decref(names);
  return ok;
}

static const char *const run_groups[2] = {"convergence", "timing/convergence"};

/* Adds the columns of one run from below each group that has it. */
static bool read_run(hid_t file, const bool there[2], const char *run, sb_columns *columns)
{
  char path[SB_H5_PATH_SIZE], member[2 * SB_H5_PATH_SIZE];
  bool ok = true;
  for (int g = 0; ok && g < 2; ++g) {
    snprintf(path, sizeof path, "%s/%s", run_groups[g], run);
    if (!there[g] || !sb_h5_exists(file, path)) continue;
    json_t *names = sb_h5_members(file, path);
    ok = names != NULL;
    for (size_t i = 0; ok && i < json_array_size(names); ++i) {
      const char *name = json_string_value(json_array_get(names, i));
      snprintf(member, sizeof member, "%s/%s", path, name);
      ok = sb_h5_read_columns(file, member, name, columns);
    }
    json_decref(names);
  }
  return ok;
}

/* The names of the runs of /convergence, then of those that only have timings: keys of an object, which keeps its
 * order. */
static json_t *list_runs(hid_t file, const bool there[2])
{
  json_t *runs = json_object();
  for (int g = 0; runs && g < 2; ++g) {
    json_t *names = there[g] ? sb_h5_members(file, run_groups[g]) : json_array();
    for (size_t i = 0; i < json_array_size(names); ++i)
      json_object_set_new(runs, json_string_value(json_array_get(names, i)), json_true());
    if (!names) {
      json_decref(runs);
      runs = NULL;
    }
    json_decref(names);
  }
  return runs;
}

bool sb_case_file_curves(const char *path, bool (*visit)(void *context, const sb_curve_run *run), void *context,
                         char error[256])
{
  const char *run = NULL;
  json_t     *unused = NULL;
  const hid_t file = sb_case_file_open(path, error);
  const bool  there[2] = {file >= 0 && sb_h5_exists(file, run_groups[0]),
                          file >= 0 && sb_h5_exists(file, run_groups[1])};
  json_t     *runs = file >= 0 ? list_runs(file, there) : NULL;
  bool        ok = runs != NULL;
  json_object_foreach(runs, run, unused)
  {
    sb_columns columns = {.arena = sb_arena_create()};
    ok = ok && read_run(file, there, run, &columns) &&
         visit(context, &(sb_curve_run){.run = run,
                                        .count = columns.count,
                                        .columns = columns.columns,
                                        .names = (const char *const *)columns.names,
                                        .units = (const char *const *)columns.units,
                                        .values = (const double *const *)columns.values});
    sb_arena_destroy(&columns.arena);
  }
  json_decref(runs);
  return sb_case_file_close(file, ok, error);
}

/* ---- The state that a file keeps: positions and velocities are the last rows of H5MD's datasets, memories the
 * datasets of /restart, whose attribute `step` says to which state they belong ---- */

#define POSITION "particles/all/position/"
#define VELOCITY "particles/all/velocity/"

static bool read_step(hid_t file, int64_t *step)
{
  hsize_t     extents[SB_H5_RANK_MAX];
  const hid_t dataset = sb_h5_open_dataset(file, POSITION "step", 1, extents);
  const bool  ok = dataset >= 0 && extents[0] > 0 &&
                  sb_h5_read_row(dataset, 1, extents, extents[0] - 1, H5T_NATIVE_INT64, step) && *step >= 0;
  return SB_H5_CLOSE(ok, dataset);
}

static bool all_finite(size_t count, const double *values)
{
  for (size_t i = 0; i < count; ++i)
    if (!isfinite(values[i])) return false;
  return true;
}

/* The last state of a dataset [T][N][3], N as before where that is known. */
static bool read_state(sb_arena *arena, hid_t file, const char *path, size_t *vertices, double **values)
{
  hsize_t     extents[SB_H5_RANK_MAX];
  const hid_t dataset = sb_h5_open_dataset(file, path, 3, extents);
  bool        ok = dataset >= 0 && extents[0] > 0 && extents[1] > 0 && extents[1] <= INT32_MAX && extents[2] == 3 &&
            (*vertices == 0 || *vertices == extents[1]);
  if (ok) {
    *vertices = (size_t)extents[1];
    *values = sb_arena_take(arena, *vertices * 3, sizeof **values);
    ok = sb_h5_read_row(dataset, 3, extents, extents[0] - 1, H5T_NATIVE_DOUBLE, *values) &&
         all_finite(*vertices * 3, *values);
  }
  return SB_H5_CLOSE(ok, dataset);
}

static double *read_memory(sb_arena *arena, hid_t file, const char *name, size_t vertices)
{
  hsize_t     extents[SB_H5_RANK_MAX];
  char       *path = sb_arena_format(arena, "restart/%s", name);
  const hid_t dataset = sb_h5_open_dataset(file, path, 2, extents);
  double     *values = sb_arena_take(arena, vertices * 3, sizeof *values);
  const bool  ok = dataset >= 0 && extents[0] == vertices && extents[1] == 3 &&
                  H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0 &&
                  all_finite(vertices * 3, values);
  return SB_H5_CLOSE(ok, dataset) ? values : NULL;
}

/* Memories of another state than the last one stored are of no use, and as good as none. */
static bool read_memories(sb_arena *arena, hid_t file, sb_saved_state *s)
{
  if (!sb_h5_exists(file, "restart")) return true;
  json_t      *said = sb_h5_attributes(file, "restart"), *names = sb_h5_members(file, "restart");
  bool         ok = said && names;
  const bool   fits = json_integer_value(json_object_get(said, "step")) == s->step;
  const size_t count = fits ? json_array_size(names) : 0;
  s->names = sb_arena_take(arena, count, sizeof *s->names);
  s->memory = sb_arena_take(arena, count, sizeof *s->memory);
  for (; ok && s->memories < count; ++s->memories) {
    const char *name = json_string_value(json_array_get(names, s->memories));
    s->names[s->memories] = sb_arena_copy(arena, name);
    s->memory[s->memories] = read_memory(arena, file, name, s->vertices);
    ok = s->memory[s->memories] != NULL;
  }
  json_decref(said);
  json_decref(names);
  return ok;
}

static hid_t open_whole(const char *path, char error[256])
{
  const hid_t file = sb_published_file_is_whole(path, error) ? sb_case_file_open(path, error) : -1;
  if (file < 0 || sb_h5_exists(file, "particles/all/position")) return file;
  if (error[0] == '\0') snprintf(error, 256, "no state is stored in it");
  return file;
}

bool sb_saved_state_read(sb_arena *arena, const char *path, sb_saved_state *state, char error[256])
{
  sb_saved_state s = {0};
  const hid_t    file = open_whole(path, error);
  const bool     ok = file >= 0 && error[0] == '\0' && read_step(file, &s.step) &&
                  read_state(arena, file, POSITION "value", &s.vertices, &s.position) &&
                  read_state(arena, file, VELOCITY "value", &s.vertices, &s.velocity) && read_memories(arena, file, &s);
  const bool closed = sb_case_file_close(file, ok, error);
  *state = closed ? s : (sb_saved_state){0};
  return closed;
}

bool sb_saved_step(const char *path, int64_t *step, char error[256])
{
  const hid_t file = open_whole(path, error);
  return sb_case_file_close(file, file >= 0 && error[0] == '\0' && read_step(file, step), error);
}

const double *sb_saved_memory(const sb_saved_state *state, const char *name)
{
  for (size_t i = 0; i < state->memories; ++i)
    if (strcmp(state->names[i], name) == 0) return state->memory[i];
  return NULL;
}

bool sb_saved_state_digest(const char *path, char hex[SB_DIGEST_LENGTH + 1], char error[256])
{
  sb_saved_state state;
  sb_arena      *arena = sb_arena_create();
  const bool     read = sb_saved_state_read(arena, path, &state, error);
  if (read) {
    const size_t count = state.vertices * 3;
    sb_digest   *digest = sb_digest_create();
    sb_digest_integer(digest, state.step);
    sb_digest_reals(digest, count, state.position);
    sb_digest_reals(digest, count, state.velocity);
    for (size_t i = 0; i < state.memories; ++i) {
      sb_digest_text(digest, state.names[i]);
      sb_digest_reals(digest, count, state.memory[i]);
    }
    sb_digest_hex(digest, hex);
    sb_digest_destroy(&digest);
  }
  sb_arena_destroy(&arena);
  return read;
}
