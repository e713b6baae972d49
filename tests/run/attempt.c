/* What is made of a child's end and words, from ends that are made up; and the signals that end a process that has
 * nothing to put in order. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/common/durable.h"
#include "harness/run/child.h"
#include "harness/run/signals.h"
#include "tests/run/world.h"

static void write_log(const world *w, const char *text)
{
  assert_true(sb_make_directory(w->directory));
  assert_true(sb_replace_file(w->directory, "log", text, strlen(text)));
}

/* The reason of a child that ended so, said so much and left this log. */
static void expect(world *w, int wait_status, const char *output, const char *log, sb_attempt_kind kind,
                   const char *reason)
{
  write_log(w, log);
  sb_child child = {.task.planned = &w->plan->cases[0],
                    .arena = sb_arena_create(),
                    .output = -1,
                    .wait_status = wait_status,
                    .text = sb_copy_text(output),
                    .length = strlen(output)};
  child.log = sb_arena_format(child.arena, "%s/log", w->directory);
  child.file = sb_arena_format(child.arena, "%s/none.h5", w->directory);
  const sb_attempt attempt = sb_child_judge(&child);
  assert_int_equal(attempt.kind, kind);
  assert_string_equal(attempt.reason, reason);
  sb_child_clear(&child, false);
}

static void ends_are_told_apart(void **state)
{
  world *w = *state;
  world_plan(w, "attempt", "1", "");
  expect(w, W_EXITCODE(0, SIGKILL), "", "", SB_ATTEMPT_FAILURE,
         "killed by SIGKILL from outside (out of memory?); its log is empty");
  expect(w, W_EXITCODE(0, SIGSEGV), "", "one\ntwo\n", SB_ATTEMPT_FAILURE,
         "killed by SIGSEGV; last line of its log: two");
  expect(w, W_EXITCODE(0, SIGRTMIN + 1), "", "", SB_ATTEMPT_FAILURE, "killed by signal 35; its log is empty");
  expect(w, W_EXITCODE(128 + SIGABRT, 0), "", "", SB_ATTEMPT_FAILURE, "killed by SIGABRT; its log is empty");
  expect(w, W_EXITCODE(SB_EXIT_INTERRUPTED, 0), "", "", SB_ATTEMPT_INTERRUPTED, "stopped by a signal");
  expect(w, W_EXITCODE(SB_EXIT_STORAGE, 0), "a row\nno room\n", "", SB_ATTEMPT_STORAGE, "no room");
  expect(w, W_EXITCODE(SB_EXIT_STORAGE, 0), "no room", "", SB_ATTEMPT_STORAGE, "no room");
  expect(w, W_EXITCODE(SB_EXIT_USAGE, 0), "\n", "", SB_ATTEMPT_FAILURE, "exit status 2; its log is empty");
  expect(w, W_EXITCODE(SB_EXIT_UNFIT, 0), "", "old\n", SB_ATTEMPT_UNFIT, "old");
  expect(w, W_EXITCODE(SB_EXIT_UNFIT, 0), "", "", SB_ATTEMPT_UNFIT, "exit status 4; its log is empty");
}

static void reasons_are_text(void **state)
{
  world *w = *state;
  world_plan(w, "attempt", "1", "");
  expect(w, W_EXITCODE(1, 0), "", "a\tb \xff\xfe\x7f.\n", SB_ATTEMPT_FAILURE,
         "exit status 1; last line of its log: a b ?? .");
}

static void what_cannot_be_executed_says_so_in_the_log(void **state)
{
  world *w = *state;
  world_plan(w, "attempt", "1", "");
  for (int i = 0; i < 2; ++i) {
    char *path = path_of(w, i == 0 ? "logs" : "tmp");
    assert_true(sb_make_directory(path));
    free(path);
  }
  sigset_t mask;
  sigemptyset(&mask);
  const sb_child_task task = {.program = "/nonexistent",
                              .directory = w->directory,
                              .planned = &w->plan->cases[0],
                              .warm_up = -1,
                              .signal_mask = &mask};
  sb_child            child;
  assert_true(sb_child_start(&child, &task));
  while (!sb_child_attend(&child)) usleep(1000);
  assert_string_equal(sb_child_judge(&child).reason,
                      "exit status 127; last line of its log: cannot execute /nonexistent: No such file or directory");
  sb_child_clear(&child, true);
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
      cmocka_unit_test_setup_teardown(ends_are_told_apart, world_open, world_close),
      cmocka_unit_test_setup_teardown(reasons_are_text, world_open, world_close),
      cmocka_unit_test_setup_teardown(what_cannot_be_executed_says_so_in_the_log, world_open, world_close),
      cmocka_unit_test(a_signal_ends_what_has_nothing_to_put_in_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
