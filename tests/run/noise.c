/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Noisy repetitions are made up for, -r auto ends when the median is known, and one case is timed through the sweep. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/allocate.h"
#include "cases/store/journal.h"
#include "harness/report/report.h"
#include "harness/run/repetitions.h"
#include "tests/run/behaviours.h"
#include "tests/run/world.h"

static void plan_watched(world *w, const char *seeds, const char *extra)
{
  w->driver = "watched";
  world_plan(w, "noise", seeds, extra);
}

static sb_journal_state journal_of(const world *w)
{
  sb_journal_state state;
  char            *path = path_of(w, "journal.jsonl");
  assert_true(sb_journal_read(path, &state));
  return state;
}

/* How many repetitions the published file of this case has. */
static int published_repetitions(const world *w, long seed)
{
  sb_journal_state state = journal_of(w);
  sb_results      *results = world_results(w);
  const char      *key = results->plan->cases[row_of_seed(results, seed)].key;
  const json_t    *event = sb_journal_published(&state, key);
  const int        repetitions = (int)json_integer_value(json_object_get(event, "repetitions"));
  char             name[64];
  snprintf(name, sizeof name, "cases/%s.h5", key);
  char *text = text_of(w, name), *last = TEXT(w, "repetition %d\n", repetitions - 1);
  assert_non_null(strstr(text, last));
  sb_journal_clear(&state);
  return repetitions;
}

static void noisy_cases_are_repeated_twice_at_most(void **state)
{
  world *w = *state;
  plan_watched(w, "120, 121, 122, 123", "timed: true\n");
  assert_int_equal(world_run(w), SB_EXIT_OK);
  assert_int_equal(calls_of_seed(w, QUIET), 1 + SB_FLOOR_TIMINGS); /* the first of the plan is the floor's too */
  assert_int_equal(calls_of_seed(w, NOISY_ONCE), 2);
  assert_int_equal(calls_of_seed(w, NOISY_TWICE), 3);
  assert_int_equal(calls_of_seed(w, NOISY_ALWAYS), 3);
  for (long seed = QUIET; seed <= NOISY_ALWAYS; ++seed)
    assert_int_equal(published_repetitions(w, seed), seed == QUIET ? 1 : seed == NOISY_ONCE ? 2 : 3);
  sb_results *results = world_results(w);
  for (long seed = QUIET; seed <= NOISY_ALWAYS; ++seed)
    assert_string_equal(word_at(results, row_of_seed(results, seed), "noisy"),
                        seed == NOISY_ALWAYS ? "waited 50 %" : "");
  assert_int_equal(files_in(w, "tmp"), 0);
}

/* Three repetitions were asked for: two noisy ones are made up for, the third noisy one is not. */
static void rounds_come_first(void **state)
{
  world *w = *state;
  plan_watched(w, "121, 122, 123", "timed: true\nrepetitions: 3\n");
  assert_int_equal(world_run(w), SB_EXIT_OK);
  assert_int_equal(calls_of_seed(w, NOISY_ONCE), 4 + SB_FLOOR_TIMINGS);
  assert_int_equal(calls_of_seed(w, NOISY_TWICE), 5);
  assert_int_equal(calls_of_seed(w, NOISY_ALWAYS), 5);
}

/* A repetition that makes up for another follows at once, so that a case does not wait for the others. */
static void what_is_made_up_for_follows_at_once(void **state)
{
  world *w = *state;
  plan_watched(w, "120, 122, 123", "timed: true\n");
  assert_int_equal(world_run(w), SB_EXIT_OK);
  char       *text = calls_text(w), previous[17] = "";
  int         expected = 0;
  const char *floor = w->plan->cases[0].key;
  for (char *line = text; *line; line = strchr(line, '\n') + 1) {
    char key[17];
    int  repetition = -1;
    assert_int_equal(sscanf(line, "%16s %d", key, &repetition), 2);
    if (strcmp(key, floor) == 0) continue;
    expected = strcmp(key, previous) == 0 ? expected + 1 : 0;
    assert_int_equal(repetition, expected);
    snprintf(previous, sizeof previous, "%s", key);
  }
}

/* One replacement of a case of three seconds is more than two seconds, and more than a quarter of the sweep's time. */
static void replacements_take_a_quarter_at_most(void **state)
{
  world *w = *state;
  int    status = SB_EXIT_USAGE;
  assert_true(sb_replacing_limit(100) == 25 && sb_replacing_limit(8) == 2 && sb_replacing_limit(0) == 2);
  plan_watched(w, "120, 121, 126", "timed: true\n");
  assert_non_null(strstr(world_run_said(w, &status), "s of 2.0 s at most; 1 of 3 cases stay noisy\n"));
  assert_int_equal(status, SB_EXIT_OK);
  assert_int_equal(calls_of_seed(w, NOISY_ONCE), 2);
  assert_int_equal(calls_of_seed(w, NOISY_AND_LONG), 1);
  sb_results *results = world_results(w);
  assert_string_equal(word_at(results, row_of_seed(results, NOISY_AND_LONG), "noisy"), "waited 50 %");
}

static void add_calibration(sb_calibrations *calibrations, double seconds)
{
  json_t *row = json_pack("{s:{s:f}}", "timing", "calibration_s", seconds);
  sb_calibrations_add(calibrations, row);
  json_decref(row);
}

/* The first decile of what the latest attempts say; not the least, and not of long ago. */
static void a_quiet_machine_is_a_decile_of_the_latest(void **state)
{
  (void)state;
  sb_calibrations calibrations = {0};
  json_t         *untimed = json_pack("{s:s}", "status", "ok");
  sb_calibrations_add(&calibrations, NULL);
  sb_calibrations_add(&calibrations, untimed);
  json_decref(untimed);
  assert_true(sb_calibrations_quiet(&calibrations) == 0);
  add_calibration(&calibrations, 0.5);
  assert_true(sb_calibrations_quiet(&calibrations) == 0.5);
  for (int i = 0; i < 10; ++i) add_calibration(&calibrations, i + 1); /* 0.5, 1, 2, … 10 */
  assert_true(fabs(sb_calibrations_quiet(&calibrations) - 1) < 1e-12);
  for (int i = 0; i < SB_CALIBRATIONS_KEPT; ++i) add_calibration(&calibrations, 7);
  assert_true(sb_calibrations_quiet(&calibrations) == 7);
}

/* Each case is told what the ones before it saw: the first nothing, the next what the first said (121: 1.21 ms). */
static void cases_are_told_of_a_quiet_machine(void **state)
{
  world *w = *state;
  plan_watched(w, "121, 120, 1", "timed: true\n");
  assert_int_equal(world_run(w), SB_EXIT_OK);
  char  *text = calls_text(w);
  size_t call = 0;
  for (char *line = text; *line; line = strchr(line, '\n') + 1, ++call) {
    double told = 0;
    char   word[16];
    assert_int_equal(sscanf(line, "%*s %*s %*s %*s %*s %*s %15s", word), 1);
    if (call == 0) assert_string_equal(word, "-");
    if (call > 0) assert_int_equal(sscanf(word, "%lf", &told), 1);
    if (call == 1) assert_true(fabs(told - 1.21e-3) < 1e-12); /* the floor's case, 121, goes first */
    if (call > 0) assert_true(told >= 1.2e-3 && told <= 1.21e-3);
  }
  assert_true(call > 3);
}

static void quick_takes_times_as_they_come(void **state)
{
  world *w = *state;
  w->request.quick = true;
  plan_watched(w, "121, 123", "timed: true\n");
  assert_int_equal(world_run(w), SB_EXIT_OK);
  assert_int_equal(calls(w), 2);
  sb_results *results = world_results(w);
  assert_int_equal(results->floor.timings, 0);
}

static void untimed_sweeps_are_not_watched(void **state)
{
  world *w = *state;
  plan_watched(w, "121, 123", "timed: false\n");
  assert_int_equal(world_run(w), SB_EXIT_OK);
  assert_int_equal(calls(w), 2);
}

static void auto_ends_when_the_median_is_known(void **state)
{
  world *w = *state;
  w->request.repetitions = SB_REPETITIONS_AUTO;
  plan_watched(w, "120, 124, 125", "timed: true\n");
  assert_int_equal(world_run(w), SB_EXIT_OK);
  assert_int_equal(calls_of_seed(w, QUIET), SB_AUTO_LEAST + SB_FLOOR_TIMINGS);
  assert_int_equal(calls_of_seed(w, KNOWN_AT_NINE), 9);
  assert_int_equal(calls_of_seed(w, NEVER_KNOWN), SB_AUTO_MOST);
  assert_int_equal(published_repetitions(w, KNOWN_AT_NINE), 9);
}

static void the_floor_is_in_the_journal_and_no_case(void **state)
{
  world *w = *state;
  plan_watched(w, "123, 120", "timed: true\n"); /* the floor's case is always noisy */
  assert_int_equal(world_run(w), SB_EXIT_OK);
  sb_results *results = world_results(w);
  assert_int_equal(sb_rows_count(results->rows), 2);
  assert_int_equal(results->floor.timings, SB_FLOOR_TIMINGS);
  assert_int_equal(results->floor.noisy, SB_FLOOR_TIMINGS);
  assert_true(results->floor.spread == 0);
  assert_string_equal(results->floor.key, w->plan->cases[0].key);
  assert_non_null(
      strstr(results->floor.words, "noise floor 0 %: seed=123 timed 7 times during the sweep, always while"));
  char *log = path_of(w, "logs/noise-floor.txt");
  assert_int_equal(access(log, F_OK), 0);
}

/* A noisy result is a result: it is not run again unless that is asked for, and then no other is. */
static void rerun_noisy_runs_the_noisy_ones(void **state)
{
  world *w = *state;
  plan_watched(w, "120, 121, 123", "timed: true\n");
  assert_int_equal(world_run(w), SB_EXIT_OK);
  const size_t before = calls(w);
  assert_int_equal(world_run(w), SB_EXIT_OK);
  assert_int_equal(calls(w), before);
  w->request.rerun = SB_RERUN_NOISY;
  assert_int_equal(world_run(w), SB_EXIT_OK);
  assert_int_equal(calls_of_seed(w, NOISY_ALWAYS), 6);
  assert_int_equal(calls_of_seed(w, NOISY_ONCE), 2);
}

static void status_counts_the_noisy_ones(void **state)
{
  world *w = *state;
  plan_watched(w, "120, 123", "timed: true\n");
  assert_int_equal(world_run(w), SB_EXIT_OK);
  SB_OWNED char *text = NULL;
  size_t         length = 0;
  FILE          *stream = open_memstream(&text, &length);
  sb_results    *results = world_results(w);
  sb_status_print(results, stream);
  fclose(stream);
  assert_non_null(strstr(text, "      2  ok\n1 of 2 cases was timed while the machine was noisy (noise floor 0 %)\n"
                               "--rerun noisy times it again\nnoise floor 0 %"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(noisy_cases_are_repeated_twice_at_most),
      TEST(rounds_come_first),
      TEST(what_is_made_up_for_follows_at_once),
      TEST(replacements_take_a_quarter_at_most),
      cmocka_unit_test(a_quiet_machine_is_a_decile_of_the_latest),
      TEST(cases_are_told_of_a_quiet_machine),
      TEST(quick_takes_times_as_they_come),
      TEST(untimed_sweeps_are_not_watched),
      TEST(auto_ends_when_the_median_is_known),
      TEST(the_floor_is_in_the_journal_and_no_case),
      TEST(rerun_noisy_runs_the_noisy_ones),
      TEST(status_counts_the_noisy_ones),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
