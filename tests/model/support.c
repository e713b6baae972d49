/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See support.h. */
#include "tests/model/support.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "tests/model_vocabulary.h"

bool sb_test_within(double a, double b, double tolerance, const char *what, const char *file, int line)
{
  const double error = fabs(a - b);
  if (error <= tolerance) return true;
  print_error("%s:%d: %s: %.17g against %.17g, error %g, allowed %g\n", file, line, what, a, b, error, tolerance);
  return false;
}

sb_options *sb_test_options(const char *pairs)
{
  sb_options     *options = sb_options_create(model_vocabulary());
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  char           *text = strdup(pairs), *rest = NULL;
  assert_non_null(options);
  for (char *pair = strtok_r(text, " ", &rest); pair; pair = strtok_r(NULL, " ", &rest))
    sb_options_set_pair(options, pair, SB_FROM_USER, (sb_location){"case", 3, 1}, diagnostics);
  sb_diagnostics_print(diagnostics, stderr);
  assert_int_equal(sb_diagnostics_errors(diagnostics), 0);
  sb_diagnostics_destroy(&diagnostics);
  free(text);
  return options;
}

sb_options *sb_test_scene(const char *pairs, sb_pose *pose)
{
  sb_options     *options = sb_test_options(pairs);
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  const bool      good = sb_scene_apply_defaults(options, diagnostics) && sb_scene_build(options, pose, diagnostics);
  sb_diagnostics_print(diagnostics, stderr);
  assert_true(good);
  assert_int_equal(sb_diagnostics_errors(diagnostics), 0);
  sb_diagnostics_destroy(&diagnostics);
  return options;
}

void sb_test_vary(sb_pose *pose, uint64_t seed)
{
  for (size_t i = 0; i < pose->vertices; ++i) pose->mass[i] = 0.5 + sb_random_unit(seed, i);
  for (size_t s = 0; s < pose->springs; ++s) pose->stiffness[s] *= 0.5 + sb_random_unit(seed + 1, s);
}

void sb_test_built(const char *pairs, const char *message)
{
  sb_options     *options = sb_test_options(pairs);
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  sb_pose         pose = {0};
  assert_true(sb_scene_apply_defaults(options, diagnostics));
  assert_int_equal(sb_scene_build(options, &pose, diagnostics), message == NULL);
  if (message) assert_string_equal(sb_diagnostics_message(diagnostics, 0), message);
  sb_pose_clear(&pose);
  sb_diagnostics_destroy(&diagnostics);
  sb_options_destroy(&options);
}

char *sb_test_refusal(const char *pair)
{
  sb_options     *options = sb_test_options("scene=cloth");
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  assert_false(sb_options_set_pair(options, pair, SB_FROM_USER, (sb_location){"case", 3, 1}, diagnostics));
  char *message = strdup(sb_diagnostics_message(diagnostics, 0));
  assert_non_null(message);
  sb_diagnostics_destroy(&diagnostics);
  sb_options_destroy(&options);
  return message;
}

int sb_test_threads(void)
{
  int  count = 0;
  DIR *tasks = opendir("/proc/self/task");
  assert_non_null(tasks);
  for (const struct dirent *entry; (entry = readdir(tasks));) count += entry->d_name[0] != '.';
  closedir(tasks);
  return count;
}
