/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The judge of noise on figures fed in; when cases are repeated; when the small case is timed again. */
#include <math.h>
#include <string.h>

#include "cases/store/noise.h"
#include "harness/results/noise_floor.h"
#include "harness/run/repetitions.h"
#include "tests/harness/plan_of.h"

static const sb_noise_figures quiet = {.window_seconds = 1,
                                       .calibrations = 40,
                                       .calibration_median_s = 1.01e-3,
                                       .calibration_fast_s = 1e-3,
                                       .switches = 2,
                                       .steal_ticks = 0,
                                       .tick_seconds = 0.01,
                                       .waited_seconds = 0.001};

static void expect(const sb_noise_figures *f, unsigned broken, const char *words)
{
  char text[SB_NOISE_WORDS];
  assert_int_equal(sb_noise_judge(f, text), broken);
  assert_string_equal(text, words);
}

static void a_quiet_machine_breaks_no_rule(void)
{
  sb_noise_figures f = quiet;
  expect(&f, 0, "");
  f.waited_seconds = NAN; /* not known */
  expect(&f, 0, "");
}

/* Just within and just beyond each limit. */
static void each_rule_has_its_limit(void)
{
  sb_noise_figures f = quiet;
  f.calibration_median_s = 1.049e-3;
  expect(&f, 0, "");
  f.calibration_median_s = 1.051e-3;
  expect(&f, SB_NOISE_CALIBRATION, "calibration 1.05 times a quiet one");
  f = quiet;
  f.waited_seconds = 0.0199;
  expect(&f, 0, "");
  f.waited_seconds = 0.0201;
  expect(&f, SB_NOISE_WAITED, "waited 2.01 % for its core");
}

/* One tick may be the rest of an earlier loss; from the second on they count. */
static void steal_counts_from_the_second_tick(void)
{
  sb_noise_figures f = quiet;
  f.window_seconds = 0.05;
  f.switches = 0;
  f.steal_ticks = 1;
  expect(&f, 0, "");
  f.steal_ticks = 2;
  expect(&f, SB_NOISE_STEAL, "steal 20 %");
  f.window_seconds = 2.1;
  expect(&f, 0, "");
  f.window_seconds = 1.9;
  expect(&f, SB_NOISE_STEAL, "steal 0.53 %");
}

/* One per 100 ms is the limit, but in a short window a single switch is chance: at one per 100 ms, 1 % of the windows
 * of 20 ms have 3 or more, of 100 ms 5 or more, of 1 s 19 or more (Poisson). */
static void switches_are_counted_against_chance(void)
{
  static const struct {
    double  window;
    int64_t least;
  } windows[] = {{0.005, 2}, {0.02, 3}, {0.1, 5}, {1, 19}, {10, 125}, {100, 1001}};
  for (size_t i = 0; i < sizeof windows / sizeof *windows; ++i) {
    sb_noise_figures f = quiet;
    char             words[SB_NOISE_WORDS];
    f.window_seconds = windows[i].window;
    f.waited_seconds = 0;
    f.switches = windows[i].least - 1;
    assert_int_equal(sb_noise_judge(&f, words), 0);
    f.switches = windows[i].least;
    assert_int_equal(sb_noise_judge(&f, words), SB_NOISE_SWITCHES);
  }
}

static void several_rules_are_all_named(void)
{
  sb_noise_figures f = quiet;
  f.window_seconds = 0.1;
  f.waited_seconds = 0.05;
  f.switches = 20;
  f.calibration_median_s = 2e-3;
  expect(&f, SB_NOISE_WAITED | SB_NOISE_SWITCHES | SB_NOISE_CALIBRATION,
         "waited 50 % for its core; 20 switches per 100 ms; calibration 2 times a quiet one");
}

static void calibration_takes_about_a_millisecond(void)
{
  const double seconds = sb_noise_calibrate();
  assert_true(seconds > 1e-5);
}

/* A quiet calibration is the first decile of all of a case's, those of its earlier repetitions included. */
static void earlier_calibrations_count(void)
{
  double           earlier[90];
  sb_noise_watch   watch;
  sb_noise_figures figures;
  for (int i = 0; i < 90; ++i) earlier[i] = 1000;
  sb_noise_watch_begin(&watch, test_arena());
  sb_noise_watch_end(&watch, 90, earlier, &figures);
  assert_int_equal(figures.calibrations, 10);
  assert_true(figures.calibration_fast_s > 100 && figures.calibration_median_s < 100);
}

static bool wants(int asked, int attempts, int are_quiet, double half_width)
{
  json_t    *timing = json_pack("{s:i, s:o}", "quiet", are_quiet, "half_width",
                             isfinite(half_width) ? json_real(half_width) : json_null());
  const bool wanted = sb_wants_repetition(asked, attempts, timing);
  json_decref(timing);
  return wanted;
}

static void noisy_attempts_are_made_up_for_twice(void)
{
  assert_false(wants(1, 1, 1, NAN));
  assert_true(wants(1, 1, 0, NAN));
  assert_true(wants(1, 2, 0, NAN));
  assert_false(wants(1, 2, 1, NAN));
  assert_false(wants(1, 3, 0, NAN));
  assert_true(wants(3, 3, 2, NAN));
  assert_false(wants(3, 4, 3, NAN));
  assert_false(wants(3, 5, 0, NAN));
  assert_false(sb_wants_repetition(1, 1, NULL));
  assert_true(sb_wants_repetition(2, 1, NULL));
}

static void auto_repeats_until_the_median_is_known(void)
{
  enum { AUTO = SB_REPETITIONS_AUTO };
  assert_true(wants(AUTO, 4, 4, 0.001)); /* at least 5 */
  assert_true(wants(AUTO, 5, 5, NAN));   /* five have no interval */
  assert_false(wants(AUTO, 6, 6, 0.0199));
  assert_true(wants(AUTO, 6, 6, 0.0201));
  assert_true(wants(AUTO, 6, 4, 0.001)); /* noisy ones do not count at first */
  assert_false(wants(AUTO, 7, 4, 0.001));
  assert_true(wants(AUTO, 29, 29, 0.5));
  assert_false(wants(AUTO, 30, 30, 0.5)); /* at most 30 */
  assert_false(sb_wants_repetition(AUTO, 1, NULL));
}

static void the_floor_is_timed_at_even_intervals(void)
{
  const sb_planned_case small = {.key = "0123456789abcdef"};
  sb_floor              f = {.planned = &small};
  size_t                at[SB_FLOOR_TIMINGS] = {0};
  for (size_t done = 0; done <= 60; ++done) {
    while (sb_floor_is_due(&f, done, 60, 10.0 * (double)done)) {
      at[f.done++] = done;
      f.spent_seconds += 2; /* 14 of 600 s */
    }
  }
  assert_int_equal(f.done, SB_FLOOR_TIMINGS);
  for (size_t i = 0; i < SB_FLOOR_TIMINGS; ++i) assert_int_equal(at[i], 10 * i);
  f.done = 3;
  f.runs = true;
  assert_false(sb_floor_is_due(&f, 60, 60, 600));
}

/* Four timings of 5 s are 3.3 % of 600 s, of 1 s they are not worth a word. */
static void the_floor_costs_little(void)
{
  const sb_planned_case small = {.key = "0123456789abcdef"};
  const sb_floor        dear = {.planned = &small, .done = 3, .spent_seconds = 15};
  const sb_floor        cheap = {.planned = &small, .done = 3, .spent_seconds = 3};
  assert_false(sb_floor_is_due(&dear, 10, 10, 600));
  assert_true(sb_floor_is_due(&cheap, 10, 10, 600));
  assert_true(sb_floor_is_due(&cheap, 10, 10, 20)); /* 4 s: a few seconds are always granted */
  assert_false(sb_floor_is_due(&(sb_floor){0}, 10, 10, 600));
}

/* Timings as the journal has them: seconds, and words where they were noisy. */
/* The least work, but not one that measures the clock. */
static void the_floor_is_of_a_small_case(void)
{
  assert_true(sb_floor_suits_better(3e4, 4e4));
  assert_false(sb_floor_suits_better(4e4, 3e4));
  assert_true(sb_floor_suits_better(1e9, 1e4)); /* 1e4 is too short */
  assert_false(sb_floor_suits_better(1e4, 1e9));
  assert_true(sb_floor_suits_better(1e4, 1e3));
  assert_false(sb_floor_suits_better(3e4, 3e4)); /* the first of equals stays */
  assert_false(sb_floor_suits_better(1e3, 1e3));
}

static json_t *floors_of(size_t count, const double *seconds, size_t noisy)
{
  json_t *floors = json_array();
  for (size_t i = 0; i < count; ++i)
    json_array_append_new(floors, json_pack("{s:s, s:f, s:s, s:s, s:s}", "case", "k", "seconds", seconds[i], "noisy",
                                            i < noisy ? "waited" : "", "build", "b", "machine", "m"));
  return floors;
}

static void the_floor_is_the_spread_of_the_medians(void)
{
  static const double seconds[] = {2e-3, 3e-3, 1.00e-3, 1.02e-3, 1.01e-3, 1.03e-3, 1.005e-3};
  static const struct {
    size_t      count, noisy;
    double      spread;
    const char *words;
  } cases[] = {{7, 2, 0.03, "noise floor 3.0 %: case k timed 7 times during the sweep, 2 noisy left out; m"},
               {7, 3, 2.0, "noise floor 200 %: case k timed 7 times during the sweep, 3 noisy included; m"},
               {7, 7, 2.0,
                "noise floor 200 %: case k timed 7 times during the sweep, always while the machine was "
                "noisy; m"},
               {4, 0, NAN, "no noise floor: case k timed 4 times during the sweep, fewer than 5; m"}};
  const sb_plan plan = {0};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    sb_noise_floor floor;
    json_t        *floors = floors_of(cases[i].count, seconds, cases[i].noisy);
    sb_noise_floor_read(floors, &plan, test_arena(), &floor);
    assert_string_equal(floor.words, cases[i].words);
    assert_true(isnan(cases[i].spread) ? isnan(floor.spread) : fabs(floor.spread - cases[i].spread) < 1e-12);
    json_decref(floors);
  }
}

/* Another build's timings, or another case's, are not this floor's. */
static void the_floor_is_of_one_build_on_one_machine(void)
{
  static const double      seconds[] = {1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3};
  static const char *const names[] = {"case", "build", "machine"};
  const sb_plan            plan = {0};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    sb_noise_floor floor;
    json_t        *floors = floors_of(6, seconds, 0);
    json_object_set_new(json_array_get(floors, 0), names[i], json_string("older"));
    json_object_set_new(json_array_get(floors, 0), "seconds", json_real(9));
    sb_noise_floor_read(floors, &plan, test_arena(), &floor);
    assert_int_equal(floor.timings, 5);
    assert_true(floor.spread == 0);
    json_decref(floors);
  }
}

int main(void)
{
  return RUN_TESTS_WITHIN(
      NULL, end_sessions, a_quiet_machine_breaks_no_rule, each_rule_has_its_limit, steal_counts_from_the_second_tick,
      switches_are_counted_against_chance, several_rules_are_all_named, calibration_takes_about_a_millisecond,
      earlier_calibrations_count, noisy_attempts_are_made_up_for_twice, auto_repeats_until_the_median_is_known,
      the_floor_is_timed_at_even_intervals, the_floor_costs_little, the_floor_is_of_a_small_case,
      the_floor_is_the_spread_of_the_medians, the_floor_is_of_one_build_on_one_machine);
}
