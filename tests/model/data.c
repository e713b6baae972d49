/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of single vertices and springs from CSV files, and every complaint about them; merged springs; springs that
 * options allow. */
#include "tests/model/support.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number_table.h"
#include "model/scene/build.h"

static const char file[] = "values.csv";

/* The tests work in a directory of their own. */
static int enter_directory(void **state)
{
  char *path = strdup("/tmp/sb_data_XXXXXX");
  *state = path;
  return path && mkdtemp(path) && chdir(path) == 0 ? 0 : 1;
}

static int leave_directory(void **state)
{
  unlink(file);
  const int failed = chdir("/") != 0 || rmdir(*state) != 0;
  free(*state);
  return failed;
}

static void write_bytes(const char *text, size_t size)
{
  FILE *stream = fopen(file, "wb");
  assert_non_null(stream);
  assert_int_equal(fwrite(text, 1, size, stream), size);
  assert_int_equal(fclose(stream), 0);
}

/* Builds `pairs` with values.csv holding `text`; the messages kept, in order, are `messages`. */
static void expect_bytes(const char *pairs, const char *text, size_t size, bool good, size_t count,
                         const char *const *messages)
{
  write_bytes(text, size);
  sb_options     *options = sb_test_options(pairs);
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  sb_pose         pose = {0};
  const bool      built = sb_scene_apply_defaults(options, diagnostics) && sb_scene_build(options, &pose, diagnostics);
  assert_int_equal(built, good);
  for (size_t i = 0; i < count; ++i) {
    const char *message = sb_diagnostics_message(diagnostics, i);
    assert_non_null(message);
    assert_string_equal(message, messages[i]);
  }
  assert_null(sb_diagnostics_message(diagnostics, count));
  assert_int_equal(sb_diagnostics_errors(diagnostics) == 0, good);
  sb_pose_clear(&pose);
  sb_diagnostics_destroy(&diagnostics);
  sb_options_destroy(&options);
}

#define REFUSED(pairs, text, ...)                                                                                      \
  expect_bytes(pairs, text, sizeof(text) - 1, false, sizeof(const char *[]){__VA_ARGS__} / sizeof(char *),             \
               (const char *[]){__VA_ARGS__})

static void vertices_get_their_masses(void **state)
{
  (void)state;
  static const char text[] = "\xEF\xBB\xBFmass , \"vertex\"\r\n\r\n0.5,3\r\n 1/4 ,\"0\"\r\n";
  sb_pose           pose;
  write_bytes(text, sizeof text - 1);
  sb_options  *options = sb_test_scene("scene=rope nodes=5 vertex_data=values.csv", &pose);
  const double expected[] = {0.25, 1.0, 1.0, 0.5, 1.0};
  assert_memory_equal(pose.mass, expected, sizeof expected);
  sb_pose_clear(&pose);
  sb_options_destroy(&options);
}

static void springs_get_their_values(void **state)
{
  (void)state;
  static const char text[] = "first,second,stiffness,rest_length\n3,2,7,50\n0,1,0.5,200\n";
  sb_pose           pose;
  write_bytes(text, sizeof text - 1);
  sb_options  *options = sb_test_scene("scene=rope nodes=5 spring_data=values.csv", &pose);
  const double stiffness[] = {0.5, 100, 7, 100}, rest_length[] = {200, 100, 50, 100};
  assert_memory_equal(pose.stiffness, stiffness, sizeof stiffness);
  assert_memory_equal(pose.rest_length, rest_length, sizeof rest_length);
  assert_true(pose.position[3] == -100.0); /* the pose stays */
  sb_pose_clear(&pose);
  sb_options_destroy(&options);
}

static void young_goes_with_rest_lengths_of_a_file(void **state)
{
  (void)state;
  static const char lengths[] = "first,second,rest_length\n1,2,50\n", both[] = "second,first,stiffness\n2,1,3\n";
  sb_pose           pose;
  write_bytes(lengths, sizeof lengths - 1);
  sb_options *options = sb_test_scene("scene=rope nodes=5 young=1000 spring_data=values.csv", &pose);
  assert_within(pose.stiffness[1], 20.0, 1e-14);
  assert_within(pose.stiffness[2], 10.0, 1e-14);
  sb_pose_clear(&pose);
  sb_options_destroy(&options);
  write_bytes(both, sizeof both - 1);
  options = sb_test_scene("scene=rope nodes=5 young=1000 spring_data=values.csv", &pose);
  assert_true(pose.stiffness[1] == 3.0 && pose.rest_length[1] == 100.0);
  sb_pose_clear(&pose);
  sb_options_destroy(&options);
}

/* Numbers are read with a decimal point where the locale has a comma. */
static void data_is_read_in_any_locale(void **state)
{
  if (!setlocale(LC_ALL, "de_DE.UTF-8")) skip();
  vertices_get_their_masses(state);
  REFUSED("scene=rope vertex_data=values.csv", "vertex,mass\n1,2,5\n",
          "values.csv:2: error: the header has 2 columns, this line 3; numbers have a decimal point [E102]");
  setlocale(LC_ALL, "C");
}

static void headers_that_do_not_fit(void **state)
{
  (void)state;
  const char pairs[] = "scene=rope vertex_data=values.csv";
  REFUSED(pairs, "vertex,masses\n1,2\n", "values.csv:1:8: error: unknown column 'masses'; did you mean 'mass'? [E101]");
  REFUSED(pairs, "vertex;mass\n1;2\n",
          "values.csv:1:1: error: unknown column 'vertex;mass'; the columns are vertex, mass, separated by commas "
          "[E101]");
  REFUSED(pairs, "vertex,mass,vertex\n1,2,3\n", "values.csv:1:13: error: column 'vertex' is given twice [E101]");
  REFUSED(pairs, "\nvertex\n1\n", "values.csv:2: error: column 'mass' is missing [E101]");
  REFUSED(pairs, "",
          "values.csv: error: the file is empty; it needs a line of column names and lines of numbers [E200]");
  REFUSED("scene=rope spring_data=values.csv", "first,second\n0,1\n",
          "values.csv:1: error: a column 'stiffness', 'rest_length' or of a law's parameter is missing [E101]");
}

static void rows_that_do_not_fit(void **state)
{
  (void)state;
  const char pairs[] = "scene=rope vertex_data=values.csv";
  REFUSED(pairs, "vertex,mass\n1\n2,1x\n3,nan\n4,1e999\n1.5,1\n9223372036854775807,1\n",
          "values.csv:2: error: the header has 2 columns, this line 1; numbers have a decimal point [E102]",
          "values.csv:3:3: error: mass is not a number; got '1x' [E102]",
          "values.csv:4:3: error: mass is not finite, or beyond the range of numbers; got 'nan' [E203]",
          "values.csv:5:3: error: mass is not finite, or beyond the range of numbers; got '1e999' [E203]",
          "values.csv:6:1: error: vertex is not a whole number; got '1.5' [E102]",
          "values.csv:7:1: error: vertex is not finite, or beyond the range of numbers; got '9223372036854775807' "
          "[E203]");
  REFUSED(pairs, "vertex,mass\n16,1\n-1,1\n3,0\n4,-2\n5,1\n5,1\n",
          "values.csv:2: error: there is no vertex 16; the scene has the vertices 0 to 15 [E202]",
          "values.csv:3: error: there is no vertex -1; the scene has the vertices 0 to 15 [E202]",
          "values.csv:4: error: a mass is more than 0 kg; got 0 [E211]",
          "values.csv:5: error: a mass is more than 0 kg; got -2 [E211]",
          "values.csv:7: error: this vertex is already on line 6 [E202]");
  REFUSED(pairs, "vertex,mass\n1,\0002\n", "values.csv:2: error: a line of the table has NUL bytes [E110]");
}

static void springs_that_do_not_fit(void **state)
{
  (void)state;
  REFUSED("scene=rope spring_data=values.csv",
          "first,second,stiffness,rest_length\n0,2,1,1\n16,0,1,1\n1,0,-1,0\n0,1,1,1\n2,1,1,-3\n",
          "values.csv:2: error: there is no spring between vertices 0 and 2 [E202]",
          "values.csv:3: error: there is no vertex 16; the scene has the vertices 0 to 15 [E202]",
          "values.csv:4: error: a stiffness is at least 0 N/m; got -1 [E104]",
          "values.csv:4: error: a rest length is more than 0 m; give allow_zero_rest=true for a linear spring; "
          "got 0 [E205]",
          "values.csv:5: error: this spring is already on line 4 [E202]",
          "values.csv:6: error: a rest length is more than 0 m; got -3 [E205]");
}

static void files_that_cannot_be_read(void **state)
{
  (void)state;
  sb_options     *options = sb_test_options("scene=rope vertex_data=nowhere.csv");
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  sb_pose         pose = {0};
  assert_true(sb_scene_apply_defaults(options, diagnostics));
  assert_false(sb_scene_build(options, &pose, diagnostics));
  const char *message = sb_diagnostics_message(diagnostics, 0);
  assert_non_null(strstr(message, "case:3:1: error: ")); /* the place of the option */
  assert_non_null(strstr(message, "nowhere.csv"));
  assert_non_null(strstr(message, "[E100]"));
  assert_int_equal(sb_diagnostics_errors(diagnostics), 1);
  sb_pose_clear(&pose);
  sb_diagnostics_destroy(&diagnostics);
  sb_options_destroy(&options);
}

static void zero_rest_is_allowed_when_asked(void **state)
{
  (void)state;
  static const char text[] = "first,second,rest_length\n0,1,0\n";
  expect_bytes("scene=rope spring_data=values.csv allow_zero_rest=true", text, sizeof text - 1, true, 1,
               (const char *[]){
                   "case:3:1: warning: 1 of 15 springs have rest length 0: they are linear and always pull [W205]"});
  REFUSED("scene=rope young=10 spring_data=values.csv allow_zero_rest=true", text,
          "case:3:1: error: spring 0 of rest length 0 m has the stiffness inf N/m; give stiffness instead of young "
          "[E205]");
  REFUSED("scene=rope spring_data=values.csv", "first,second,rest_length\n0,1,1e-8\n",
          "case:3:1: error: spring 0 between vertices 0 and 1 of length 26.6667 m has the rest length 1e-08 m; a rest "
          "length is more than 0 and 1e-9 lengths, or give allow_zero_rest=true [E205]");
}

static void spreads_are_warned_of(void **state)
{
  (void)state;
  static const char masses[] = "vertex,mass\n1,1e-13\n", springs[] = "first,second,stiffness\n0,1,1e-11\n";
  expect_bytes(
      "scene=rope vertex_data=values.csv stiffness=1e-9", masses, sizeof masses - 1, true, 1,
      (const char *[]){
          "case:3:1: warning: masses from 1e-13 to 1 kg have a ratio of 1e+13: linear systems keep few digits [W211]"});
  expect_bytes("scene=rope spring_data=values.csv", springs, sizeof springs - 1, true, 1,
               (const char *[]){"case:3:1: warning: stiffnesses from 1e-11 to 100 N/m have a ratio of 1e+13: linear "
                                "systems keep few digits [W212]"});
  expect_bytes("scene=rope stiffness=1e15 h=1 duration=1", "", 0, true, 1,
               (const char *[]){
                   "case:3:1: warning: h^2 k/m is 1.0e+15: implicit steps keep few digits; use a smaller step [W212]"});
  expect_bytes(
      "scene=rope nodes=5 precision=single rope_from=[1e6,0,0] rope_to=[1e6,0,4]", "", 0, true, 1,
      (const char *[]){"case:3:1: warning: single precision rounds coordinates of up to 1e+06 m by 6.0e-02 m, "
                       "6.0e-02 of the shortest spring: lengths and energies keep few digits; move the scene to "
                       "the origin, or use precision=double [W224]"});
  expect_bytes("scene=rope nodes=5 precision=single rope_from=[1e3,0,0] rope_to=[1e3,0,4]", "", 0, true, 0, NULL);
  expect_bytes("scene=rope nodes=5 rope_from=[1e6,0,0] rope_to=[1e6,0,4]", "", 0, true, 0, NULL);
}

/* Springs 0 1, 1 0, 1 2, 0 1 on a line of three vertices. */
static void make_repeated(sb_pose *pose)
{
  static const int32_t ends[][2] = {{0, 1}, {1, 0}, {1, 2}, {0, 1}};
  *pose = (sb_pose){0};
  assert_true(sb_pose_allocate(pose, 3));
  pose->position[3] = 1.0;
  pose->position[6] = 2.0;
  for (int s = 0; s < 4; ++s) {
    assert_true(sb_pose_add_spring(pose, ends[s][0], ends[s][1], 1.0 + s, SB_STRUCTURAL));
    pose->rest_length[s] = 0.5 + 0.25 * s;
  }
}

static void repeated_springs_are_refused_or_merged(void **state)
{
  (void)state;
  sb_pose         pose;
  sb_options     *options = sb_test_options("scene=rope");
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  make_repeated(&pose);
  assert_false(sb_pose_check(&pose, options, diagnostics));
  assert_string_equal(sb_diagnostics_message(diagnostics, 0),
                      "case:3:1: error: springs 0 and 1 both join vertices 1 and 0; give merge_duplicates=true to add "
                      "their stiffnesses [E206]");
  assert_int_equal(sb_diagnostics_errors(diagnostics), 2);
  assert_true(sb_pose_merge_duplicates(options, &pose, diagnostics)); /* not asked for */
  assert_int_equal(pose.springs, 4);
  sb_options_set(options, SB_ID(merge_duplicates), "true", SB_FROM_USER, (sb_location){"case", 4, 1}, NULL);
  sb_diagnostics_destroy(&diagnostics);
  diagnostics = sb_diagnostics_create();
  assert_true(sb_pose_merge_duplicates(options, &pose, diagnostics));
  assert_string_equal(sb_diagnostics_message(diagnostics, 0),
                      "case:4:1: warning: 2 of 4 springs repeat the ends of another and were merged with it, "
                      "stiffnesses added [W206]");
  assert_int_equal(pose.springs, 2);
  assert_true(pose.ends[2] == 1 && pose.ends[3] == 2 && pose.stiffness[1] == 3.0 && pose.rest_length[1] == 1.0);
  /* The force at any length is the sum: k = 1 + 2 + 4, k l = 0.5 + 1.5 + 5. */
  assert_true(pose.stiffness[0] == 7.0);
  assert_within(pose.rest_length[0] * 7.0, 7.0, 1e-15);
  assert_true(sb_pose_check(&pose, options, diagnostics));
  sb_pose_clear(&pose);
  sb_diagnostics_destroy(&diagnostics);
  sb_options_destroy(&options);
}

static void order_of_springs_is_by_their_ends(void **state)
{
  (void)state;
  sb_pose  pose;
  int32_t *order = NULL;
  make_repeated(&pose);
  assert_true(sb_pose_order_springs(&pose, &order));
  assert_memory_equal(order, ((const int32_t[]){0, 1, 3, 2}), 4 * sizeof *order);
  free(order);
  sb_pose_clear(&pose);
  int32_t       ends[] = {0, 3, 0, 1, 2, 1, 3, 0, 0, 2, 1, 3};
  const sb_pose star = {.vertices = 4, .springs = 6, .ends = ends};
  assert_true(sb_pose_order_springs(&star, &order));
  assert_memory_equal(order, ((const int32_t[]){1, 4, 0, 3, 2, 5}), 6 * sizeof *order);
  free(order);
}

static void tables_keep_what_they_read(void **state)
{
  (void)state;
  static const sb_number_column columns[] = {{"first", true, true}, {"length", false, false}, {"mass", false, false}};
  static const char             text[] = "mass,first\n2.5,9007199254740991\n1e-3,-4";
  sb_number_table               table;
  write_bytes(text, sizeof text - 1);
  assert_true(sb_number_table_read(file, columns, 3, (sb_location){0}, NULL, &table));
  assert_int_equal(table.rows, 2);
  assert_true(table.has[0] && !table.has[1] && table.has[2] && table.line[1] == 3);
  const double expected[] = {9007199254740991.0, 0.0, 2.5, -4.0, 0.0, 1e-3};
  assert_memory_equal(table.value, expected, sizeof expected);
  sb_number_table_clear(&table);
  assert_null(table.value);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(vertices_get_their_masses),
                                     cmocka_unit_test(springs_get_their_values),
                                     cmocka_unit_test(young_goes_with_rest_lengths_of_a_file),
                                     cmocka_unit_test(data_is_read_in_any_locale),
                                     cmocka_unit_test(headers_that_do_not_fit),
                                     cmocka_unit_test(rows_that_do_not_fit),
                                     cmocka_unit_test(springs_that_do_not_fit),
                                     cmocka_unit_test(files_that_cannot_be_read),
                                     cmocka_unit_test(zero_rest_is_allowed_when_asked),
                                     cmocka_unit_test(spreads_are_warned_of),
                                     cmocka_unit_test(repeated_springs_are_refused_or_merged),
                                     cmocka_unit_test(order_of_springs_is_by_their_ends),
                                     cmocka_unit_test(tables_keep_what_they_read)};
  return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
