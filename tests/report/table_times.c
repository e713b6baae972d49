/* Times in tables: what the noise floor decides, and how noisy ones are marked. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cmocka_all.h"
#include "tests/report/world.h"

static const char timed_yaml[] =
    "tables: [{id: t, rows: substeps, columns: [{value: 1000 * step_median_s, label: step, best: smallest}, "
    "{value: cost, best: smallest}]}]\n";

/* Two cases 9 % apart, in a time and in a number that is none. The second was noisy. */
static world *timed_world(double spread, char *words)
{
  world *w = world_create(timed_yaml);
  world_column(w, "step_median_s", "s", false, true);
  world_column(w, "noisy", "", false, true);
  w->results.floor = (sb_noise_floor){.timings = 7, .spread = spread, .words = words};
  for (int i = 0; i < 2; ++i)
    world_row(w, "status", word("ok"), "substeps", number(i), "step_median_s", number(i ? 0.00109 : 0.001), "cost",
              number(i ? 1.09 : 1.0), "noisy", i ? word("waited 9 % for its core") : blank(), NULL);
  return w;
}

/* Of times alone. */
static void the_noise_floor_decides_ties_of_times(void **state)
{
  (void)state;
  for (int known = 0; known < 2; ++known) {
    char   words[] = "noise floor 10 %: of a test";
    world *w = timed_world(known ? 0.1 : NAN, known ? words : NULL);
    char  *text = world_table(w, SB_MARKDOWN_TABLE);
    assert_non_null(strstr(text, "| 0 | **1.00** | **1.00** |"));
    assert_non_null(strstr(text, known ? "| 1 | **1.09** ‡ | 1.09 |" : "| 1 | 1.09 ‡ | 1.09 |"));
    assert_non_null(
        strstr(text, known ? "\nTimes: noise floor 10 %: of a test\n" : "\nTimes: no noise floor: no case was"));
    assert_non_null(strstr(text, "\n‡: timed while the machine was noisy"));
    free(text);
    world_destroy(&w);
  }
}

static void noisy_times_are_marked_in_every_form(void **state)
{
  (void)state;
  static const struct {
    sb_table_format format;
    const char     *mark, *floor;
  } forms[] = {{SB_TEXT_TABLE, "1.09*~", "\nTimes: noise floor 10 %: of a test\n"},
               {SB_LATEX_TABLE, "\\textbf{\\boldmath 1.09}$^\\ddagger$", "booktabs}\n% Times: noise floor 10 %: of a test\n\\begin{table}"}};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) {
    char   words[] = "noise floor 10 %: of a test";
    world *w = timed_world(0.1, words);
    char  *text = world_table(w, forms[i].format);
    assert_non_null(strstr(text, forms[i].mark));
    assert_non_null(strstr(text, forms[i].floor));
    free(text);
    world_destroy(&w);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_noise_floor_decides_ties_of_times),
      cmocka_unit_test(noisy_times_are_marked_in_every_form),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
