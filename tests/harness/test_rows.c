/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows in memory: columns found by name, words copied, blanks where nothing was set. And limits as people write them.
 */
#include <string.h>

#include "cases/common/text.h"
#include "harness/sweep/rows.h"
#include "tests/harness/plan_of.h"

static void test_cells(void)
{
  sb_rows     *rows = sb_rows_create(test_arena());
  const size_t drag = sb_rows_add_column(rows, "drag", "kg/s", true, false);
  const size_t status = sb_rows_add_column(rows, "status", "", false, false);
  char         word[] = "ok";
  assert_int_equal(sb_rows_add_column(rows, "drag", "", false, false), drag);
  assert_int_equal(sb_rows_column_count(rows), 2);
  for (size_t i = 0; i < 5; ++i) assert_int_equal(sb_rows_add_row(rows), i);
  sb_rows_set(rows, 3, drag, (sb_value){.kind = SB_NUMBER, .number = 0.5});
  sb_rows_set(rows, 3, status, (sb_value){.kind = SB_WORD, .word = word});
  memcpy(word, "no", 2);
  assert_string_equal(sb_rows_get(rows, 3, status).word, "ok");
  sb_rows_set(rows, 3, status, sb_rows_get(rows, 3, status));
  assert_string_equal(sb_rows_get_named(rows, 3, "status").word, "ok");
  assert_true(sb_rows_get_named(rows, 3, "drag").number == 0.5);
  assert_int_equal(sb_rows_get(rows, 4, drag).kind, SB_BLANK);
  assert_int_equal(sb_rows_get(rows, 0, status).kind, SB_BLANK);
  assert_int_equal(sb_rows_get_named(rows, 3, "nothing").kind, SB_BLANK);
  assert_string_equal(sb_rows_column_at(rows, drag)->unit, "kg/s");
  sb_rows_set(rows, 3, status, (sb_value){.kind = SB_BLANK});
  assert_int_equal(sb_rows_get(rows, 3, status).kind, SB_BLANK);
}

/* Rows are found by what they have now, and times by their units. */
static void test_lookups(void)
{
  static const struct {
    const char *unit;
    bool        is_timing, is_time;
  } columns[] = {{"s", true, true}, {"1/s", true, true}, {"B/s", true, true}, {"B", true, false}, {"s", false, false}};
  sb_rows       *rows = sb_rows_create(test_arena());
  const size_t   drag = sb_rows_add_column(rows, "drag", "kg/s", true, false);
  const sb_value one = {.kind = SB_NUMBER, .number = 1}, two = {.kind = SB_NUMBER, .number = 2};
  size_t         found = 0;
  for (size_t i = 0; i < 3; ++i) sb_rows_set(rows, sb_rows_add_row(rows), drag, i == 1 ? two : one);
  assert_int_equal(*sb_rows_having(rows, &drag, &two, 1, &found), 1);
  assert_int_equal(found, 1);
  sb_rows_set(rows, 2, drag, two);
  sb_rows_set(rows, 1, drag, one);
  assert_int_equal(*sb_rows_having(rows, &drag, &two, 1, &found), 2);
  assert_int_equal(found, 1);
  for (size_t i = 0; i < sizeof columns / sizeof *columns; ++i)
    assert_true(sb_rows_column_is_time(&(sb_rows_column){.unit = (char *)columns[i].unit,
                                                         .is_timing = columns[i].is_timing}) == columns[i].is_time);
}

static void test_limits(void)
{
  static const struct {
    const char *text;
    double      seconds, bytes; /* 0: refused */
  } cases[] = {{"90s", 90, 0},      {"2m", 120, 0},       {"1.5h", 5400, 0},
               {"1d", 86400, 0},    {"7", 7, 7},          {"4G", 0, 0x1p32},
               {"512M", 0, 0x1p29}, {"0.5K", 0, 512},     {"1T", 0, 0x1p40},
               {"", 0, 0},          {"m", 0, 0},          {"-2m", 0, 0},
               {"0s", 0, 0},        {"2 m", 0, 0},        {"2mm", 0, 0},
               {"1/2m", 0, 0},      {"nan", 0, 0},        {"1,5h", 0, 0},
               {"1m30s", 90, 0},    {"1h0.5m", 3630, 0},  {"1d2h3m4s", 93784, 0},
               {"1m30", 0, 0},      {"30s1m", 0, 0},      {"1m1m", 0, 0},
               {"1m 30s", 0, 0},    {"4GiB", 0, 0x1p32},  {"0.5KiB", 0, 512},
               {"4GB", 0, 0},       {"4iB", 0, 0},        {"GiB", 0, 0},
               {"1m-1s", 0, 0},     {"4GiBs", 0, 0},      {"1e3s", 1000, 0},
               {"1e308d", 0, 0},    {"1e18", 1e18, 1e18}, {"1.1e18", 1.1e18, 0},
               {"1e30GiB", 0, 0},   {"0.9", 0.9, 0},      {"0.0001K", 0, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    double value = 0;
    assert_int_equal(sb_parse_duration(cases[i].text, &value), cases[i].seconds > 0);
    assert_true(value == cases[i].seconds);
    value = 0;
    assert_int_equal(sb_parse_bytes(cases[i].text, &value), cases[i].bytes > 0);
    assert_true(value == cases[i].bytes);
  }
}

int main(void) { return RUN_TESTS_WITHIN(NULL, end_sessions, test_cells, test_lookups, test_limits); }
