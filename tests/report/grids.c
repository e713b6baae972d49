/* A table that knows nothing of results, in its forms. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/report/table.h"
#include "tests/cmocka_all.h"

static void expect(const sb_table *table, sb_table_form form, const char *expected)
{
  char  *text = NULL;
  size_t length = 0;
  FILE  *stream = sb_text_stream(&text, &length);
  sb_table_print(table, form, stream);
  fclose(stream);
  assert_string_equal(text, expected);
  free(text);
}

static void cells_stand_under_their_headings(void **state)
{
  (void)state;
  sb_arena *arena = sb_arena_create();
  sb_table *t = sb_table_create(arena);
  sb_table_add_column(t, "method", "", false);
  sb_table_add_column(t, "time", "µs", true);
  sb_table_add_column(t, "what else", "", false);
  t->stub_count = 1;
  t->means[0] = "smallest of its column";
  t->means[2] = "taken while the machine was noisy";
  sb_table_add_row(t);
  sb_table_put(t, "Störmer_Verlet");
  sb_table_put_number(t, 1.0 / 3, 2)->marks = SB_MARK_BEST | SB_MARK_NOISY;
  sb_table_put(t, "a|b")->markdown = "[a](b.md)";
  sb_table_add_row(t);
  sb_table_put_format(t, "%s %d", "rk", 4);
  sb_table_put_number(t, NAN, SB_DIGITS);
  sb_table_put(t, "");
  sb_table_add_note(t, SB_NOTE_TITLE, "", "Two methods");
  sb_table_add_note(t, SB_NOTE_BELOW, "Source:", "a *test*");
  sb_table_add_note(t, SB_NOTE_BELOW, "Nothing:", "");
  expect(t, SB_TABLE_TEXT,
         "Two methods\n"
         "\n"
         "method          time (µs)    what else\n"
         "--------------------------------------\n"
         "Störmer_Verlet       0.33*~  a|b\n"
         "rk 4                    -\n"
         "--------------------------------------\n"
         "* smallest of its column\n"
         "~ taken while the machine was noisy\n"
         "Source: a *test*\n");
  expect(t, SB_TABLE_MARKDOWN,
         "**Two methods**\n"
         "\n"
         "| method | time (µs) | what else |\n"
         "|:---|---:|:---|\n"
         "| Störmer_Verlet | **0.33** ‡ | [a](b.md) |\n"
         "| rk 4 | – |  |\n"
         "\n"
         "Bold: smallest of its column.\n"
         "\n"
         "‡: taken while the machine was noisy.\n"
         "\n"
         "Source: a \\*test\\*\n"
         "\n");
  expect(t, SB_TABLE_CSV,
         "method,time (µs),what else\n"
         "Störmer_Verlet,0.3333333333333333,a|b\n"
         "rk 4,,\n");
  sb_arena_destroy(&arena);
}

/* As lists of names and sentences are shown. */
static void without_headings_there_are_no_rules(void **state)
{
  (void)state;
  sb_arena *arena = sb_arena_create();
  sb_table *t = sb_table_create(arena);
  sb_table_add_column(t, "", "", false);
  sb_table_add_column(t, "", "", false);
  t->indent = 2;
  t->wrap = true;
  expect(t, SB_TABLE_TEXT, "  none\n");
  sb_table_add_row(t);
  sb_table_put(t, "cloth");
  sb_table_put(t, "a square sheet of vertices that hangs by two of its corners and that falls, and swings, "
                  "until nothing moves");
  sb_table_add_row(t);
  sb_table_put(t, "a rope");
  expect(t, SB_TABLE_TEXT,
         "  cloth   a square sheet of vertices that hangs by two of its corners and that falls, and swings,\n"
         "          until nothing moves\n"
         "  a rope  -\n");
  sb_arena_destroy(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cells_stand_under_their_headings),
      cmocka_unit_test(without_headings_there_are_no_rules),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
