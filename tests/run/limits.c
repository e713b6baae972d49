/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How cases end: each behaviour of a child has its status, its reason and its row, and the sweep goes on. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "harness/run/prediction.h"
#include "tests/run/behaviours.h"
#include "tests/run/world.h"

static void plan_one(world *w, int behaviour)
{
  char *seeds = TEXT(w, "1, %d, 2", behaviour);
  world_plan(w, "limits", seeds, "");
}

/* Each behaviour between two cases that end well: they have results whatever becomes of it. */
static void each_end_has_its_status_and_its_reason(void **state)
{
  static const struct {
    int         behaviour, exit_status;
    const char *status, *reason;
  } ends[] = {
      {DIVERGES, SB_EXIT_OK, "diverged", "as it was told"},
      {CRASHES, SB_EXIT_CASES_FAILED, "crashed", "killed by SIGSEGV; last line of its log: last words of 200"},
      {EXITS_1, SB_EXIT_CASES_FAILED, "error", "exit status 1; last line of its log: last words of 201"},
      {SAYS_IT_FAILED, SB_EXIT_CASES_FAILED, "error", "its own words"},
      {IS_REFUSED, SB_EXIT_CASES_FAILED, "error", "last words of 203"},
      {WRITES_NO_FILE, SB_EXIT_CASES_FAILED, "error", "exit status 0, but no file"},
      {PRINTS_GARBAGE, SB_EXIT_CASES_FAILED, "error", "no row on its standard output"},
      {ANSWERS_FOR_ANOTHER, SB_EXIT_CASES_FAILED, "error", "no row on its standard output"},
      {EATS_MEMORY, SB_EXIT_CASES_FAILED, "oom", "over the limit of 200.0 MiB"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) {
    world *w = NULL;
    world_open((void **)&w);
    plan_one(w, ends[i].behaviour);
    if (ends[i].behaviour == EATS_MEMORY) w->request.memory_limit_bytes = 200 << 20;
    assert_int_equal(world_run(w), ends[i].exit_status);
    assert_status(w, ends[i].behaviour, ends[i].status, ends[i].reason);
    assert_status(w, 1, "ok", "");
    assert_status(w, 2, "ok", "");
    assert_int_equal(calls(w), 3);
    assert_int_equal(files_in(w, "tmp"), 0);
    sb_results    *results = world_results(w);
    const sb_value peak = sb_rows_get_named(results->rows, row_of_seed(results, ends[i].behaviour), "max_rss_bytes");
    if (ends[i].behaviour == EATS_MEMORY)
      assert_true(peak.kind == SB_NUMBER && peak.number > 200 << 20 && peak.number < 1e9);
    world_close((void **)&w);
  }
}

/* Alone: on a busy machine a case that ends well might not be quick enough for the limit. */
static void expect_timeout(world *w, int behaviour)
{
  world_plan(w, "limits", TEXT(w, "%d", behaviour), "");
  w->request.time_limit_seconds = 0.25;
  assert_int_equal(world_run(w), SB_EXIT_CASES_FAILED);
  assert_status(w, behaviour, "timeout", "over the limit of 0.25 s");
  assert_int_equal(files_in(w, "tmp"), 0);
}

static void hanging_case_times_out(void **state) { expect_timeout(*state, HANGS); }

static void case_deaf_to_sigterm_is_killed(void **state) { expect_timeout(*state, HANGS_ON); }

static void limit_of_the_sweep_holds(void **state)
{
  world *w = *state;
  world_plan(w, "limits", "102", "limits: {time: 0.25s}\n");
  assert_int_equal(world_run(w), SB_EXIT_CASES_FAILED);
  assert_status(w, HANGS, "timeout", "over the limit of 0.25 s");
}

static void full_disk_ends_the_sweep_and_nothing_is_lost(void **state)
{
  world *w = *state;
  plan_one(w, DISK_IS_FULL);
  assert_int_equal(world_run(w), SB_EXIT_STORAGE);
  assert_int_equal(calls(w), 2);
  assert_int_equal(files_in(w, "tmp"), 0);
  assert_int_equal(files_in(w, "cases"), 1);
  touch(w, "healed");
  assert_int_equal(world_run(w), SB_EXIT_OK);
  assert_int_equal(calls_of_seed(w, 1), 1);
  assert_int_equal(calls_of_seed(w, 2), 1);
  assert_int_equal(files_in(w, "cases"), 3);
}

/* The journal cannot grow: files of at most so many bytes, in a process of its own. */
static void journal_that_cannot_grow_ends_the_sweep(void **state)
{
  world *w = *state;
  world_plan(w, "limits", "1, 2, 3", "");
  assert_int_equal(world_run(w), SB_EXIT_OK);
  char               *journal = text_of(w, "journal.jsonl");
  const rlim_t        most = strlen(journal) + 1500;
  const struct rlimit limit = {most, most};
  w->request.rerun = SB_RERUN_ALL;
  fflush(NULL);
  const pid_t pid = fork();
  if (pid == 0) _exit(setrlimit(RLIMIT_FSIZE, &limit) == 0 ? world_run(w) : 99);
  assert_int_equal(world_wait(pid), SB_EXIT_STORAGE);
  assert_int_equal(files_in(w, "tmp"), 0);
  w->request.rerun = SB_RERUN_MISSING;
  assert_int_equal(world_run(w), SB_EXIT_OK);
  for (long seed = 1; seed <= 3; ++seed) assert_status(w, seed, "ok", "");
}

static void no_room_is_seen_before_anything_runs(void **state)
{
  world *w = *state;
  world_plan(w, "limits", "1", "");
  const char *yaml = "springbench: 1\nname: limits\nquestion: is there room?\ndriver: fake\n"
                     "defaults: {scene: rope, nodes: 1000000, frames: 10000000, save: \"every:1\"}\n"
                     "sweep:\n  - grid: {seed: [1, 2]}\n";
  w->sweep = sb_sweep_parse(yaml, strlen(yaml), "room.yaml", &w->session);
  assert_non_null(w->sweep);
  w->request.made = w->plan = sb_plan_create(w->sweep, NULL, &w->session);
  assert_non_null(w->plan);
  assert_true(sb_case_predicted_bytes(&w->plan->cases[0]) > 7e14); /* 72 bytes, 1e6 vertices, 1e7 frames */
  assert_int_equal(world_run(w), SB_EXIT_STORAGE);
  assert_int_equal(calls(w), 0);
}

static void unfit_build_ends_the_sweep(void **state)
{
  world *w = *state;
  plan_one(w, IS_UNFIT);
  assert_int_equal(world_run(w), SB_EXIT_UNFIT);
  assert_int_equal(calls(w), 2);
}

/* One core each, no variable that is not meant for it, the quick MPI settings. */
static void children_are_alone_and_clean(void **state)
{
  world *w = *state;
  setenv("SB_LEAK", "1", 1);
  world_plan(w, "limits", "1, 2, 3, 4", "");
  w->request.jobs = 2;
  assert_int_equal(world_run(w), SB_EXIT_OK);
  unsetenv("SB_LEAK");
  char *text = calls_text(w);
  for (size_t i = 0; i < w->plan->count; ++i) {
    char        key[17], repetition[8], samples[16], environment[16], transport[16];
    int         cores = 0;
    const char *line = strstr(text, w->plan->cases[i].key);
    assert_non_null(line);
    assert_int_equal(
        sscanf(line, "%16s %7s %15s %d %15s %15s", key, repetition, samples, &cores, environment, transport), 6);
    assert_string_equal(environment, "clean");
    assert_string_equal(transport, "own"); /* how MPI starts is the business of the case */
    assert_true(cores >= 1 && (cores < sysconf(_SC_NPROCESSORS_ONLN) || sysconf(_SC_NPROCESSORS_ONLN) == 1));
  }
}

/* Runs on the last processor that this process may use, as cases without an instruction run on the first. */
static void children_stay_on_the_processors_of_the_run(void **state)
{
  world    *w = *state;
  cpu_set_t mine, last;
  size_t    core = CPU_SETSIZE - 1;
  assert_int_equal(sched_getaffinity(0, sizeof mine, &mine), 0);
  while (core > 0 && !CPU_ISSET(core, &mine)) --core;
  if (CPU_COUNT(&mine) == 1) skip();
  CPU_ZERO(&last);
  CPU_SET(core, &last);
  assert_int_equal(sched_setaffinity(0, sizeof last, &last), 0);
  world_plan(w, "limits", "1, 2, 3", "");
  for (w->request.jobs = 0; w->request.jobs < 3; w->request.jobs += 2) { /* the default, and more than there are */
    w->request.rerun = SB_RERUN_ALL;
    assert_int_equal(world_run(w), SB_EXIT_OK);
  }
  assert_int_equal(sched_setaffinity(0, sizeof mine, &mine), 0);
  assert_int_equal(calls(w), 6);
  char *text = calls_text(w);
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
    int    cores = 0;
    size_t on = CPU_SETSIZE;
    assert_int_equal(sscanf(line, "%*s %*s %*s %d %*s %*s %*s %zu", &cores, &on), 2);
    assert_int_equal(cores, 1);
    assert_int_equal(on, core);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_end_has_its_status_and_its_reason),
      TEST(hanging_case_times_out),
      TEST(case_deaf_to_sigterm_is_killed),
      TEST(limit_of_the_sweep_holds),
      TEST(full_disk_ends_the_sweep_and_nothing_is_lost),
      TEST(journal_that_cannot_grow_ends_the_sweep),
      TEST(no_room_is_seen_before_anything_runs),
      TEST(unfit_build_ends_the_sweep),
      TEST(children_are_alone_and_clean),
      TEST(children_stay_on_the_processors_of_the_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
