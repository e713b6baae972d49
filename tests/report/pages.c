/* The index page: what is there, what is none, and what cannot be read. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/report/report_text.h"
#include "tests/cmocka_all.h"
#include "tests/report/world.h"
#include "tests/store/faults.h"

/* The page of a folder, in a session of its own. */
static sb_page_outcome write_index(const char *parent)
{
  sb_session            session = sb_session_begin(NULL, NULL);
  const sb_page_outcome outcome = sb_index_page_write(sb_results_folders_open(&session, parent, NULL, 0));
  sb_session_end(&session, NULL);
  return outcome;
}

static void nothing_there(void **state)
{
  (void)state;
  world *w = world_create("");
  assert_true(write_index(w->directory));
  char *page = world_read(w, "index.md");
  assert_string_equal(page, SB_PAGE_MARK "\n\n# Results\n\nThere are none yet.\n");
  free(page);
  world_destroy(&w);
}

/* A folder that looks like results and is not is named; folders that do not look like them are looked into, no more. */
static void a_broken_directory_is_named(void **state)
{
  (void)state;
  world *w = world_create("");
  char  *command = sb_format("cd '%s' && mkdir -p 'deep/bad_one' published .hidden && "
                              "echo nonsense > deep/bad_one/sweep.yaml "
                              "&& echo {} > deep/bad_one/plan.json && cp -r deep/bad_one .hidden/other && ln -s . loop",
                             w->directory);
  assert_int_equal(system(command), 0);
  assert_true(write_index(w->directory));
  char *page = world_read(w, "index.md");
  assert_non_null(strstr(page, "## deep/bad_one\n\ncannot be read: "));
  assert_null(strstr(page, "other"));
  assert_null(strstr(page, "loop"));
  assert_null(strstr(page, "published\n"));
  free(page);
  free(command);
  world_destroy(&w);
}

static void a_parent_that_is_not_there_is_an_error(void **state)
{
  (void)state;
  assert_false(write_index("/no/such/folder"));
}

/* What a user keeps under the names of our pages stays as it is, and is told of; our own page is written anew. */
static void a_file_of_the_users_is_left(void **state)
{
  (void)state;
  world *w = world_create("");
  char  *path = sb_format("%s/index.md", w->directory);
  FILE  *file = fopen(path, "w");
  assert_non_null(file);
  fputs("# My thesis\n", file);
  fclose(file);
  assert_false(sb_index_page_is_wanted(w->directory));
  fault_listen();
  const sb_page_outcome outcome = write_index(w->directory);
  char                 *said = fault_heard(), *page = world_read(w, "index.md");
  assert_int_equal(outcome, SB_PAGE_LEFT);
  assert_string_equal(page, "# My thesis\n");
  assert_non_null(strstr(said, "index.md was not made by springbench and is left as it is"));
  assert_int_equal(unlink(path), 0);
  assert_int_equal(write_index(w->directory), SB_PAGE_WRITTEN);
  assert_int_equal(write_index(w->directory), SB_PAGE_WRITTEN);
  assert_true(sb_index_page_is_wanted(w->directory));
  assert_true(sb_index_page_is_wanted("/no/such/results"));
  free(page);
  free(said);
  free(path);
  world_destroy(&w);
}

/* A folder that is not ours to write in is no failure; a full disk is one. */
static void a_folder_that_may_not_be_written(void **state)
{
  static const int errors[] = {EACCES, EPERM, EROFS, ENOSPC};
  (void)state;
  for (size_t i = 0; i < sizeof errors / sizeof *errors; ++i) {
    world *w = world_create("");
    fault_listen();
    fault_arm(0, 0);
    fault_always("open", errors[i]);
    const sb_page_outcome outcome = write_index(w->directory);
    fault_disarm();
    char *said = fault_heard();
    assert_int_equal(outcome, errors[i] == ENOSPC ? SB_PAGE_FAILED : SB_PAGE_LEFT);
    assert_true((strstr(said, "note: ") && strstr(said, "index.md may not be written here")) == (errors[i] != ENOSPC));
    free(said);
    world_destroy(&w);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_there),
      cmocka_unit_test(a_broken_directory_is_named),
      cmocka_unit_test(a_parent_that_is_not_there_is_an_error),
      cmocka_unit_test(a_file_of_the_users_is_left),
      cmocka_unit_test(a_folder_that_may_not_be_written),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
