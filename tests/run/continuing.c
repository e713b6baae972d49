/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same command again: what is done stays done, what is missing is run, and only what was asked for is repeated. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cases/common/durable.h"
#include "cases/store/hdf5_tools.h"
#include "harness/run/prediction.h"
#include "tests/run/behaviours.h"
#include "tests/run/world.h"

static void append_to(const world *w, const char *name, const char *text)
{
  FILE *file = fopen(path_of(w, name), "a");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

/* The sweep `continuing` over these seeds, run to its end. */
static world *after_run(void **state, const char *seeds)
{
  world *w = *state;
  world_plan(w, "continuing", seeds, "");
  assert_int_equal(world_run(w), SB_EXIT_OK);
  return w;
}

static void expect_run(const world *w, int status, size_t calls_after)
{
  assert_int_equal(world_run(w), status);
  assert_int_equal(calls(w), calls_after);
}

/* But for the lock, which names its holder, and the time of the journal, which is cut where it ends. */
static char *snapshot_after_run(const world *w)
{
  assert_int_equal(system(TEXT(w, "cd '%s' && rm lock && touch -d @0 journal.jsonl", w->directory)), 0);
  return snapshot(w);
}

static void second_run_does_nothing(void **state)
{
  world      *w = after_run(state, "1, 2, 100");
  const char *before = snapshot_after_run(w);
  expect_run(w, SB_EXIT_OK, 3);
  assert_string_equal(snapshot_after_run(w), before);
}

static void torn_line_changes_nothing(void **state)
{
  world      *w = after_run(state, "1, 2");
  const char *journal = text_of(w, "journal.jsonl");
  append_to(w, "journal.jsonl", "{\"event\":\"publish\",\"key\":\"01234");
  expect_run(w, SB_EXIT_OK, 2);
  assert_string_equal(text_of(w, "journal.jsonl"), journal);
}

/* A case whose publishing line was torn off is run again, its file was not renamed yet; and so is one whose file is
 * gone. */
static void what_is_missing_is_made_again(void **state)
{
  world *w = after_run(state, "1, 2");
  for (int seed = 2; seed >= 1; --seed) {
    if (seed == 2)
      assert_int_equal(truncate(path_of(w, "journal.jsonl"), (off_t)strlen(text_of(w, "journal.jsonl")) - 10), 0);
    assert_int_equal(unlink(TEXT(w, "%s/cases/%s.h5", w->directory, w->plan->cases[seed - 1].key)), 0);
    assert_status(w, seed, "", "");
    assert_int_equal(world_run(w), SB_EXIT_OK);
    assert_int_equal(calls_of_seed(w, 1), seed == 2 ? 1 : 2);
    assert_int_equal(calls_of_seed(w, 2), 2);
    assert_status(w, seed, "ok", "");
  }
}

static void plans_join(void **state)
{
  world  *w = after_run(state, "1, 2");
  sb_plan part = *w->plan; /* as a filter would leave it */
  part.count = 1;
  w->plan = &part;
  expect_run(w, SB_EXIT_OK, 2);
  assert_int_equal(world_results(w)->plan->count, 2);
}

static void edited_sweep_drops_what_it_no_longer_makes(void **state)
{
  world *w = after_run(state, "1, 2, 3");
  world_plan(w, "continuing", "2, 3, 4", "");
  expect_run(w, SB_EXIT_OK, 4);
  sb_results *results = world_results(w);
  assert_int_equal(results->plan->count, 3);
  assert_int_equal(files_in(w, "cases"), 4);
  assert_string_equal(results->sweep->text, w->sweep->text);
}

/* Between planning and the lock another run may have stored another request. */
static void a_request_that_has_changed_meanwhile_is_refused(void **state)
{
  static const char request[] = "{\"set\": {}}\n";
  world            *w = after_run(state, "1");
  w->request.known = request;
  expect_run(w, SB_EXIT_USAGE, 1);
  append_to(w, "request.json", "{}\n");
  expect_run(w, SB_EXIT_USAGE, 1);
  w->request.known = NULL;
  expect_run(w, SB_EXIT_USAGE, 1);
  assert_string_equal(text_of(w, "request.json"), "{}\n");
  w->request.known = "{}\n";
  expect_run(w, SB_EXIT_OK, 1);
  assert_int_not_equal(access(path_of(w, "request.json"), F_OK), 0); /* the plain sweep has none */
}

static void a_stored_case_that_stands_for_another_is_not_run(void **state)
{
  world *w = *state;
  world_plan(w, "continuing", "1, 2", "");
  w->plan->cases[0].stands = true;
  expect_run(w, SB_EXIT_OK, 1);
  assert_int_equal(calls_of_seed(w, 2), 1);
}

static void failures_stay_until_asked_for(void **state)
{
  world *w = *state;
  world_plan(w, "continuing", "1, 206, 2", "");
  expect_run(w, SB_EXIT_CASES_FAILED, 3);
  touch(w, "healed");
  expect_run(w, SB_EXIT_CASES_FAILED, 3);
  w->request.rerun = SB_RERUN_FAILED;
  expect_run(w, SB_EXIT_OK, 4);
  assert_int_equal(calls_of_seed(w, FAILS_UNTIL_HEALED), 2);
  assert_status(w, FAILS_UNTIL_HEALED, "ok", "");
}

static void everything_can_be_repeated(void **state)
{
  world *w = after_run(state, "1, 2");
  w->request.rerun = SB_RERUN_ALL;
  expect_run(w, SB_EXIT_OK, 4);
  assert_int_equal(files_in(w, "cases"), 2);
}

static void damage_is_found_when_looked_for(void **state)
{
  world      *w = after_run(state, "1, 2");
  char        error[256] = "";
  const char *path = NULL;
  append_to(w, TEXT(w, "cases/%s.h5", w->plan->cases[0].key), "x");
  sb_results *results = world_results(w);
  assert_false(sb_results_case_file(results, 0, results->session.arena, &path, error));
  assert_non_null(strstr(error, "damaged"));
  assert_true(sb_results_case_file(results, 1, results->session.arena, &path, error));
  expect_run(w, SB_EXIT_OK, 2);
  w->request.verify_hashes = true;
  expect_run(w, SB_EXIT_OK, 3);
  assert_int_equal(calls_of_seed(w, 1), 2);
  results = world_results(w);
  assert_true(sb_results_case_file(results, 0, results->session.arena, &path, error));
}

static void saved_less_than_asked_counts_as_missing(void **state)
{
  static const struct {
    const char *save;
    size_t      calls_after;
  } runs[] = {{"none", 1}, {"final", 2}, {"none", 2}, {"every:2", 3}, {"every:4", 3}, {"final", 3}, {"every:3", 4}};
  world *w = *state;
  world_plan(w, "continuing", "1", "");
  sb_h5_watch(NULL);
  assert_true(sb_h5_close(sb_h5_file(TEXT(w, "%s.states", w->directory), H5F_ACC_TRUNC)));
  for (size_t i = 0; i < sizeof runs / sizeof *runs; ++i) {
    assert_true(sb_options_set(w->plan->cases[0].options, SB_ID(save), runs[i].save, SB_FROM_USER, (sb_location){0},
                               w->session.diagnostics));
    expect_run(w, SB_EXIT_OK, runs[i].calls_after);
  }
}

static void other_build_is_repeated_only_when_asked(void **state)
{
  world      *w = after_run(state, "1, 2");
  const char *copy = TEXT(w, "%s/other_build", w->root);
  assert_int_equal(system(TEXT(w, "cp \"$SB_FAKE_CASE\" '%s' && echo >> '%s'", copy, copy)), 0);
  w->request.program = copy;
  expect_run(w, SB_EXIT_OK, 2);
  w->request.rerun = SB_RERUN_STALE;
  expect_run(w, SB_EXIT_OK, 4);
  expect_run(w, SB_EXIT_OK, 4);
}

/* Another sweep's directory, a sweep that is none, another format. */
static void what_is_not_its_own_is_refused_and_left_as_it_is(void **state)
{
  world *w = after_run(state, "1");
  for (int i = 0; i < 3; ++i) {
    world_plan(w, i == 2 ? "stranger" : "continuing", "1", "");
    if (i == 0)
      assert_int_equal(
          system(TEXT(w, "sed -i.kept 's/\"springbench\": *1/\"springbench\": 2/' '%s/plan.json'", w->directory)), 0);
    if (i == 1)
      assert_int_equal(
          system(TEXT(
              w, "cd '%s' && mv plan.json.kept plan.json && cp sweep.yaml sweep && echo 'no: [sweep' >> sweep.yaml",
              w->directory)),
          0);
    if (i == 2) assert_int_equal(rename(path_of(w, "sweep"), path_of(w, "sweep.yaml")), 0);
    const char *before = snapshot(w);
    expect_run(w, SB_EXIT_USAGE, 1);
    assert_string_equal(snapshot(w), before);
  }
}

/* It is told once. */
static void damaged_line_is_settled(void **state)
{
  world *w = after_run(state, "1, 2");
  append_to(w, "journal.jsonl", "{\"event\": \"publ\n");
  expect_run(w, SB_EXIT_OK, 2);
  const char *journal = text_of(w, "journal.jsonl");
  assert_non_null(strstr(journal, "\"event\":\"damage\",\"lines\":1"));
  expect_run(w, SB_EXIT_OK, 2);
  assert_string_equal(text_of(w, "journal.jsonl"), journal);
}

static void directory_of_other_things_is_refused(void **state)
{
  world *w = *state;
  world_plan(w, "continuing", "1", "");
  assert_true(sb_make_directory(w->directory));
  append_to(w, "thesis.tex", "years of work");
  assert_int_equal(world_run(w), SB_EXIT_USAGE);
  assert_int_equal(files_in(w, ""), 1);
}

static void dry_run_touches_nothing(void **state)
{
  world *w = *state;
  world_plan(w, "continuing", "1, 2", "");
  w->request.dry_run = true;
  expect_run(w, SB_EXIT_OK, 0);
  assert_int_not_equal(access(w->directory, F_OK), 0);
}

/* Shards of a plan are disjoint and together all of it. */
static void shards_make_the_whole(void **state)
{
  world *w = *state;
  world_plan(w, "continuing", "1, 2, 3, 4, 5", "");
  w->request.shards = 2;
  w->request.shard_of = sb_plan_shards(w->plan, 2, w->session.arena);
  w->request.shard = 1;
  expect_run(w, SB_EXIT_OK, 3);
  w->request.shard = 2;
  expect_run(w, SB_EXIT_OK, 5);
  assert_int_equal(files_in(w, "cases"), 5);
  assert_int_equal(world_results(w)->plan->count, 5);
}

static void excluded_cases_are_rows(void **state)
{
  world *w = *state;
  world_plan(w, "continuing", "1, 2", "exclude:\n  - {when: seed == 2, because: it is known}\n");
  expect_run(w, SB_EXIT_OK, 1);
  assert_status(w, 2, "skipped", "it is known");
}

/* PETSC_OPTIONS does not reach a case; with strict it is not ignored either. */
static void strict_refuses_petsc_options(void **state)
{
  world *w = *state;
  world_plan(w, "continuing", "1", "");
  setenv("PETSC_OPTIONS", "-ksp_type cg", 1);
  w->request.strict = true;
  const int strict = world_run(w);
  w->request.strict = false;
  const int lenient = world_run(w);
  unsetenv("PETSC_OPTIONS");
  assert_int_equal(strict, SB_EXIT_USAGE);
  assert_int_equal(lenient, SB_EXIT_OK);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(second_run_does_nothing),
      TEST(torn_line_changes_nothing),
      TEST(what_is_missing_is_made_again),
      TEST(what_is_not_its_own_is_refused_and_left_as_it_is),
      TEST(plans_join),
      TEST(edited_sweep_drops_what_it_no_longer_makes),
      TEST(a_request_that_has_changed_meanwhile_is_refused),
      TEST(a_stored_case_that_stands_for_another_is_not_run),
      TEST(failures_stay_until_asked_for),
      TEST(everything_can_be_repeated),
      TEST(damage_is_found_when_looked_for),
      TEST(saved_less_than_asked_counts_as_missing),
      TEST(other_build_is_repeated_only_when_asked),
      TEST(damaged_line_is_settled),
      TEST(directory_of_other_things_is_refused),
      TEST(dry_run_touches_nothing),
      TEST(shards_make_the_whole),
      TEST(excluded_cases_are_rows),
      TEST(strict_refuses_petsc_options),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
