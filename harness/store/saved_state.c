/* Reading the end of a stored run; see saved_state.h. Positions and velocities are the last rows of H5MD's datasets,
 * memories the datasets of /restart, whose attribute `step` says to which state they belong. */
#include "harness/store/saved_state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/store/case_file_read.h"
#include "harness/store/publish.h"

#define POSITION "particles/all/position/"
#define VELOCITY "particles/all/velocity/"

enum { RANK_MAX = 3 };

/* Extents of a dataset that has `rank` of them; false when it is missing or has another number. */
static bool open_dataset(hid_t file, const char *path, int rank, hid_t *dataset, hsize_t extents[RANK_MAX])
{
  *dataset = H5Dopen2(file, path, H5P_DEFAULT);
  const hid_t space = *dataset >= 0 ? H5Dget_space(*dataset) : -1;
  const bool  ok =
      space >= 0 && H5Sget_simple_extent_ndims(space) == rank && H5Sget_simple_extent_dims(space, extents, NULL) >= 0;
  return sb_h5_close(space) && ok;
}

/* The last of extents[0] rows. */
static bool read_last(hid_t dataset, int rank, const hsize_t *extents, hid_t type, void *values)
{
  const hsize_t start[RANK_MAX] = {extents[0] - 1, 0, 0};
  hsize_t       count[RANK_MAX] = {1, 1, 1};
  for (int i = 1; i < rank; ++i) count[i] = extents[i];
  const hid_t rows = H5Dget_space(dataset), row = H5Screate_simple(rank, count, NULL);
  bool        ok = rows >= 0 && row >= 0 && H5Sselect_hyperslab(rows, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
            H5Dread(dataset, type, row, rows, H5P_DEFAULT, values) >= 0;
  ok = sb_h5_close(rows) && ok;
  return sb_h5_close(row) && ok;
}

static bool read_step(hid_t file, int64_t *step)
{
  hsize_t extents[RANK_MAX] = {0};
  hid_t   dataset = -1;
  bool    ok = open_dataset(file, POSITION "step", 1, &dataset, extents) && extents[0] > 0 &&
            read_last(dataset, 1, extents, H5T_NATIVE_INT64, step) && *step >= 0;
  return sb_h5_close(dataset) && ok;
}

static bool all_finite(size_t count, const double *values)
{
  for (size_t i = 0; i < count; ++i)
    if (!isfinite(values[i])) return false;
  return true;
}

/* The last state of a dataset [T][N][3], N as before where that is known. */
static bool read_state(hid_t file, const char *path, size_t *vertices, double **values)
{
  hsize_t extents[RANK_MAX] = {0};
  hid_t   dataset = -1;
  bool    ok = open_dataset(file, path, 3, &dataset, extents) && extents[0] > 0 && extents[1] > 0 &&
            extents[1] <= INT32_MAX && extents[2] == 3 && (*vertices == 0 || *vertices == extents[1]);
  if (ok) {
    *vertices = (size_t)extents[1];
    *values = sb_allocate(*vertices * 3, sizeof **values);
    ok = read_last(dataset, 3, extents, H5T_NATIVE_DOUBLE, *values) && all_finite(*vertices * 3, *values);
  }
  return sb_h5_close(dataset) && ok;
}

static bool read_memory(hid_t file, const char *name, sb_saved_state *state)
{
  char    path[SB_H5_CAUSE_SIZE];
  hsize_t extents[RANK_MAX] = {0};
  hid_t   dataset = -1;
  snprintf(path, sizeof path, "restart/%s", name);
  double *values = sb_allocate(state->vertices * 3, sizeof *values);
  state->names = sb_grow(state->names, state->memories, sizeof *state->names);
  state->memory = sb_grow(state->memory, state->memories, sizeof *state->memory);
  state->names[state->memories] = sb_copy_text(name);
  state->memory[state->memories++] = values;
  bool ok = open_dataset(file, path, 2, &dataset, extents) && extents[0] == state->vertices && extents[1] == 3 &&
            H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0 &&
            all_finite(state->vertices * 3, values);
  return sb_h5_close(dataset) && ok;
}

/* Memories of another state than the last one stored are of no use, and as good as none. */
static bool read_memories(hid_t file, sb_saved_state *state)
{
  if (!sb_h5_exists(file, "restart")) return true;
  const hid_t group = H5Gopen2(file, "restart", H5P_DEFAULT);
  json_t     *said = group >= 0 ? sb_h5_attributes(group) : NULL, *names = sb_h5_members(file, "restart");
  bool        ok = sb_h5_close(group) && said && names;
  if (ok && json_integer_value(json_object_get(said, "step")) == state->step)
    for (size_t i = 0; ok && i < json_array_size(names); ++i)
      ok = read_memory(file, json_string_value(json_array_get(names, i)), state);
  json_decref(said);
  json_decref(names);
  return ok;
}

static bool has_state(hid_t file, char error[256])
{
  if (sb_h5_exists(file, "particles") && sb_h5_exists(file, "particles/all") &&
      sb_h5_exists(file, "particles/all/position"))
    return true;
  snprintf(error, 256, "no state is stored in it");
  return false;
}

static hid_t open_whole(const char *path, char error[256])
{
  return sb_published_file_is_whole(path, error) ? sb_case_file_open(path, error) : -1;
}

bool sb_saved_state_read(const char *path, sb_saved_state *state, char error[256])
{
  *state = (sb_saved_state){0};
  const hid_t file = open_whole(path, error);
  const bool  ok = file >= 0 && has_state(file, error) && read_step(file, &state->step) &&
                  read_state(file, POSITION "value", &state->vertices, &state->position) &&
                  read_state(file, VELOCITY "value", &state->vertices, &state->velocity) && read_memories(file, state);
  if (sb_case_file_close(file, ok, error)) return true;
  sb_saved_state_clear(state);
  return false;
}

bool sb_saved_step(const char *path, int64_t *step, char error[256])
{
  const hid_t file = open_whole(path, error);
  const bool  ok = file >= 0 && has_state(file, error) && read_step(file, step);
  return sb_case_file_close(file, ok, error);
}

void sb_saved_state_clear(sb_saved_state *state)
{
  for (size_t i = 0; i < state->memories; ++i) {
    free(state->names[i]);
    free(state->memory[i]);
  }
  free(state->names);
  free(state->memory);
  free(state->position);
  free(state->velocity);
  *state = (sb_saved_state){0};
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
  if (!sb_saved_state_read(path, &state, error)) return false;
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
  sb_saved_state_clear(&state);
  return true;
}
