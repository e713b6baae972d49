/* The same command again: what is done stays done, what is missing is run, and only what was asked for is repeated. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/common/durable.h"
#include "tests/run/behaviours.h"
#include "tests/run/world.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_open, world_close)

static void append_to(const world *w, const char *name, const char *text)
{
  char *path = path_of(w, name);
  FILE *file = fopen(path, "a");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
  free(path);
}

/* Nanoseconds at which plan.json was last written. */
static int64_t plan_written(const world *w)
{
  struct stat information;
  char       *path = path_of(w, "plan.json");
  assert_int_equal(stat(path, &information), 0);
  free(path);
  return (int64_t)information.st_mtim.tv_sec * 1000000000 + information.st_mtim.tv_nsec;
}

static void second_run_does_nothing(void **state)
{
  world *w = *state;
  world_plan(w, "continuing", "1, 2, 100", "");
  assert_int_equal(world_run(w), SB_EXIT_OK);
  char         *journal = text_of(w, "journal.jsonl"), *csv = text_of(w, "results.csv");
  const int64_t written = plan_written(w);
  assert_int_equal(world_run(w), SB_EXIT_OK);
  char *journal_after = text_of(w, "journal.jsonl"), *csv_after = text_of(w, "results.csv");
  assert_int_equal(plan_written(w), written);
  assert_int_equal(calls(w), 3);
  assert_string_equal(journal_after, journal);
  assert_string_equal(csv_after, csv);
  free(csv_after);
  free(journal_after);
  free(csv);
  free(journal);
}

static void torn_line_changes_nothing(void **state)
{
  world *w = *state;
  world_plan(w, "continuing", "1, 2", "");
  assert_int_equal(world_run(w), SB_EXIT_OK);
  char *journal = text_of(w, "journal.jsonl");
  append_to(w, "journal.jsonl", "{\"event\":\"publish\",\"key\":\"01234");
  assert_int_equal(world_run(w), SB_EXIT_OK);
  char *after = text_of(w, "journal.jsonl");
  assert_string_equal(after, journal);
  assert_int_equal(calls(w), 2);
  free(after);
  free(journal);
}

/* A case whose publishing line was torn off is run again: its file was not renamed yet. */
static void torn_publication_is_repeated(void **state)
{
  world *w = *state;
  world_plan(w, "continuing", "1, 2", "");
  assert_int_equal(world_run(w), SB_EXIT_OK);
  char *path = path_of(w, "journal.jsonl"), *journal = text_of(w, "journal.jsonl");
  char *file = sb_format("%s/cases/%s.h5", w->directory, w->plan->cases[1].key);
  assert_int_equal(truncate(path, (off_t)strlen(journal) - 10), 0);
  assert_int_equal(unlink(file), 0);
  assert_int_equal(world_run(w), SB_EXIT_OK);
  assert_int_equal(calls_of_seed(w, 1), 1);
  assert_int_equal(calls_of_seed(w, 2), 2);
  assert_status(w, 2, "ok", "");
  free(file);
  free(journal);
  free(path);
}

static void plans_join(void **state)
{
  world *w = *state;
  world_plan(w, "continuing", "1, 2", "");
  assert_int_equal(world_run(w), SB_EXIT_OK);
  sb_plan *part = w->plan; /* what a filter would leave */
  part->count = 1;
  assert_int_equal(world_run(w), SB_EXIT_OK);
  part->count = 2;
  sb_results *results = world_results(w);
  assert_int_equal(results->plan->count, 2);
  assert_int_equal(calls(w), 2);
}

static void edited_sweep_drops_what_it_no_longer_makes(void **state)
{
  world *w = *state;
  world_plan(w, "continuing", "1, 2, 3", "");
  assert_int_equal(world_run(w), SB_EXIT_OK);
  world_plan(w, "continuing", "2, 3, 4", "");
  assert_int_equal(world_run(w), SB_EXIT_OK);
  sb_results *results = world_results(w);
  assert_int_equal(results->plan->count, 3);
  assert_int_equal(files_in(w, "cases"), 4);
  assert_int_equal(calls(w), 4);
  assert_string_equal(results->sweep->text, w->sweep->text);
}

static void failures_stay_until_asked_for(void **state)
{
  world *w = *state;
  world_plan(w, "continuing", "1, 206, 2", "");
  assert_int_equal(world_run(w), SB_EXIT_CASES_FAILED);
  touch(w, "healed");
  assert_int_equal(world_run(w), SB_EXIT_CASES_FAILED);
  assert_int_equal(calls(w), 3);
  w->request.rerun = SB_RERUN_FAILED;
  assert_int_equal(world_run(w), SB_EXIT_OK);
  assert_int_equal(calls_of_seed(w, FAILS_UNTIL_HEALED), 2);
  assert_int_equal(calls(w), 4);
  assert_status(w, FAILS_UNTIL_HEALED, "ok", "");
}

static void everything_can_be_repeated(void **state)
{
  world *w = *state;
  world_plan(w, "continuing", "1, 2", "");
  assert_int_equal(world_run(w), SB_EXIT_OK);
  char *csv = text_of(w, "results.csv");
  w->request.rerun = SB_RERUN_ALL;
  assert_int_equal(world_run(w), SB_EXIT_OK);
  char *again = text_of(w, "results.csv");
  assert_int_equal(calls(w), 4);
  assert_int_equal(files_in(w, "cases"), 2);
  assert_true(strlen(csv) > 0 && strlen(again) > 0);
  free(again);
  free(csv);
}

static void missing_file_is_made_again(void **state)
{
  world *w = *state;
  world_plan(w, "continuing", "1, 2", "");
  assert_int_equal(world_run(w), SB_EXIT_OK);
  char *file = sb_format("%s/cases/%s.h5", w->directory, w->plan->cases[0].key);
  assert_int_equal(unlink(file), 0);
  assert_status(w, 1, "", "");
  assert_int_equal(world_run(w), SB_EXIT_OK);
  assert_int_equal(calls_of_seed(w, 1), 2);
  assert_int_equal(calls_of_seed(w, 2), 1);
  free(file);
}

static void damage_is_found_when_looked_for(void **state)
{
  world      *w = *state;
  char        error[256] = "";
  const char *path = NULL;
  world_plan(w, "continuing", "1, 2", "");
  assert_int_equal(world_run(w), SB_EXIT_OK);
  char *file = sb_format("cases/%s.h5", w->plan->cases[0].key);
  append_to(w, file, "x");
  sb_results *results = world_results(w);
  assert_false(sb_results_case_file(results, 0, results->session.arena, &path, error));
  assert_non_null(strstr(error, "damaged"));
  assert_true(sb_results_case_file(results, 1, results->session.arena, &path, error));
  assert_int_equal(world_run(w), SB_EXIT_OK);
  assert_int_equal(calls(w), 2);
  w->request.verify_hashes = true;
  assert_int_equal(world_run(w), SB_EXIT_OK);
  assert_int_equal(calls_of_seed(w, 1), 2);
  assert_int_equal(calls(w), 3);
  results = world_results(w);
  assert_true(sb_results_case_file(results, 0, results->session.arena, &path, error));
  free(file);
}

static void run_saving(world *w, const char *save, size_t calls_after)
{
  sb_diagnostics   *diagnostics = sb_diagnostics_create();
  const sb_location nowhere = {0};
  for (size_t i = 0; i < w->plan->count; ++i)
    assert_true(sb_options_set(w->plan->cases[i].options, SB_OPT_save, save, SB_FROM_USER, nowhere, diagnostics));
  sb_diagnostics_destroy(&diagnostics);
  assert_int_equal(world_run(w), SB_EXIT_OK);
  assert_int_equal(calls(w), calls_after);
}

static void saved_less_than_asked_counts_as_missing(void **state)
{
  world *w = *state;
  world_plan(w, "continuing", "1", "");
  run_saving(w, "none", 1);
  run_saving(w, "final", 2);
  run_saving(w, "none", 2);
  run_saving(w, "every:2", 3);
  run_saving(w, "every:4", 3);
  run_saving(w, "final", 3);
  run_saving(w, "every:3", 4);
}

static char *other_build(const world *w)
{
  char *copy = sb_format("%s/other_build", w->root), *command;
  command = sb_format("cp '%s' '%s' && echo >> '%s'", w->request.program, copy, copy);
  assert_int_equal(system(command), 0);
  free(command);
  return copy;
}

static void other_build_is_repeated_only_when_asked(void **state)
{
  world *w = *state;
  world_plan(w, "continuing", "1, 2", "");
  assert_int_equal(world_run(w), SB_EXIT_OK);
  char *program = other_build(w);
  w->request.program = program;
  assert_int_equal(world_run(w), SB_EXIT_OK);
  assert_int_equal(calls(w), 2);
  w->request.rerun = SB_RERUN_STALE;
  assert_int_equal(world_run(w), SB_EXIT_OK);
  assert_int_equal(calls(w), 4);
  assert_int_equal(world_run(w), SB_EXIT_OK);
  assert_int_equal(calls(w), 4);
  free(program);
}

static void is_refused_and_left_as_it_is(world *w)
{
  char *before = snapshot(w);
  assert_int_equal(world_run(w), SB_EXIT_USAGE);
  char *after = snapshot(w);
  assert_string_equal(after, before);
  free(after);
  free(before);
}

static void another_sweeps_directory_is_refused(void **state)
{
  world *w = *state;
  world_plan(w, "continuing", "1", "");
  assert_int_equal(world_run(w), SB_EXIT_OK);
  world_plan(w, "stranger", "1", "");
  is_refused_and_left_as_it_is(w);
}

static void a_sweep_that_is_none_is_refused(void **state)
{
  world *w = *state;
  world_plan(w, "continuing", "1", "");
  assert_int_equal(world_run(w), SB_EXIT_OK);
  append_to(w, "sweep.yaml", "no: [sweep\n");
  is_refused_and_left_as_it_is(w);
}

/* It is told once, and the case whose line it was is run again. */
static void damaged_line_is_settled(void **state)
{
  world *w = *state;
  world_plan(w, "continuing", "1, 2", "");
  assert_int_equal(world_run(w), SB_EXIT_OK);
  append_to(w, "journal.jsonl", "{\"event\": \"publ\n");
  assert_int_equal(world_run(w), SB_EXIT_OK);
  char *journal = text_of(w, "journal.jsonl");
  assert_non_null(strstr(journal, "\"event\":\"damage\",\"lines\":1"));
  const size_t before = strlen(journal);
  free(journal);
  assert_int_equal(world_run(w), SB_EXIT_OK);
  journal = text_of(w, "journal.jsonl");
  assert_null(strstr(journal + before, "damage"));
  assert_int_equal(calls(w), 2);
  free(journal);
}

static void another_format_is_refused(void **state)
{
  world *w = *state;
  world_plan(w, "continuing", "1", "");
  assert_int_equal(world_run(w), SB_EXIT_OK);
  char *command = sb_format("sed -i 's/\"springbench\": *1/\"springbench\": 2/' '%s/plan.json'", w->directory);
  assert_int_equal(system(command), 0);
  char *before = snapshot(w);
  assert_int_equal(world_run(w), SB_EXIT_USAGE);
  char *after = snapshot(w);
  assert_string_equal(after, before);
  free(after);
  free(before);
  free(command);
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
  assert_int_equal(world_run(w), SB_EXIT_OK);
  assert_int_not_equal(access(w->directory, F_OK), 0);
  assert_int_equal(calls(w), 0);
}

/* Shards of a plan are disjoint and together all of it. */
static void shards_make_the_whole(void **state)
{
  world *w = *state;
  world_plan(w, "continuing", "1, 2, 3, 4, 5", "");
  w->request.shards = 2;
  w->request.shard = 1;
  assert_int_equal(world_run(w), SB_EXIT_OK);
  assert_int_equal(calls(w), 3);
  w->request.shard = 2;
  assert_int_equal(world_run(w), SB_EXIT_OK);
  assert_int_equal(calls(w), 5);
  assert_int_equal(files_in(w, "cases"), 5);
  sb_results *results = world_results(w);
  assert_int_equal(results->plan->count, 5);
}

static void excluded_cases_are_rows(void **state)
{
  world *w = *state;
  world_plan(w, "continuing", "1, 2", "exclude:\n  - {when: seed == 2, because: it is known}\n");
  assert_int_equal(world_run(w), SB_EXIT_OK);
  assert_int_equal(calls(w), 1);
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
      TEST(torn_publication_is_repeated),
      TEST(plans_join),
      TEST(edited_sweep_drops_what_it_no_longer_makes),
      TEST(failures_stay_until_asked_for),
      TEST(everything_can_be_repeated),
      TEST(missing_file_is_made_again),
      TEST(damage_is_found_when_looked_for),
      TEST(saved_less_than_asked_counts_as_missing),
      TEST(other_build_is_repeated_only_when_asked),
      TEST(another_sweeps_directory_is_refused),
      TEST(a_sweep_that_is_none_is_refused),
      TEST(damaged_line_is_settled),
      TEST(another_format_is_refused),
      TEST(directory_of_other_things_is_refused),
      TEST(dry_run_touches_nothing),
      TEST(shards_make_the_whole),
      TEST(excluded_cases_are_rows),
      TEST(strict_refuses_petsc_options),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
