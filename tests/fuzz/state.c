/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stored states of an HDF5 file as a run would go on from them, their shapes, types, steps and values chosen by the
 * input: what is accepted is finite, has a step, and a memory for every vertex; what is not has a reason. The library's
 * own reading of damaged files is not what is tested here: a case file is opened only after its checksum agreed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases/store/case_file.h"
#include "cases/store/hdf5_tools.h"
#include "tests/fuzz/fuzz.h"

enum { EXTENT_MAX = 7, VALUES = EXTENT_MAX * EXTENT_MAX * EXTENT_MAX };

static hid_t take_type(fuzz_bytes *bytes, hid_t usual)
{
  const hid_t    types[] = {H5T_NATIVE_DOUBLE, H5T_NATIVE_FLOAT, H5T_NATIVE_INT64, H5T_NATIVE_INT8, H5T_NATIVE_UINT64};
  const unsigned byte = fuzz_byte(bytes);
  return byte < 200 ? usual : types[byte % 5];
}

/* Mostly as it should be. */
static hsize_t take_extent(fuzz_bytes *bytes, hsize_t usual)
{
  const unsigned byte = fuzz_byte(bytes);
  return byte < 220 ? usual : byte % EXTENT_MAX;
}

static double take_value(fuzz_bytes *bytes)
{
  static const double odd[] = {0, -0.0, 1e308, -1e308, 5e-324, 9.3e18, -1};
  const unsigned      byte = fuzz_byte(bytes);
  if (byte == 255) return NAN;
  if (byte == 254) return INFINITY;
  return byte < 7 ? odd[byte] : (double)byte / 16 - 4;
}

/* Values are given as doubles and converted by the library, as those of a foreign file would be. */
static void put_dataset(fuzz_bytes *bytes, hid_t parent, const char *name, hid_t type, int usual, const hsize_t *like)
{
  double  values[VALUES];
  hsize_t extents[4] = {0};
  if (parent < 0 || fuzz_byte(bytes) == 255) return;
  const unsigned byte = fuzz_byte(bytes);
  const int      rank = byte < 230 ? usual : (int)(byte % 5);
  for (int i = 0; i < rank; ++i) extents[i] = i < 3 ? take_extent(bytes, i < usual ? like[i] : 1) : 1;
  for (size_t i = 0; i < VALUES; ++i) values[i] = i % 5 ? (double)(i % 9) : take_value(bytes);
  const hid_t stored = take_type(bytes, type);
  const hid_t space = rank > 0 ? H5Screate_simple(rank, extents, NULL) : H5Screate(H5S_SCALAR);
  const hid_t dataset = H5Dcreate2(parent, name, stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (dataset >= 0) H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
  (void)sb_h5_close(dataset);
  (void)sb_h5_close(space);
}

static void put_series(fuzz_bytes *bytes, hid_t file, const char *path, hsize_t frames, hsize_t vertices)
{
  const hsize_t like[] = {frames, vertices, 3};
  const hid_t   group = fuzz_byte(bytes) == 255 ? -1 : sb_h5_group(file, path);
  put_dataset(bytes, group, "value", H5T_NATIVE_DOUBLE, 3, like);
  put_dataset(bytes, group, "step", H5T_NATIVE_INT64, 1, like);
  (void)sb_h5_close(group);
}

static void put_memories(fuzz_bytes *bytes, hid_t file, hsize_t vertices)
{
  static const char *const names[] = {"previous", "acceleration", ""};
  const hsize_t            like[] = {vertices, 3};
  const hid_t              group = fuzz_byte(bytes) >= 128 ? -1 : sb_h5_group(file, "restart");
  const int64_t            step = (int64_t)(fuzz_byte(bytes) % 9);
  if (group < 0) return;
  sb_h5_put_integer(group, "step", step);
  for (size_t i = 0; i < fuzz_pick(bytes, 3); ++i) put_dataset(bytes, group, names[i], H5T_NATIVE_DOUBLE, 2, like);
  (void)sb_h5_close(group);
}

static void write_file(fuzz_bytes *bytes, const char *path)
{
  const hsize_t frames = 1 + fuzz_pick(bytes, 3), vertices = fuzz_pick(bytes, EXTENT_MAX);
  sb_h5_watch(NULL);
  const hid_t file = sb_h5_file(path, H5F_ACC_TRUNC);
  fuzz_require(file >= 0, "a file is made");
  put_series(bytes, file, "particles/all/position", frames, vertices);
  put_series(bytes, file, "particles/all/velocity", frames, vertices);
  put_memories(bytes, file, vertices);
  fuzz_require(sb_h5_close(file), "a file is closed");
}

static void check_values(const double *values, size_t vertices)
{
  for (size_t i = 0; i < 3 * vertices; ++i) fuzz_require(isfinite(values[i]), "a state is finite");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char           path[128], error[256] = "", hex[SB_DIGEST_LENGTH + 1];
  fuzz_bytes     bytes = {data, data + size};
  sb_saved_state state;
  sb_arena      *arena = sb_arena_create();
  int64_t        step = -1;
  snprintf(path, sizeof path, "%s/case.h5", fuzz_folder());
  write_file(&bytes, path);
  const bool read = sb_saved_state_read(arena, path, &state, error);
  fuzz_require(read || *error, "a refusal has a reason");
  if (read) {
    check_values(state.position, state.vertices);
    check_values(state.velocity, state.vertices);
    for (size_t i = 0; i < state.memories; ++i) check_values(state.memory[i], state.vertices);
    fuzz_require(state.step >= 0 && sb_saved_step(path, &step, error) && step == state.step, "a state has its step");
  }
  fuzz_require(sb_saved_state_digest(path, hex, error) == read, "what is read has a digest");
  sb_arena_destroy(&arena);
  return 0;
}
