/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Repetitions of a timed sweep: rounds in a seeded order, samples handed on, one file at the end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/run/child.h"
#include "tests/run/behaviours.h"
#include "tests/run/world.h"

enum { CASES = 6, ROUNDS = 3 };

/* order[round][i]: number of the case that ran as i-th of the round. */
static void read_order(const world *w, int order[ROUNDS][CASES])
{
  char *text = calls_text(w), *line = text;
  for (int call = 0; call < ROUNDS * CASES; ++call) {
    char key[17], samples[16];
    int  repetition = -1;
    assert_int_equal(sscanf(line, "%16s %d %15s", key, &repetition, samples), 3);
    assert_int_equal(repetition, call / CASES);
    assert_string_equal(samples, repetition == 0 ? "-" : "samples");
    order[repetition][call % CASES] = -1;
    for (int i = 0; i < CASES; ++i)
      if (strcmp(w->plan->cases[i].key, key) == 0) order[repetition][call % CASES] = i;
    line = strchr(line, '\n') + 1;
  }
  assert_string_equal(line, "");
}

static void assert_permutation(const int order[CASES])
{
  bool seen[CASES] = {false};
  for (int i = 0; i < CASES; ++i) {
    assert_true(order[i] >= 0 && !seen[order[i]]);
    seen[order[i]] = true;
  }
}

static void run_rounds(world *w, uint64_t seed, int order[ROUNDS][CASES])
{
  world_plan(w, "rounds", "1, 2, 3, 4, 5, 6", "timed: true\nrepetitions: 3\n");
  w->request.order_seed = seed;
  assert_int_equal(world_run(w), SB_EXIT_OK);
  read_order(w, order);
}

static void repetitions_interleave_in_a_seeded_order(void **state)
{
  world    *w = *state, *same = NULL, *other = NULL;
  const int plan_order[CASES] = {0, 1, 2, 3, 4, 5};
  int       first[ROUNDS][CASES], second[ROUNDS][CASES], third[ROUNDS][CASES];
  run_rounds(w, 7, first);
  for (int r = 0; r < ROUNDS; ++r) assert_permutation(first[r]);
  assert_memory_not_equal(first[0], plan_order, sizeof plan_order);
  assert_memory_not_equal(first[0], first[1], sizeof first[0]);
  assert_int_equal(files_in(w, "tmp"), 0);
  world_open((void **)&same);
  run_rounds(same, 7, second);
  assert_memory_equal(first, second, sizeof first);
  world_close((void **)&same);
  world_open((void **)&other);
  run_rounds(other, 8, third);
  assert_memory_not_equal(first, third, sizeof first);
  world_close((void **)&other);
}

/* The published file is that of the last repetition and has the samples of all. */
static void last_file_has_all_samples(void **state)
{
  world *w = *state;
  char   name[64], expected[256];
  int    order[ROUNDS][CASES];
  run_rounds(w, 1, order);
  const char *key = w->plan->cases[2].key;
  snprintf(name, sizeof name, "cases/%s.h5", key);
  snprintf(expected, sizeof expected, "%s repetition 0\n%s repetition 1\n%s repetition 2\n", key, key, key);
  char *text = text_of(w, name);
  assert_string_equal(text, expected);
  assert_int_equal(files_in(w, "cases"), CASES);
}

/* A case that failed or diverged once is not timed again. */
static void only_what_holds_is_repeated(void **state)
{
  world *w = *state;
  world_plan(w, "rounds", "1, 100, 101, 200", "timed: true\nrepetitions: 3\n");
  assert_int_equal(world_run(w), SB_EXIT_CASES_FAILED);
  assert_int_equal(calls_of_seed(w, 1), 3);
  assert_int_equal(calls_of_seed(w, DIVERGES), 1);
  assert_int_equal(calls_of_seed(w, DOES_NOT_CONVERGE), 3);
  assert_int_equal(calls_of_seed(w, CRASHES), 1);
}

static void untimed_and_quick_runs_have_one_round(void **state)
{
  world *w = *state;
  world_plan(w, "rounds", "3, 1, 2", "timed: false\nrepetitions: 3\n");
  assert_int_equal(world_run(w), SB_EXIT_OK);
  assert_int_equal(calls(w), 3);
  char *text = calls_text(w);
  for (int i = 0; i < 3; ++i)
    assert_memory_equal(text + i * (strchr(text, '\n') + 1 - text), w->plan->cases[i].key, 16);
  world_plan(w, "rounds", "4, 5", "timed: true\nrepetitions: 3\n");
  w->request.quick = true;
  assert_int_equal(world_run(w), SB_EXIT_OK);
  assert_int_equal(calls(w), 5);
}

/* Times of a quick run are taken anew by the next whole run, and not by another quick one. A whole run that finds
 * nothing left to run is noted: the results are no longer quick. */
static void a_whole_run_follows_a_quick_one(void **state)
{
  static const char *const drivers[] = {"timed: true\n", "timed: false\n"};
  for (int untimed = 0; untimed < 2; ++untimed) {
    world *w = *state;
    w->driver = untimed ? "fake" : "watched";
    w->directory = TEXT(w, "%s/out%d", w->root, untimed);
    w->request.directory = w->directory;
    world_plan(w, "quick_first", untimed ? "1, 2" : "120", drivers[untimed]);
    for (int i = 0; i < 3; ++i) {
      const size_t before = i > 0 ? calls(w) : 0;
      w->request.quick = i < 2;
      assert_int_equal(world_run(w), SB_EXIT_OK);
      const bool runs = calls(w) > before;
      if (runs != (i == 0 || (i == 2 && !untimed))) fail_msg("run %d, untimed %d: %zu calls", i, untimed, calls(w));
      assert_true(world_results(w)->quick == (i < 2));
    }
  }
}

/* Cases on a device run one at a time. Others run beside one that waits, also if they come later. */
static void timed_cases_share_no_device(void **state)
{
  static const char head[] =
      "springbench: 1\nname: devices\nquestion: who shares?\ndriver: fake\ntimed: true\n"
      "repetitions: 2\ndefaults: {scene: rope, save: none, minimizer: xpbd, visits: colours}\nsweep:\n";
  world *w = *state;
  for (int waits = 0; waits < 4; ++waits) {
    const char *yaml =
        waits ? TEXT(w, "%s  - grid: {seed: [%d], device: [opencl, \"opencl:1\"]}\n  - grid: {seed: [1, 2]}\n", head,
                     WAITS)
              : TEXT(w, "%s  - grid: {seed: [%d], device: [opencl, \"opencl:1\", \"opencl:2\"]}\n", head, HOLDS);
    w->directory = TEXT(w, "%s/out%d", w->root, waits);
    w->request.directory = w->directory;
    w->request.jobs = 2;
    w->request.order_seed = (uint64_t)waits; /* some have both cases of the device first */
    w->sweep = sb_sweep_parse(yaml, strlen(yaml), "devices.yaml", &w->session);
    assert_non_null(w->sweep);
    w->request.made = w->plan = sb_plan_create(w->sweep, NULL, &w->session);
    assert_non_null(w->plan);
    const pid_t pid = world_start(w);
    if (waits) wait_for_calls(w, sb_slots_create(2, 1, w->session.arena).count > 1 ? 3 : 1);
    touch(w, "gate");
    assert_int_equal(world_wait(pid), SB_EXIT_OK);
    assert_int_equal(calls(w), waits ? 8 : 6);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(repetitions_interleave_in_a_seeded_order),
      TEST(last_file_has_all_samples),
      TEST(only_what_holds_is_repeated),
      TEST(untimed_and_quick_runs_have_one_round),
      TEST(a_whole_run_follows_a_quick_one),
      TEST(timed_cases_share_no_device),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
