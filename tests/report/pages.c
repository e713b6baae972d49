/* The index page: what is there, what is none, and what cannot be read. */
#include <stdlib.h>
#include <string.h>

#include "harness/report/report_text.h"
#include "tests/cmocka_all.h"
#include "tests/report/world.h"

static const sb_driver_list no_drivers = {NULL, 0};

static void nothing_there(void **state)
{
  (void)state;
  world *w = world_create("");
  assert_true(sb_index_page_write(w->directory, NULL, &no_drivers));
  char *page = world_read(w, "index.md");
  assert_string_equal(page, "# Results\n\nThere are none yet.\n");
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
  assert_true(sb_index_page_write(w->directory, NULL, &no_drivers));
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
  assert_false(sb_index_page_write("/no/such/folder", NULL, &no_drivers));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(nothing_there),
    cmocka_unit_test(a_broken_directory_is_named),
    cmocka_unit_test(a_parent_that_is_not_there_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
