/* What is said of the values a claim turned on: all of a few, the span or the counts of many, and never more than fits.
 */
#include <stdlib.h>
#include <string.h>

#include "harness/sweep/expression_check.h"
#include "tests/cmocka_all.h"

enum { ROWS = 12 };

static sb_arena *arena; /* of all tests */

static void put(sb_rows *rows, size_t row, const char *column, sb_value value)
{
  sb_rows_set(rows, row, sb_rows_add_column(rows, column, "", true, false), value);
}

/* n 1 to 12; t = 10 n, blank in the last two; a status of three kinds; an answer that is true, false and blank. */
static int make_rows(void **state)
{
  sb_rows *rows = sb_rows_create(arena);
  for (size_t i = 0; i < ROWS; ++i) {
    const char *const status[] = {"ok", "diverged", "timeout"};
    sb_rows_add_row(rows);
    put(rows, i, "n", (sb_value){.kind = SB_NUMBER, .number = 1 + (double)i});
    if (i < ROWS - 2) put(rows, i, "t", (sb_value){.kind = SB_NUMBER, .number = 10 + 10 * (double)i});
    put(rows, i, "status", (sb_value){.kind = SB_WORD, .word = status[i < 7 ? 0 : i < 11 ? 1 : 2]});
    if (i < 9) put(rows, i, "met", (sb_value){.kind = SB_TRUTH, .truth = i % 3 == 0});
    put(rows, i, "none", (sb_value){.kind = SB_BLANK});
  }
  *state = rows;
  return 0;
}

static void expect_shown(const sb_rows *rows, const char *text, const char *expected)
{
  sb_grounds      grounds = {0};
  bool            truth = false;
  const sb_scope  scope = {.rows = rows};
  sb_diagnostics *d = sb_diagnostics_create();
  sb_expression  *e = sb_expression_parse(text, (sb_location){"t", 1, 1}, arena, d);
  if (!e) fail_msg("%s: %s", text, sb_diagnostics_message(d, 0));
  if (!sb_expression_claim(e, &scope, &truth, &grounds, d)) fail_msg("%s: %s", text, sb_diagnostics_message(d, 0));
  assert_string_equal(grounds.shown, expected);
  sb_diagnostics_destroy(&d);
}

static void many_numbers_are_a_span(void **state)
{
  expect_shown(*state, "n > 0", "n = 1 … 12 (12 values)");
  expect_shown(*state, "t > 0", "t = 10 … 100 (10 values), (blank) (2)");
  expect_shown(*state, "t / n == 10", "t / n = 10 … 10 (10 values), (blank) (2)");
}

static void many_words_are_counted(void **state)
{
  expect_shown(*state, "status in [ok, diverged]", "status = ok (7), diverged (4), timeout (1)");
  expect_shown(*state, "met == true", "met = true (3), false (6), (blank) (3)");
  expect_shown(*state, "none == 1", "none = (blank) (12)");
}

static void few_values_are_all_said(void **state)
{
  expect_shown(*state, "t[n=3] < t[n=5] and t[n=12] == 3", "t by n: 30 (3), 50 (5), (blank) (12)");
  expect_shown(*state, "status[n=3,\n    met=false] == ok", "status by n, met: ok (3, false)");
  expect_shown(*state, "met[n=1] == true and met[n=2] == true", "met by n: true (1), false (2)");
  expect_shown(*state, "max(n) == 12 and max(n) == 12 and min(n) == 1", "max(n) = 12; min(n) = 1");
  expect_shown(*state, "1 == 1 and -2 < 3", "");
}

/* What does not fit is cut between characters, and says so. */
static void a_long_text_is_cut(void **state)
{
  char   text[1600] = "";
  size_t length = 0;
  for (int i = 0; i < 32; ++i)
    length += (size_t)snprintf(text + length, sizeof text - length, "%sn + %d > 0", i ? " and " : "", i + 10);
  for (int pad = 0; pad < 4; ++pad) { /* the cut falls on each byte of a sign of three */
    sb_grounds      grounds = {0};
    char           *padded = malloc(sizeof text + 32);
    bool            truth = false;
    const sb_scope  scope = {.rows = *state};
    sb_diagnostics *d = sb_diagnostics_create();
    snprintf(padded, sizeof text + 32, "n + %.*s > 0 and %s", pad + 1, "1111", text);
    sb_expression *e = sb_expression_parse(padded, (sb_location){"t", 1, 1}, arena, d);
    assert_non_null(e);
    assert_true(sb_expression_claim(e, &scope, &truth, &grounds, d));
    const size_t shown = strlen(grounds.shown);
    assert_in_range(shown, sizeof grounds.shown - 4, sizeof grounds.shown - 1);
    assert_string_equal(grounds.shown + shown - 4, " …");
    assert_true(sb_is_printable(grounds.shown));
    assert_memory_equal(grounds.shown, "n + 1", 5);
    sb_diagnostics_destroy(&d);
    free(padded);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(many_numbers_are_a_span),
      cmocka_unit_test(many_words_are_counted),
      cmocka_unit_test(few_values_are_all_said),
      cmocka_unit_test(a_long_text_is_cut),
  };
  arena = sb_arena_create();
  const int failed = cmocka_run_group_tests(tests, make_rows, NULL);
  sb_arena_destroy(&arena);
  return failed;
}
