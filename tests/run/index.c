/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The index: results.csv by RFC 4180, results.h5 as pandas and h5py read it, both rebuilt at any time; what status and
 * show say. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/report/report.h"
#include "tests/run/behaviours.h"
#include "tests/run/world.h"

static void run_four(world *w)
{
  world_plan(w, "index", "1, 100, 200, 2", "exclude:\n  - {when: seed == 2, because: \"known, \\\"well\\\"\"}\n");
  assert_int_equal(world_run(w), SB_EXIT_CASES_FAILED);
}

static void csv_has_a_row_a_case_in_plan_order(void **state)
{
  world *w = *state;
  run_four(w);
  char *text = text_of(w, "results.csv"),
       *start = TEXT(w,
                     "key,status,reason,accuracy_ok,broke_off,seed,size,label,step_s,empty,"
                     "wall_s,max_rss_bytes,digest,command\n%s,ok,,true,,1,1.1,"
                     "\"a \"\"b\"\", c\",0.125,,0.25,",
                     w->plan->cases[0].key);
  assert_memory_equal(text, start, strlen(start));
  const char *line = text;
  for (size_t i = 0; i < 4; ++i) {
    line = strstr(line, "\n") + 1;
    assert_memory_equal(line, w->plan->cases[i].key, SB_KEY_LENGTH);
  }
  assert_non_null(strstr(text, ",skipped,\"known, \"\"well\"\"\",,,2,,,,,,,,"));
}

static void index_is_rebuilt(void **state)
{
  world *w = *state;
  run_four(w);
  char *csv = text_of(w, "results.csv"), *csv_path = path_of(w, "results.csv"), *h5_path = path_of(w, "results.h5");
  assert_int_equal(unlink(csv_path), 0);
  assert_int_equal(unlink(h5_path), 0);
  assert_int_equal(world_run(w), SB_EXIT_CASES_FAILED);
  char *again = text_of(w, "results.csv");
  assert_string_equal(again, csv);
  assert_int_equal(access(h5_path, F_OK), 0);
  assert_int_equal(calls(w), 3);
}

static void pandas_reads_it(void **state)
{
  world *w = *state;
  run_four(w);
  /* The sanitizers' preloads are not for Python. */
  char *command = TEXT(w, "/usr/bin/env -u LD_PRELOAD /usr/bin/python3 \"$SB_INDEX_READER\" '%s'", w->directory);
  assert_int_equal(system(command), 0);
}

/* A case, or with (size_t)-1 for its row all of them. */
static char *printed(const sb_results *results, size_t row)
{
  char  *text = NULL;
  size_t length = 0;
  FILE  *stream = open_memstream(&text, &length);
  assert_non_null(stream);
  if (row != (size_t)-1)
    sb_case_print(results, row, stream);
  else
    sb_status_print(results, stream);
  fclose(stream);
  return sb_arena_adopt(results->session.arena, text);
}

static void status_counts_and_names_failures(void **state)
{
  world *w = *state;
  run_four(w);
  sb_results *results = world_results(w);
  char       *text = printed(results, (size_t)-1);
  assert_non_null(strstr(text, " 1  ok\n"));
  assert_non_null(strstr(text, " 1  diverged\n"));
  assert_non_null(strstr(text, " 1  skipped\n"));
  assert_non_null(strstr(text, " 1  crashed\n"));
  assert_non_null(strstr(text, "crashed  killed by SIGSEGV"));
  assert_non_null(strstr(text, "--rerun failed"));
}

static void show_tells_a_case(void **state)
{
  world *w = *state;
  char   beginning[9];
  run_four(w);
  sb_results *results = world_results(w);
  snprintf(beginning, sizeof beginning, "%.8s", w->plan->cases[1].key);
  assert_int_equal(sb_results_find(results, beginning), 1);
  char *text = printed(results, 1);
  assert_non_null(strstr(text, "diverged"));
  assert_non_null(strstr(text, "rope"));
  assert_non_null(strstr(text, w->plan->cases[1].command));
  assert_non_null(strstr(text, "last words of 100"));
  assert_true(sb_results_find(results, "zzzz") == (size_t)-1);
}

static void not_a_results_directory_is_said(void **state)
{
  world     *w = *state;
  sb_session own = fake_session();
  assert_null(sb_results_open(w->root, &own));
  assert_non_null(strstr(sb_diagnostics_message(own.diagnostics, 0), "sweep.yaml"));
  sb_session_end(&own, NULL);
}

/* A line a finished case, with its failures, when lines are asked for. */
static void lines_say_what_happened(void **state)
{
  world *w = *state;
  int    status = 0;
  world_plan(w, "index", "1, 200", "");
  char *text = world_run_said(w, &status);
  assert_int_equal(status, SB_EXIT_CASES_FAILED);
  assert_non_null(strstr(text, "index: 2 cases: 0 done, 0 skipped, 2 to run"));
  assert_non_null(strstr(text, "1/2 seed=1: ok ("));
  assert_non_null(strstr(text, "2/2 seed=200: crashed ("));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(csv_has_a_row_a_case_in_plan_order),
      TEST(index_is_rebuilt),
      TEST(pandas_reads_it),
      TEST(status_counts_and_names_failures),
      TEST(show_tells_a_case),
      TEST(not_a_results_directory_is_said),
      TEST(lines_say_what_happened),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
