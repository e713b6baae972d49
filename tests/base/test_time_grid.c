/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two ways to state time, which of them wins, and what is refused. */
#include <string.h>

#include "base/time_grid.h"
#include "tests/cmocka_all.h"

/* Scene's and user's options, and what they come to; steps 0: an error with this part of a message. */
typedef struct {
  const char *scene[4], *user[4];
  double      h;
  int64_t     steps, steps_per_frame;
  const char *message;
} row;

#define ROPE                                                                                                           \
  {                                                                                                                    \
    "substeps=64", "frames=100", "frame_seconds=1", NULL                                                               \
  }
#define CLOTH                                                                                                          \
  {                                                                                                                    \
    "h=0.01", "duration=1", NULL, NULL                                                                                 \
  }

static const row rows[] = {
    {ROPE, {NULL}, 1.0 / 64, 6400, 64, NULL},
    {ROPE, {"substeps=10", "frames=400", NULL}, 0.1, 4000, 10, NULL},
    {CLOTH, {NULL}, 0.01, 100, 1, NULL},
    {CLOTH, {"h=0.1", NULL}, 0.1, 10, 1, NULL},
    {CLOTH, {"duration=20", NULL}, 0.01, 2000, 1, NULL},
    {CLOTH, {"frames=50", NULL}, 0.01, 50, 1, NULL},
    {CLOTH, {"substeps=4", NULL}, 0.0025, 400, 4, NULL},
    {ROPE, {"h=0.5", NULL}, 0.5, 200, 1, NULL},
    {ROPE, {"duration=2", NULL}, 1.0 / 64, 128, 1, NULL},
    {CLOTH, {"steps=7", NULL}, 0.01, 7, 1, NULL},
    {CLOTH, {"h=0.1", "steps=3", NULL}, 0.1, 3, 1, NULL},
    {ROPE, {"steps=32", NULL}, 1.0 / 64, 32, 1, NULL},
    {{NULL}, {"h=1/30", "steps=30", NULL}, 1.0 / 30, 30, 1, NULL},
    {{NULL}, {"h=1e-5", "steps=1000000000", NULL}, 1e-5, 1000000000, 1, NULL},
    {CLOTH, {"steps=3", "duration=0.03", NULL}, 0, 0, 0, "state the length of the run twice"},
    {CLOTH, {"steps=3", "frames=3", NULL}, 0, 0, 0, "'steps' and 'frames' state the time step twice"},
    {{NULL}, {"steps=3", NULL}, 0, 0, 0, "has no length"},
    {ROPE, {"h=0.1", "frames=3", NULL}, 0, 0, 0, "state the time step twice"},
    {CLOTH, {"h=0.3", "duration=1", NULL}, 0, 0, 0, "= 3.33333333333; the nearest are h=1/4 and h=1/3 ["},
    {CLOTH, {"h=0.0009", "duration=1.5", NULL}, 0, 0, 0, "the nearest are h=1.5/1667 and h=1.5/1666 ["},
    {CLOTH, {"h=1.5/1667", "duration=1.5", NULL}, 1.5 / 1667, 1667, 1, NULL},
    {CLOTH, {"h=3", "duration=1", NULL}, 0, 0, 0, "the nearest is h=1 ["},
    {CLOTH, {"duration=0.125", NULL}, 0, 0, 0, "the nearest are duration=0.12 and duration=0.13 ["},
    {CLOTH, {"duration=0.001", NULL}, 0, 0, 0, "the nearest is duration=0.01 ["},
    {CLOTH, {"h=1e-9", "duration=10", NULL}, 0, 0, 0, "steps (at most"},
    {{NULL}, {NULL}, 1, 1, 1, NULL},
    {{NULL}, {"h=0.1", NULL}, 0, 0, 0, "has no length"},
};

static void resolves(void)
{
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    sb_options     *options = sb_options_create(NULL);
    sb_diagnostics *diagnostics = sb_diagnostics_create();
    sb_time_grid    grid = {0};
    for (int k = 0; k < 4 && rows[i].scene[k]; ++k)
      assert_true(sb_options_set_pair(options, rows[i].scene[k], SB_FROM_SCENE, (sb_location){0}, NULL));
    for (int k = 0; k < 4 && rows[i].user[k]; ++k)
      assert_true(sb_options_set_pair(options, rows[i].user[k], SB_FROM_USER, (sb_location){0}, NULL));
    const bool good = sb_resolve_time(options, false, &grid, diagnostics);
    if (good == (rows[i].steps == 0)) print_error("row %zu: %s\n", i, sb_diagnostics_message(diagnostics, 0));
    assert_int_equal(good, rows[i].steps != 0);
    if (good) {
      assert_true(grid.h_seconds == rows[i].h);
      assert_int_equal(grid.steps, rows[i].steps);
      assert_int_equal(grid.steps_per_frame, rows[i].steps_per_frame);
      assert_int_equal(grid.frames * grid.steps_per_frame, grid.steps);
      assert_false(SB_HAS(options, h) && SB_HAS(options, substeps));
    } else {
      assert_non_null(strstr(sb_diagnostics_message(diagnostics, 0), rows[i].message));
    }
    sb_diagnostics_destroy(&diagnostics);
    sb_options_destroy(&options);
  }
}

/* Steps leave the option set that the duration in decimals gives, of which the key is made, and resolve once more. */
static void steps_are_a_duration(void)
{
  static const struct {
    const char *h, *steps, *duration;
  } same[] = {{"0.1", "3", "0.3"},
              {"1/30", "30", "1"},
              {"0.001", "1234567", "1234.567"},
              {"0.7", "1", "0.7"},
              {"1e-7", "49", "0.0000049"},
              {"0.005", "17", "0.085"},
              {"0.0125", "8", "0.1"},
              {"3", "333333333", "999999999"},
              {"0.1", "999999999", "99999999.9"},
              {"1/64", "7", "0.109375"}};
  for (size_t i = 0; i < sizeof same / sizeof *same; ++i) {
    sb_options  *options = sb_options_create(NULL);
    sb_time_grid grid = {0}, again = {0};
    assert_true(sb_options_set(options, SB_ID(h), same[i].h, SB_FROM_USER, (sb_location){0}, NULL));
    assert_true(sb_options_set(options, SB_ID(steps), same[i].steps, SB_FROM_USER, (sb_location){0}, NULL));
    assert_true(sb_resolve_time(options, false, &grid, NULL));
    assert_string_equal(SB_TEXT(options, steps), same[i].steps); /* an axis of tables */
    assert_int_equal(sb_options_origin(options, SB_ID(duration)), SB_FROM_USER);
    sb_options *other = sb_options_copy(options);
    assert_true(sb_options_set(other, SB_ID(duration), same[i].duration, SB_FROM_USER, (sb_location){0}, NULL));
    assert_string_equal(SB_TEXT(options, duration), SB_TEXT(other, duration));
    assert_true(sb_resolve_time(options, false, &again, NULL));
    assert_int_equal(again.steps, grid.steps);
    sb_options_destroy(&other);
    sb_options_destroy(&options);
  }
}

/* With any_step the last step ends at the duration or behind it. */
static void any_step_reaches_the_duration(void)
{
  static const struct {
    const char *h;
    int64_t     steps;
  } rows_of_any[] = {{"0.3", 4}, {"0.1", 10}, {"1/30", 30}, {"0.0123", 82}, {"7", 1}};
  for (size_t i = 0; i < sizeof rows_of_any / sizeof *rows_of_any; ++i) {
    sb_options  *options = sb_options_create(NULL);
    sb_time_grid grid = {0};
    assert_true(sb_options_set(options, SB_ID(h), rows_of_any[i].h, SB_FROM_USER, (sb_location){0}, NULL));
    assert_true(sb_options_set(options, SB_ID(duration), "1", SB_FROM_USER, (sb_location){0}, NULL));
    assert_true(sb_resolve_time(options, true, &grid, NULL));
    assert_int_equal(grid.steps, rows_of_any[i].steps);
    assert_string_equal(SB_TEXT(options, duration), "1");
    sb_options_destroy(&options);
  }
}

/* h over its limit has no seconds. Steps are frames of one substep, so that equal runs have equal options. */
static void h_over_its_limit(void)
{
  static const struct {
    const char *user[3], *message;
    bool        any_step;
  } cases[] = {{{"h_over_limit=0.5", "steps=12"}, NULL, true},
               {{"h_over_limit=0.5", "substeps=4", "frames=3"}, NULL, true},
               {{"h_over_limit=0.5", "steps=12"}, "needs driver=blowup", false},
               {{"h_over_limit=0.5", "h=1"}, "'h_over_limit' and 'h' state", true},
               {{"h_over_limit=0.5", "frame_seconds=1"}, "'h_over_limit' and 'frame_seconds' state", true},
               {{"h_over_limit=0.5", "duration=1"}, "'h_over_limit' and 'duration' state", true},
               {{"h_over_limit=0.5", "steps=4", "substeps=4"}, "'steps' and frames state", true},
               {{"h_over_limit=0.5", "substeps=1000000", "frames=1000000"}, "steps (at most", true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    sb_options     *options = sb_options_create(NULL);
    sb_diagnostics *diagnostics = sb_diagnostics_create();
    sb_time_grid    grid = {0};
    assert_true(sb_options_set_pair(options, "frame_seconds=0.1", SB_FROM_SCENE, (sb_location){0}, NULL));
    for (int k = 0; k < 3 && cases[i].user[k]; ++k)
      assert_true(sb_options_set_pair(options, cases[i].user[k], SB_FROM_USER, (sb_location){0}, NULL));
    assert_int_equal(sb_resolve_time(options, cases[i].any_step, &grid, diagnostics), !cases[i].message);
    if (cases[i].message) {
      assert_non_null(strstr(sb_diagnostics_message(diagnostics, 0), cases[i].message));
    } else {
      assert_true(grid.h_seconds == 0.5 && grid.steps == 12);
      assert_int_equal(grid.frames * grid.steps_per_frame, 12);
      assert_int_equal(SB_INTEGER(options, substeps) * SB_INTEGER(options, frames), 12);
      assert_false(SB_HAS(options, h) || SB_HAS(options, duration) || SB_HAS(options, frame_seconds));
    }
    sb_diagnostics_destroy(&diagnostics);
    sb_options_destroy(&options);
  }
}

TEST_MAIN(resolves, steps_are_a_duration, any_step_reaches_the_duration, h_over_its_limit)
