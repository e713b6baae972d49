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

#include "harness/common/durable.h"
#include "harness/store/lock.h"
#include "tests/run/behaviours.h"
#include "tests/run/world.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_open, world_close)

/* The process id that the fake case noted at its latest call. */
static pid_t latest_child(const world *w)
{
  char       *text = calls_text(w);
  const char *last = strrchr(text, ' ');
  assert_non_null(last);
  const long pid = strtol(last, NULL, 10);
  free(text);
  return (pid_t)pid;
}

/* The lines of results.csv without what a run measures: wall_s, max_rss_bytes and the command stay equal here. */
static void assert_same_results(const world *a, const world *b)
{
  char *one = text_of(a, "results.csv"), *other = text_of(b, "results.csv");
  assert_string_equal(one, other);
  for (size_t i = 0; i < a->plan->count; ++i) {
    char *name = sb_format("cases/%s.h5", a->plan->cases[i].key);
    char *first = text_of(a, name), *second = text_of(b, name);
    assert_string_equal(first, second);
    free(second);
    free(first);
    free(name);
  }
  free(other);
  free(one);
}

/* The fake case says it took 1000 bytes; what the runner saw differs from run to run. */
static void blank_memory(const world *w)
{
  char *command = sb_format("sed -i 's/,0\\.25,[0-9]*,d/,0.25,,d/' '%s/results.csv'", w->directory);
  assert_int_equal(system(command), 0);
  free(command);
}

static void killed_runner_takes_its_child_along_and_is_continued(void **state)
{
  world *w = *state, *undisturbed = NULL;
  world_plan(w, "interrupts", "1, 2, 3, 105, 4, 5", "");
  const pid_t runner = world_start(w);
  wait_for_calls(w, 4);
  const pid_t child = latest_child(w);
  assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  assert_int_equal(kill(runner, SIGKILL), 0);
  assert_int_equal(world_wait(runner), -SIGKILL);
  assert_int_equal(world_wait(child), -SIGKILL);
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

/* A runner that ends by this signal, and its child. */
static void runner_ended_by(world *w, int number)
{
  world_plan(w, "interrupts", "105", "");
  const pid_t runner = world_start(w);
  wait_for_calls(w, 1);
  const pid_t child = latest_child(w);
  assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  assert_int_equal(kill(runner, number), 0);
  assert_int_equal(world_wait(runner), -number);
  assert_int_equal(world_wait(child), -SIGKILL);
}

static void crashed_runner_takes_its_child_along(void **state) { runner_ended_by(*state, SIGSEGV); }
static void aborted_runner_takes_its_child_along(void **state) { runner_ended_by(*state, SIGABRT); }

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
  char *journal = text_of(w, "journal.jsonl");
  for (size_t i = 0; i < w->plan->count; ++i) {
    char  *line = sb_format("\"publish\"");
    size_t published = 0;
    for (const char *at = journal; (at = strstr(at, line)); ++at) {
      const char *key = strstr(at, "\"key\":\"");
      published += key && strncmp(key + 7, w->plan->cases[i].key, SB_KEY_LENGTH) == 0;
    }
    assert_int_equal(published, 1);
    free(line);
  }
  w->request.verify_hashes = true;
  const size_t before = calls(w);
  assert_int_equal(world_run(w), SB_EXIT_OK);
  assert_int_equal(calls(w), before);
  free(journal);
}

static void stop_by(void **state, int number)
{
  world *w = *state;
  char   holder[160];
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
  free(csv);
}

static void sigterm_stops_a_run(void **state) { stop_by(state, SIGTERM); }
static void sigint_stops_a_run(void **state) { stop_by(state, SIGINT); }
static void sighup_stops_a_run(void **state) { stop_by(state, SIGHUP); }
static void sigusr1_stops_a_run(void **state) { stop_by(state, SIGUSR1); }
static void sigxcpu_stops_a_run(void **state) { stop_by(state, SIGXCPU); }

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
  char                 *path = sb_format("/proc/%ld/stat", (long)pid), state = '?';
  for (int tries = 0; state != 'Z'; ++tries) {
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*d (%*[^)]) %c", &state), 1);
    fclose(file);
    assert_true(tries < 5000);
    nanosleep(&moment, NULL);
  }
  free(path);
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
  char *before = snapshot(w);
  assert_int_equal(world_run(w), SB_EXIT_BUSY);
  char *after = snapshot(w);
  assert_string_equal(after, before);
  assert_true(sb_lock_is_held(w->directory, holder));
  snprintf(expected, sizeof expected, "process %ld on host ", (long)runner);
  assert_non_null(strstr(holder, expected));
  touch(w, "gate");
  assert_int_equal(world_wait(runner), SB_EXIT_OK);
  assert_int_equal(calls(w), 2);
  free(after);
  free(before);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(killed_runner_takes_its_child_along_and_is_continued),
      TEST(crashed_runner_takes_its_child_along),
      TEST(aborted_runner_takes_its_child_along),
      TEST(killed_test_leaves_nothing_behind),
      TEST(kills_at_any_moment_lose_nothing),
      TEST(sigterm_stops_a_run),
      TEST(sigint_stops_a_run),
      TEST(sighup_stops_a_run),
      TEST(sigusr1_stops_a_run),
      TEST(sigxcpu_stops_a_run),
      TEST(case_deaf_to_signals_does_not_hold_up_the_end),
      TEST(time_in_which_the_runner_was_stopped_is_no_time_of_an_ended_case),
      TEST(case_that_ended_before_the_stop_is_seen_is_kept),
      TEST(ignored_hangup_is_ignored),
      TEST(second_run_on_a_live_directory_changes_no_byte),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
