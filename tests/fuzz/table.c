/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CSV files of single vertices and springs, applied to a chain of eight: what is accepted leaves masses, stiffnesses
 * and rest lengths that a scene may have. The first byte chooses the file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_table.h"
#include "model/scene/build.h"
#include "tests/fuzz/fuzz.h"
#include "tests/model_vocabulary.h"

enum { VERTICES = 8 };

static sb_pose make_chain(void)
{
  sb_pose pose = {0};
  fuzz_require(sb_pose_allocate(&pose, VERTICES), "a chain is made");
  for (size_t i = 0; i < VERTICES; ++i) pose.position[3 * i] = 0.5 * (double)i;
  for (int32_t i = 1; i < VERTICES; ++i)
    fuzz_require(sb_pose_add_spring(&pose, i - 1, i, 100, SB_STRUCTURAL), "a spring is added");
  return pose;
}

/* The same values for every input. */
static void reset(sb_pose *pose)
{
  for (size_t i = 0; i < VERTICES; ++i) pose->mass[i] = 1;
  for (size_t s = 0; s < pose->springs; ++s) {
    pose->stiffness[s] = 100;
    pose->rest_length[s] = 0.5;
  }
}

static void check_pose(const sb_pose *pose)
{
  for (size_t i = 0; i < pose->vertices; ++i)
    fuzz_require(isfinite(pose->mass[i]) && pose->mass[i] > 0, "masses are positive");
  for (size_t s = 0; s < pose->springs; ++s) {
    fuzz_require(isfinite(pose->stiffness[s]) && pose->stiffness[s] >= 0, "stiffnesses are not negative");
    fuzz_require(isfinite(pose->rest_length[s]) && pose->rest_length[s] >= 0, "rest lengths are not negative");
  }
}

static void check_table(const char *path)
{
  static const sb_number_column columns[] = {
      {"first", true, true}, {"second", true, true}, {"stiffness", false, false}, {"rest_length", false, false}};
  enum { COLUMNS = sizeof columns / sizeof *columns };
  sb_number_table table = {0};
  if (sb_number_table_read(path, columns, COLUMNS, (sb_location){0}, NULL, &table)) {
    for (size_t i = 0; i < table.rows * table.columns; ++i)
      fuzz_require(isfinite(table.value[i]), "numbers are finite");
    for (size_t i = 0; i < table.rows; ++i) fuzz_require(table.line[i] > 0, "rows have lines");
  }
  sb_number_table_clear(&table);
}

static sb_options *make_options(sb_option_id id, const char *path)
{
  sb_options *options = sb_options_create(model_vocabulary());
  fuzz_require(sb_options_set(options, id, path, SB_FROM_USER, (sb_location){0}, NULL), "the file is named");
  return options;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static sb_options *of_vertices, *of_springs;
  static sb_pose     pose;
  if (size < 1) return 0;
  const char *path = fuzz_file(".csv", data + 1, size - 1);
  if (!of_vertices) of_vertices = make_options(SB_ID(vertex_data), path);
  if (!of_springs) of_springs = make_options(SB_ID(spring_data), path);
  if (!pose.vertices) pose = make_chain();
  sb_diagnostics *silent = sb_diagnostics_create();
  reset(&pose);
  const bool springs = data[0] % 2;
  const bool good = springs ? sb_pose_apply_spring_data(of_springs, &pose, silent)
                            : sb_pose_apply_vertex_data(of_vertices, &pose, silent);
  fuzz_require(good == (sb_diagnostics_errors(silent) == 0), "a refusal has a message");
  if (good) check_pose(&pose);
  if (springs) check_table(path);
  sb_diagnostics_destroy(&silent);
  return 0;
}
