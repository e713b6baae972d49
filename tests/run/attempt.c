/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The record of a child's end and words, from ends that are made up; and the signals that end a process that has
 * nothing to put in order. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases/common/durable.h"
#include "harness/run/child.h"
#include "harness/run/signals.h"
#include "tests/run/world.h"

#define DASHES "--------------------------------------------------------------------------"
#define RULE   DASHES "\n"

static void ends_are_told_apart(void **state)
{
  static const struct {
    int         wait_status;
    const char *output, *log; /* so much it said, and left this log */
    sb_status   status;
    int         ends_sweep;
    const char *reason;
  } ends[] = {
      {W_EXITCODE(0, SIGKILL), "", "", SB_CASE_CRASHED, 0,
       "killed by SIGKILL from outside (out of memory?); its log is empty"},
      {W_EXITCODE(0, SIGSEGV), "", "one\ntwo\n", SB_CASE_CRASHED, 0, "killed by SIGSEGV; last line of its log: two"},
      {W_EXITCODE(0, 35), "", "", SB_CASE_CRASHED, 0, "killed by signal 35; its log is empty"},
      {W_EXITCODE(128 + SIGABRT, 0), "", "", SB_CASE_CRASHED, 0, "killed by SIGABRT; its log is empty"},
      {W_EXITCODE(SB_EXIT_INTERRUPTED, 0), "", "", SB_CASE_INTERRUPTED, 0, "stopped by a signal"},
      {W_EXITCODE(SB_EXIT_STORAGE, 0), "a row\nno room\n", "", SB_CASE_ERROR, SB_EXIT_STORAGE, "no room"},
      {W_EXITCODE(SB_EXIT_STORAGE, 0), "no room", "", SB_CASE_ERROR, SB_EXIT_STORAGE, "no room"},
      {W_EXITCODE(SB_EXIT_USAGE, 0), "\n", "", SB_CASE_ERROR, 0, "exit status 2; its log is empty"},
      {W_EXITCODE(SB_EXIT_UNFIT, 0), "", "old\n", SB_CASE_ERROR, SB_EXIT_UNFIT, "old"},
      {W_EXITCODE(SB_EXIT_UNFIT, 0), "", "", SB_CASE_ERROR, SB_EXIT_UNFIT, "exit status 4; its log is empty"},
      /* mpiexec's notices are not of the case */
      {W_EXITCODE(2, 0), "", "one\n" RULE "prterun detected\n\n" RULE, SB_CASE_ERROR, 0, "one"},
      {W_EXITCODE(0, SIGSEGV), "", RULE "prterun noticed\n" RULE, SB_CASE_CRASHED, 0,
       "killed by SIGSEGV; its log is empty"},
      {W_EXITCODE(2, 0), "", "one\ntwo " RULE, SB_CASE_ERROR, 0, "two " DASHES},
      /* reasons are text */
      {W_EXITCODE(1, 0), "", "a\tb \xff\xfe\x7f.\n", SB_CASE_ERROR, 0, "exit status 1; last line of its log: a b ?? ."},
  };
  world *w = *state;
  world_plan(w, "attempt", "1", "");
  assert_true(sb_make_directory(w->directory));
  for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) {
    assert_true(sb_replace_file(w->directory, "log", ends[i].log, strlen(ends[i].log)));
    sb_child child = {.task.planned = &w->plan->cases[0],
                      .arena = sb_arena_create(),
                      .output = -1,
                      .wait_status = ends[i].wait_status,
                      .text = sb_copy_text(ends[i].output),
                      .length = strlen(ends[i].output)};
    child.log = sb_arena_format(child.arena, "%s/log", w->directory);
    child.file = sb_arena_format(child.arena, "%s/none.h5", w->directory);
    const sb_attempt attempt = sb_child_judge(&child);
    assert_int_equal(attempt.status, ends[i].status);
    assert_int_equal(attempt.ends_sweep, ends[i].ends_sweep);
    assert_string_equal(attempt.reason, ends[i].reason);
    sb_child_clear(&child, false);
  }
}

static void what_cannot_be_executed_says_so_in_the_log(void **state)
{
  world *w = *state;
  world_plan(w, "attempt", "1", "");
  assert_true(sb_make_directory(path_of(w, "logs")) && sb_make_directory(path_of(w, "tmp")));
  sigset_t mask;
  sigemptyset(&mask);
  const sb_run_request request = {.program = "/nonexistent", .directory = w->directory, .warm_up = -1};
  const sb_run_state   run = {.sweep = w->sweep, .request = &request};
  const sb_child_task  task = {.run = &run, .planned = &w->plan->cases[0], .signal_mask = &mask};
  sb_child             child;
  assert_true(sb_child_start(&child, &task));
  while (!sb_child_attend(&child)) usleep(1000);
  assert_string_equal(sb_child_judge(&child).reason,
                      "exit status 127; last line of its log: cannot execute /nonexistent: No such file or directory");
  sb_child_clear(&child, true);
}

/* The kernel's ru_maxrss of a child starts from the memory of its parent. */
static void memory_is_that_of_the_case(void **state)
{
  enum { LARGE = 500 << 20, CASE_MAX = 100 << 20 };
  static const struct {
    const char *seed, *status;
    double      time_limit_seconds, memory_limit_bytes;
  } cases[] = {{"102", "timeout", 0.5, 0},
               {"200", "crashed", 0, 0},
               {"1", "ok", 0, 300 << 20},
               {"102", "timeout", 0.5, 300 << 20}};
  char *large = malloc(LARGE);
  (void)state;
  assert_non_null(large);
  memset(large, 1, LARGE);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    world *w = NULL;
    world_open((void **)&w);
    world_plan(w, "attempt", cases[i].seed, "");
    w->request.time_limit_seconds = cases[i].time_limit_seconds;
    w->request.memory_limit_bytes = cases[i].memory_limit_bytes;
    world_run(w);
    assert_status(w, atol(cases[i].seed), cases[i].status, "");
    sb_results    *results = world_results(w);
    const sb_value peak = sb_rows_get_named(results->rows, 0, "max_rss_bytes");
    assert_true(peak.kind == SB_BLANK || (peak.number > 0 && peak.number < CASE_MAX));
    assert_true(peak.kind == SB_NUMBER || strcmp(cases[i].status, "crashed") == 0);
    world_close((void **)&w);
  }
  assert_int_equal(large[LARGE - 1], 1);
  free(large);
}

static void a_signal_ends_what_has_nothing_to_put_in_order(void **state)
{
  (void)state;
  for (int full = 0; full < 2; ++full) {
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
      const int out = sb_open(full ? "/dev/full" : "/dev/null", 1);
      dup2(out, STDERR_FILENO);
      sb_signals_leave_on_stop();
      raise(SIGTERM);
      _exit(0);
    }
    assert_int_equal(world_wait(child), SB_EXIT_INTERRUPTED);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(ends_are_told_apart),
      TEST(what_cannot_be_executed_says_so_in_the_log),
      cmocka_unit_test(memory_is_that_of_the_case),
      cmocka_unit_test(a_signal_ends_what_has_nothing_to_put_in_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
