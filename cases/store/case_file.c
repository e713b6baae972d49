/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading case files back; see case_file.h. */
#include "cases/store/case_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/allocate.h"
#include "base/number.h"
#include "cases/store/case_row.h"
#include "cases/store/journal.h"

/* A compound type for a struct of `size` bytes. */
typedef struct {
  const char *name;
  size_t      offset;
  char        kind;        /* as sb_h5_type has it */
  size_t      text_length; /* of a text, NUL included */
} member;

static hid_t record_type(size_t size, size_t count, const member *members)
{
  const hid_t type = H5Tcreate(H5T_COMPOUND, size);
  for (const member *m = members; m < members + count; ++m) {
    SB_H5_ID kind = sb_h5_type(m->kind, m->text_length);
    H5Tinsert(type, m->name, m->offset, kind);
  }
  return type;
}

hid_t sb_sample_type(void)
{
  static const member members[] = {
      {"repetition", offsetof(sb_sample_record, repetition), 'i', 0},
      {"phase", offsetof(sb_sample_record, phase), 't', SB_SAMPLE_PHASE_SIZE},
      {"step", offsetof(sb_sample_record, step), 'l', 0},
      {"seconds", offsetof(sb_sample_record, seconds), 'd', 0},
  };
  return record_type(sizeof(sb_sample_record), sizeof members / sizeof *members, members);
}

hid_t sb_noise_type(void)
{
  static const member members[] = {
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
  return record_type(sizeof(sb_noise_record), sizeof members / sizeof *members, members);
}

hid_t sb_case_file_open(const char *path, char error[256])
{
  sb_h5_watch(NULL);
  const hid_t file = sb_h5_file(path, H5F_ACC_RDONLY);
  snprintf(error, 256, "%s", sb_h5_cause());
  return file;
}

bool sb_case_file_close(hid_t file, bool good, char error[256])
{
  if (file < 0 || !good) sb_h5_refuse(SB_H5_INCOMPLETE);
  sb_h5_close(file);
  const bool whole = sb_h5_good(); /* not a failure, also not an unseen one */
  if (!whole) snprintf(error, 256, "%s", sb_h5_cause());
  sb_h5_watch(NULL);
  return whole;
}

bool sb_case_file_is_one(const char *path)
{
  char        error[256];
  const hid_t file = sb_case_file_open(path, error);
  const bool  is_one =
      file >= 0 && sb_h5_exists(file, "h5md") && sb_h5_exists(file, "parameters") && sb_h5_exists(file, "result");
  return sb_case_file_close(file, is_one, error);
}

json_t *sb_case_file_row(hid_t file)
{
  json_auto_t *columns = sb_h5_attributes(file, "result"), *timing = sb_h5_attributes(file, "timing/result");
  json_auto_t *row = json_object();
  bool         ok = columns && timing && json_object_update(columns, timing) == 0;
  for (size_t i = 0; ok && i < SB_COMMON_COUNT; ++i) { /* the others are columns */
    const sb_common_column *column = &sb_common_columns[i];
    json_t                 *value = json_object_get(columns, column->name);
    if (value)
      ok = json_object_set(row, column->name, value) == 0 && json_object_del(columns, column->name) == 0;
    else
      ok = column->planned || column->optional;
  }
  return ok && json_object_set(row, "columns", columns) == 0 ? json_incref(row) : NULL;
}

const char *sb_stored_option_text(sb_arena *arena, const json_t *value)
{
  char        number[32];
  const char *list = "";
  if (json_is_string(value)) return json_string_value(value);
  if (json_is_real(value)) return sb_arena_copy(arena, sb_format_real(json_real_value(value), number));
  if (json_is_integer(value)) return sb_arena_format(arena, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
  if (!json_is_array(value)) return json_is_true(value) ? "true" : "false";
  for (size_t i = 0; i < json_array_size(value); ++i)
    list = sb_arena_format(arena, "%s%s%s", list, i ? "," : "", sb_stored_option_text(arena, json_array_get(value, i)));
  return sb_arena_format(arena, "[%s]", list);
}

/* Adds the datasets in a group, which may be deep and large in a file that no case wrote. */
static bool add_datasets(hid_t file, const char *group, int depth, json_t *all)
{
  enum { DEPTH_MAX = 6, DATASETS_MAX = 10000 };
  char         path[SB_H5_PATH_SIZE];
  json_auto_t *names = sb_h5_members(file, group);
  size_t       i;
  json_t      *name;
  if (!names || depth > DEPTH_MAX) return false;
  json_array_foreach(names, i, name)
  {
    hsize_t     extents[SB_H5_RANK_MAX];
    const char *leaf = json_string_value(name);
    const int   length = snprintf(path, sizeof path, "%s/%s", group, leaf);
    if (length >= (int)sizeof path || json_array_size(all) > DATASETS_MAX) return false;
    if (depth > 1 && (strcmp(leaf, "step") == 0 || strcmp(leaf, "time") == 0)) continue;
    if (!sb_h5_is_dataset(file, path)) {
      if (!add_datasets(file, path, depth + 1, all)) return false;
      continue;
    }
    SB_H5_ID dataset = sb_h5_open_dataset(file, path, 0, extents), space = H5Dget_space(dataset);
    json_t  *shape = json_array();
    for (int e = 0; e < H5Sget_simple_extent_ndims(space); ++e)
      json_array_append_new(shape, json_integer((json_int_t)extents[e]));
    json_array_append_new(all, json_pack("{s:s, s:o}", "path", path, "extents", shape));
  }
  return sb_h5_good();
}

json_t *sb_case_file_datasets(hid_t file)
{
  static const char *const groups[] = {"particles", "connectivity", "springs", "observables",
                                       "steps",     "convergence",  "restart", "timing"};
  json_t                  *all = json_array();
  bool                     good = true;
  for (size_t i = 0; good && i < sizeof groups / sizeof *groups; ++i)
    good = !sb_h5_exists(file, groups[i]) || add_datasets(file, groups[i], 1, all);
  if (good) return all;
  sb_h5_refuse(SB_H5_INCOMPLETE);
  json_decref(all);
  return NULL;
}

/* ---- Times ---- */

/* Reads all of a table of records; nothing if it is missing. Takes over `type`. */
static void *read_records(sb_arena *arena, hid_t file, const char *path, hid_t type, size_t *count)
{
  SB_H5_ID taken = type;
  if (!sb_h5_good() || !sb_h5_exists(file, path)) return NULL;
  void *records = sb_h5_read_array(arena, file, path, taken, 0, count);
  if (!records) sb_h5_refuse(SB_H5_INCOMPLETE);
  return records;
}

bool sb_case_file_times(sb_arena *arena, const char *path, const char *key, sb_case_times *times, char error[256])
{
  sb_case_times read = {0};
  const hid_t   file = sb_case_file_open(path, error);
  json_auto_t  *result = file >= 0 ? sb_h5_attributes(file, "result") : NULL;
  const char   *found = json_string_value(json_object_get(result, "key"));
  if (!found || strcmp(found, key) != 0) sb_h5_refuse("it has a case other than %s", key);
  read.samples = read_records(arena, file, "timing/samples", sb_sample_type(), &read.sample_count);
  read.noise = read_records(arena, file, "timing/noise", sb_noise_type(), &read.noise_count);
  const bool whole = sb_case_file_close(file, sb_h5_good(), error);
  *times = whole ? read : (sb_case_times){0};
  for (size_t i = 0; i < times->sample_count; ++i) times->samples[i].phase[SB_SAMPLE_PHASE_SIZE - 1] = '\0';
  for (size_t i = 0; i < times->noise_count; ++i) times->noise[i].noisy[SB_NOISE_WORDS - 1] = '\0';
  return whole;
}

bool sb_repetition_is_noisy(const sb_case_times *times, int32_t repetition)
{
  for (size_t i = 0; i < times->noise_count; ++i)
    if (times->noise[i].repetition == repetition) return times->noise[i].broken != 0;
  return false;
}

size_t sb_quiet_repetitions(const sb_case_times *times)
{
  size_t quiet = 0;
  for (size_t i = 0; i < times->noise_count; ++i) quiet += times->noise[i].broken == 0;
  return quiet;
}

bool sb_repetition_counts(const sb_case_times *times, int32_t repetition)
{
  return !sb_repetition_is_noisy(times, repetition) || sb_quiet_repetitions(times) == 0;
}

/* ---- Observables and curves ---- */

/* Appends all members of a group but `left_out`, each the dataset <group>/<member><tail>. */
static bool read_members(hid_t file, const char *group, const char *tail, const char *left_out,
                         sb_stored_columns *columns)
{
  json_auto_t *names = sb_h5_members(file, group);
  json_t      *name;
  size_t       i;
  bool         ok = names != NULL;
  json_array_foreach(names, i, name)
  {
    const char *text = json_string_value(name);
    ok = ok && (strcmp(text, left_out) == 0 ||
                sb_h5_read_columns(file, sb_arena_format(columns->arena, "%s/%s%s", group, text, tail), text, columns));
  }
  return ok;
}

const char *sb_case_file_observed(hid_t file)
{
  return sb_h5_exists(file, "observables/all") ? "observables/all" : "observables";
}

bool sb_case_file_observables(hid_t file, sb_stored_columns *columns)
{
  static char second[] = "s"; /* the time of states has no unit */
  if (!sb_h5_exists(file, "observables")) return true;
  const char *group = sb_case_file_observed(file);
  const char *digests = sb_arena_format(columns->arena, "%s/state_digest", group);
  if (!sb_h5_read_columns(file, sb_arena_format(columns->arena, "%s/step", digests), "step", columns) ||
      !sb_h5_read_columns(file, sb_arena_format(columns->arena, "%s/time", digests), "time", columns))
    return false;
  columns->units[columns->columns - 1] = second;
  return read_members(file, group, "/value", "state_digest", columns);
}

bool sb_case_file_curves(const char *path, sb_arena                                                            *arena,
                         bool (*visit)(void *context, const char *run, const sb_stored_columns *columns), void *context,
                         char error[256])
{
  static const char *const groups[2] = {"convergence", "timing/convergence"};
  const char              *run = NULL;
  json_auto_t             *runs = json_object();
  json_t                  *unused = NULL, *name;
  size_t                   i;
  const hid_t              file = sb_case_file_open(path, error);
  /* The names of the runs of /convergence, then of those that only have timings; an object keeps its order. */
  for (int g = 0; file >= 0 && g < 2; ++g) {
    json_auto_t *names = sb_h5_exists(file, groups[g]) ? sb_h5_members(file, groups[g]) : NULL;
    json_array_foreach(names, i, name) json_object_set_new(runs, json_string_value(name), json_true());
  }
  bool ok = sb_h5_good();
  json_object_foreach(runs, run, unused)
  {
    sb_stored_columns columns = {.arena = arena};
    for (int g = 0; ok && g < 2; ++g) {
      const char *below = sb_arena_format(arena, "%s/%s", groups[g], run);
      ok = !sb_h5_exists(file, below) || read_members(file, below, "", "", &columns);
    }
    ok = ok && visit(context, run, &columns);
  }
  return sb_case_file_close(file, ok, error);
}

/* ---- The state that a file keeps: positions and velocities are the last rows of H5MD's datasets, memories the
 * datasets of /restart, whose attribute `step` gives the state to which they belong ---- */

#define POSITION "particles/all/position/"
#define VELOCITY "particles/all/velocity/"

static bool read_step(hid_t file, int64_t *step)
{
  hsize_t  extents[SB_H5_RANK_MAX];
  SB_H5_ID dataset = sb_h5_open_dataset(file, POSITION "step", 1, extents);
  return dataset >= 0 && extents[0] > 0 &&
         sb_h5_read_row(dataset, 1, extents, extents[0] - 1, H5T_NATIVE_INT64, step) && *step >= 0;
}

/* Finite vectors [N][3], or the last of [T][N][3] where the rank is 3; N as before where that is known. */
static double *read_vectors(sb_arena *arena, hid_t file, const char *path, int rank, size_t *vertices)
{
  hsize_t       extents[SB_H5_RANK_MAX];
  SB_H5_ID      dataset = sb_h5_open_dataset(file, path, rank, extents);
  const hsize_t rows = extents[rank - 2];
  if (dataset < 0 || extents[0] == 0 || rows == 0 || rows > INT32_MAX || extents[rank - 1] != 3) return NULL;
  if (*vertices != 0 && *vertices != rows) return NULL;
  *vertices = (size_t)rows;
  double    *values = sb_arena_take(arena, *vertices * 3, sizeof *values);
  const bool read = rank == 3 ? sb_h5_read_row(dataset, 3, extents, extents[0] - 1, H5T_NATIVE_DOUBLE, values)
                              : H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
  for (size_t i = 0; read && i < *vertices * 3; ++i)
    if (!isfinite(values[i])) return NULL;
  return read ? values : NULL;
}

static hid_t open_whole(const char *path, char error[256])
{
  sb_h5_watch(NULL);
  if (!sb_published_file_is_whole(path, error)) {
    sb_h5_refuse("%s", error);
    return -1;
  }
  const hid_t file = sb_case_file_open(path, error);
  if (file >= 0 && !sb_h5_exists(file, "particles/all/position")) sb_h5_refuse("no state is stored in it");
  return file;
}

bool sb_saved_state_read(sb_arena *arena, const char *path, sb_saved_state *state, char error[256])
{
  sb_saved_state s = {0};
  const hid_t    file = open_whole(path, error);
  bool           ok = sb_h5_good() && read_step(file, &s.step);
  ok = ok && (s.position = read_vectors(arena, file, POSITION "value", 3, &s.vertices)) &&
       (s.velocity = read_vectors(arena, file, VELOCITY "value", 3, &s.vertices));
  if (ok && sb_h5_exists(file, "restart")) {
    json_auto_t *said = sb_h5_attributes(file, "restart"), *names = sb_h5_members(file, "restart");
    /* Memories of another state than the last one stored are useless, and are ignored. */
    const bool   fits = json_integer_value(json_object_get(said, "step")) == s.step;
    const size_t count = fits ? json_array_size(names) : 0;
    s.names = sb_arena_take(arena, count, sizeof *s.names);
    s.memory = sb_arena_take(arena, count, sizeof *s.memory);
    ok = said && names;
    for (; ok && s.memories < count; ++s.memories) {
      const char *name = s.names[s.memories] =
          sb_arena_copy(arena, json_string_value(json_array_get(names, s.memories)));
      s.memory[s.memories] = read_vectors(arena, file, sb_arena_format(arena, "restart/%s", name), 2, &s.vertices);
      ok = s.memory[s.memories] != NULL;
    }
  }
  ok = sb_case_file_close(file, ok, error);
  *state = ok ? s : (sb_saved_state){0};
  return ok;
}

bool sb_saved_step(const char *path, int64_t *step, char error[256])
{
  const hid_t file = open_whole(path, error);
  return sb_case_file_close(file, sb_h5_good() && read_step(file, step), error);
}

const double *sb_saved_memory(const sb_saved_state *state, const char *name)
{
  for (size_t i = 0; i < state->memories; ++i)
    if (strcmp(state->names[i], name) == 0) return state->memory[i];
  return NULL;
}

bool sb_saved_state_digest(const char *path, char hex[SB_DIGEST_LENGTH + 1], char error[256])
{
  SB_ENDED_BY(sb_arena_destroy) sb_arena   *arena = sb_arena_create();
  SB_ENDED_BY(sb_digest_destroy) sb_digest *digest = sb_digest_create();
  sb_saved_state                            state;
  if (!sb_saved_state_read(arena, path, &state, error)) return false;
  sb_digest_integer(digest, state.step);
  sb_digest_reals(digest, state.vertices * 3, state.position);
  sb_digest_reals(digest, state.vertices * 3, state.velocity);
  for (size_t i = 0; i < state.memories; ++i) {
    sb_digest_text(digest, state.names[i]);
    sb_digest_reals(digest, state.vertices * 3, state.memory[i]);
  }
  sb_saved_net net = {0};
  if (sb_saved_net_is_held(path) && !sb_saved_net_read(arena, path, &net, error)) return false;
  if (net.held) sb_digest_bytes(digest, net.vertices, net.held);
  sb_digest_hex(digest, hex);
  return true;
}

/* ---- the net of a program ---- */

typedef struct {
  const char *path, *unit;
  size_t      array;       /* its place in sb_saved_net */
  size_t      rows, width; /* the place of its count; 0: [rows] */
  char        kind;        /* as sb_h5_type has it; 'u': uint8_t */
} net_array;

#define OF(member) offsetof(sb_saved_net, member)
static const net_array net_arrays[] = {
    {"net/position", "m", OF(position), OF(vertices), 3, 'd'},
    {"net/velocity", "m s-1", OF(velocity), OF(vertices), 3, 'd'},
    {"net/mass", "kg", OF(mass), OF(vertices), 0, 'd'},
    {"net/stiffness", "N m-1", OF(stiffness), OF(springs), 0, 'd'},
    {"net/rest_length", "m", OF(rest_length), OF(springs), 0, 'd'},
    {"net/pinned", NULL, OF(pinned), OF(vertices), 0, 'u'},
    {"net/held", NULL, OF(held), OF(vertices), 0, 'u'},
    {"connectivity/springs", NULL, OF(ends), OF(springs), 2, 'i'},
    {"connectivity/triangles", NULL, OF(triangle), OF(triangles), 3, 'i'},
};
#undef OF
enum { NET_ARRAYS = sizeof net_arrays / sizeof *net_arrays };

static void *place_in(sb_saved_net *net, size_t offset) { return (char *)net + offset; }
static hid_t type_of(char kind) { return kind == 'u' ? H5Tcopy(H5T_NATIVE_UINT8) : sb_h5_type(kind, 0); }

bool sb_saved_net_read(sb_arena *arena, const char *path, sb_saved_net *net, char error[256])
{
  const hid_t file = open_whole(path, error);
  bool        good = sb_h5_good();
  *net = (sb_saved_net){0};
  for (int i = 0; i < NET_ARRAYS && good; ++i) {
    const net_array *a = &net_arrays[i];
    SB_H5_ID         type = type_of(a->kind);
    size_t           rows = 0, *known = place_in(net, a->rows);
    if (!sb_h5_exists(file, a->path)) continue;
    void *values = sb_h5_read_array(arena, file, a->path, type, a->width, &rows);
    good = values && (*known == 0 || *known == rows); /* arrays of the same thing have the same number of rows */
    *known = rows;
    memcpy(place_in(net, a->array), &values, sizeof values);
  }
  return sb_case_file_close(file, good, error);
}

void sb_saved_net_write(hid_t file, const sb_saved_net *net)
{
  for (int i = 0; i < NET_ARRAYS; ++i) {
    const net_array *a = &net_arrays[i];
    sb_saved_net     copy = *net;
    const void      *values;
    memcpy(&values, place_in(&copy, a->array), sizeof values);
    if (!values || strncmp(a->path, "net/", 4) != 0) continue;
    SB_H5_ID group = sb_h5_group(file, "net"), type = type_of(a->kind);
    sb_h5_write(group, a->path + 4, &(sb_h5_layout){type, {*(size_t *)place_in(&copy, a->rows), a->width}, a->unit, 0},
                values);
  }
}

bool sb_saved_net_is_held(const char *path)
{
  char        error[256] = "";
  const hid_t file = sb_case_file_open(path, error);
  const bool  held = file >= 0 && sb_h5_exists(file, "net/held");
  return sb_case_file_close(file, true, error) && held;
}
