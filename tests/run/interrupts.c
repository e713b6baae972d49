/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ends from outside: kill -9, signals that ask to stop, a second run on a live directory. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness/results/lock.h"
#include "tests/run/behaviours.h"
#include "tests/run/world.h"

/* The process id that the fake case noted at its latest call. */
static pid_t latest_child(const world *w)
{
  char       *text = calls_text(w);
  const char *last = strrchr(text, ' ');
  assert_non_null(last);
  const long pid = strtol(last, NULL, 10);
  return (pid_t)pid;
}

static void assert_same_results(const world *a, const world *b)
{
  assert_string_equal(text_of(a, "results.csv"), text_of(b, "results.csv"));
  for (size_t i = 0; i < a->plan->count; ++i) {
    const char *name = TEXT(a, "cases/%s.h5", a->plan->cases[i].key);
    assert_string_equal(text_of(a, name), text_of(b, name));
  }
}

/* The fake case says it took 1000 bytes; what the runner saw differs from run to run. */
static void blank_memory(const world *w)
{
  char *command = TEXT(w, "sed -i 's/,0\\.25,[0-9]*,d/,0.25,,d/' '%s/results.csv'", w->directory);
  assert_int_equal(system(command), 0);
}

/* A runner is ended by this signal, and takes its child along. */
static void end_runner(const world *w, pid_t runner, int number)
{
  const pid_t child = latest_child(w);
  assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  assert_int_equal(kill(runner, number), 0);
  assert_int_equal(world_wait(runner), -number);
  assert_int_equal(world_wait(child), -SIGKILL);
}

static void killed_runner_takes_its_child_along_and_is_continued(void **state)
{
  world *w = *state, *undisturbed = NULL;
  world_plan(w, "interrupts", "1, 2, 3, 105, 4, 5", "");
  const pid_t runner = world_start(w);
  wait_for_calls(w, 4);
  end_runner(w, runner, SIGKILL);
  assert_int_equal(files_in(w, "cases"), 3);
  touch(w, "gate");
  assert_int_equal(world_run(w), SB_EXIT_OK);
  for (long seed = 1; seed <= 5; ++seed) assert_int_equal(calls_of_seed(w, seed), 1);
  assert_int_equal(calls_of_seed(w, WAITS), 2);
  assert_int_equal(files_in(w, "tmp"), 0);

  world_open((void **)&undisturbed);
  touch(undisturbed, "gate");
  world_plan(undisturbed, "interrupts", "1, 2, 3, 105, 4, 5", "");
  assert_int_equal(world_run(undisturbed), SB_EXIT_OK);
  blank_memory(w);
  blank_memory(undisturbed);
  assert_same_results(w, undisturbed);
  world_close((void **)&undisturbed);
}

static void crashed_or_aborted_runner_takes_its_child_along(void **state)
{
  static const int numbers[] = {SIGSEGV, SIGABRT};
  world           *w = *state;
  world_plan(w, "interrupts", "105", "");
  for (size_t i = 0; i < 2; ++i) {
    const pid_t runner = world_start(w);
    wait_for_calls(w, i + 1);
    end_runner(w, runner, numbers[i]);
  }
}

/* A test that is killed, as by a limit of time, leaves neither the runner it started nor that one's child. */
static void killed_test_leaves_nothing_behind(void **state)
{
  world *w = *state;
  int    ends[2];
  pid_t  runner = 0;
  world_plan(w, "interrupts", "105", "");
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  fflush(NULL);
  const pid_t test = fork();
  if (test == 0) {
    runner = world_start(w);
    wait_for_calls(w, 1);
    if (write(ends[1], &runner, sizeof runner) == sizeof runner) pause();
    _exit(99);
  }
  assert_int_equal(read(ends[0], &runner, sizeof runner), sizeof runner);
  const pid_t child = latest_child(w);
  assert_int_equal(kill(test, SIGKILL), 0);
  assert_int_equal(world_wait(test), -SIGKILL);
  assert_int_equal(world_wait(runner), -SIGKILL);
  assert_int_equal(world_wait(child), -SIGKILL);
  close(ends[0]);
  close(ends[1]);
}

/* Kills at whatever moment comes: in the end every case is there, and none that had been published was run again. */
static void kills_at_any_moment_lose_nothing(void **state)
{
  world *w = *state;
  world_plan(w, "interrupts", "1, 2, 3, 4, 5, 6, 7, 8, 9, 10", "");
  for (int round = 0; round < 12; ++round) {
    const struct timespec moment = {.tv_nsec = 4000000L + 8000000L * round};
    const pid_t           runner = world_start(w);
    nanosleep(&moment, NULL);
    kill(runner, SIGKILL);
    world_wait(runner);
    for (int status; waitpid(-1, &status, WNOHANG) > 0;) continue;
  }
  assert_int_equal(world_run(w), SB_EXIT_OK);
  for (long seed = 1; seed <= 10; ++seed) assert_status(w, seed, "ok", "");
  for (size_t i = 0; i < w->plan->count; ++i) {
    size_t published = 0;
    for (const char *at = text_of(w, "journal.jsonl"); (at = strstr(at, "\"publish\"")); ++at) {
      const char *key = strstr(at, "\"key\":\"");
      published += key && strncmp(key + 7, w->plan->cases[i].key, SB_KEY_LENGTH) == 0;
    }
    assert_int_equal(published, 1);
  }
  w->request.verify_hashes = true;
  const size_t before = calls(w);
  assert_int_equal(world_run(w), SB_EXIT_OK);
  assert_int_equal(calls(w), before);
}

static void stop_by(world *w, int number)
{
  char holder[160];
  world_plan(w, "interrupts", "1, 105, 2", "");
  char       *csv = path_of(w, "results.csv");
  const pid_t runner = world_start(w);
  wait_for_calls(w, 2);
  const time_t asked = time(NULL);
  assert_int_equal(kill(runner, number), 0);
  assert_int_equal(world_wait(runner), SB_EXIT_INTERRUPTED);
  assert_true(time(NULL) - asked <= 30); /* 2 s of grace, on however busy a machine */
  assert_status(w, WAITS, "interrupted", "stopped with the run");
  assert_status(w, 1, "ok", "");
  assert_status(w, 2, "", "");
  assert_int_not_equal(access(csv, F_OK), 0); /* an index takes as long as there is data, and the 5 s are not so long */
  assert_int_equal(files_in(w, "tmp"), 0);
  assert_false(sb_lock_is_held(w->directory, holder));
  touch(w, "gate");
  assert_int_equal(world_run(w), SB_EXIT_OK);
  assert_int_equal(calls_of_seed(w, 1), 1);
  assert_int_equal(calls_of_seed(w, WAITS), 2);
  assert_status(w, WAITS, "ok", "");
  assert_int_equal(access(csv, F_OK), 0);
}

static void asked_to_stop_a_run_stops(void **state)
{
  static const int numbers[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGXCPU};
  (void)state;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
    world *w = NULL;
    world_open((void **)&w);
    stop_by(w, numbers[i]);
    world_close((void **)&w);
  }
}

static void case_deaf_to_signals_does_not_hold_up_the_end(void **state)
{
  world *w = *state;
  world_plan(w, "interrupts", "103", "");
  const pid_t runner = world_start(w);
  wait_for_calls(w, 1);
  const time_t asked = time(NULL);
  assert_int_equal(kill(runner, SIGTERM), 0);
  assert_int_equal(world_wait(runner), SB_EXIT_INTERRUPTED);
  assert_true(time(NULL) - asked <= 30); /* 2 s of grace, on however busy a machine */
}

/* Gone, but not collected. */
static void wait_for_end_of(pid_t pid)
{
  const struct timespec moment = {.tv_nsec = 2000000};
  char                  path[64], state = '?';
  snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
  for (int tries = 0; state != 'Z'; ++tries) {
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*d (%*[^)]) %c", &state), 1);
    fclose(file);
    assert_true(tries < 5000);
    nanosleep(&moment, NULL);
  }
}

/* A runner that is stopped (Ctrl-Z) while its case ends. */
static pid_t runner_stopped_while_its_case_ends(world *w)
{
  world_plan(w, "interrupts", "105", "");
  const pid_t runner = world_start(w);
  wait_for_calls(w, 1);
  const pid_t child = latest_child(w);
  assert_int_equal(kill(runner, SIGSTOP), 0);
  touch(w, "gate");
  wait_for_end_of(child);
  return runner;
}

static void time_in_which_the_runner_was_stopped_is_no_time_of_an_ended_case(void **state)
{
  world                *w = *state;
  const struct timespec limit = {.tv_sec = 4};
  w->request.time_limit_seconds = 4; /* enough for a start on however busy a machine */
  const pid_t runner = runner_stopped_while_its_case_ends(w);
  nanosleep(&limit, NULL);
  assert_int_equal(kill(runner, SIGCONT), 0);
  assert_int_equal(world_wait(runner), SB_EXIT_OK);
  assert_status(w, WAITS, "ok", "");
  assert_int_equal(files_in(w, "cases"), 1);
}

static void case_that_ended_before_the_stop_is_seen_is_kept(void **state)
{
  world      *w = *state;
  const pid_t runner = runner_stopped_while_its_case_ends(w);
  assert_int_equal(kill(runner, SIGTERM), 0);
  assert_int_equal(kill(runner, SIGCONT), 0);
  assert_int_equal(world_wait(runner), SB_EXIT_INTERRUPTED);
  assert_status(w, WAITS, "ok", "");
  assert_int_equal(files_in(w, "cases"), 1);
}

static void ignored_hangup_is_ignored(void **state)
{
  world *w = *state;
  world_plan(w, "interrupts", "105", "");
  struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
  assert_int_equal(sigaction(SIGHUP, &ignore, &before), 0);
  const pid_t runner = world_start(w);
  assert_int_equal(sigaction(SIGHUP, &before, NULL), 0);
  wait_for_calls(w, 1);
  assert_int_equal(kill(runner, SIGHUP), 0);
  touch(w, "gate");
  assert_int_equal(world_wait(runner), SB_EXIT_OK);
}

static void second_run_on_a_live_directory_changes_no_byte(void **state)
{
  world *w = *state;
  char   holder[160] = "", expected[64];
  world_plan(w, "interrupts", "1, 105", "");
  const pid_t runner = world_start(w);
  wait_for_calls(w, 2);
  const char *before = snapshot(w);
  assert_int_equal(world_run(w), SB_EXIT_BUSY);
  assert_string_equal(snapshot(w), before);
  assert_true(sb_lock_is_held(w->directory, holder));
  snprintf(expected, sizeof expected, "process %ld on host ", (long)runner);
  assert_non_null(strstr(holder, expected));
  touch(w, "gate");
  assert_int_equal(world_wait(runner), SB_EXIT_OK);
  assert_int_equal(calls(w), 2);
}

int main(void)
{
  /* Under nohup, or behind a shell's &, these are ignored, and so they would be by the runs. */
  signal(SIGHUP, SIG_DFL);
  signal(SIGINT, SIG_DFL);
  const struct CMUnitTest tests[] = {
      TEST(killed_runner_takes_its_child_along_and_is_continued),
      TEST(crashed_or_aborted_runner_takes_its_child_along),
      TEST(killed_test_leaves_nothing_behind),
      TEST(kills_at_any_moment_lose_nothing),
      cmocka_unit_test(asked_to_stop_a_run_stops),
      TEST(case_deaf_to_signals_does_not_hold_up_the_end),
      TEST(time_in_which_the_runner_was_stopped_is_no_time_of_an_ended_case),
      TEST(case_that_ended_before_the_stop_is_seen_is_kept),
      TEST(ignored_hangup_is_ignored),
      TEST(second_run_on_a_live_directory_changes_no_byte),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
