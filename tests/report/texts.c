/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pieces of text: digits of numbers, formats and names that are safe, words for how cases end. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/words.h"
#include "cases/common/durable.h"
#include "cases/common/csv.h"
#include "harness/report/report_text.h"
#include "tests/cmocka_all.h"
#include "tests/report/world.h"

/* Rounded to their digits; with 0 digits all that tell them from their neighbours. */
static void numbers_have_their_digits(void)
{
  static const struct {
    double      number;
    int         digits;
    const char *text;
  } rows[] = {{42.3456, 3, "42.3"},        {4, 3, "4.00"},        {181.4, 3, "181"},  {1812, 3, "1810"},
              {-0.0012, 3, "-0.00120"},    {0.99996, 3, "1.00"},  {9.996, 3, "10.0"}, {1.234e-7, 2, "1.2e-7"},
              {6.02e23, 3, "6.02e23"},     {1e-300, 1, "1e-300"}, {0, 3, "0"},        {1024, 0, "1024"},
              {123456789, 0, "123456789"}, {0.1, 0, "0.1"},       {-0.0, 0, "0"}};
  char text[SB_NUMBER_TEXT];
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    assert_string_equal(rows[i].digits > 0 ? sb_text_rounded(rows[i].number, rows[i].digits, text)
                                           : sb_text_exact(rows[i].number, text),
                        rows[i].text);
  assert_true(strtod(sb_text_exact(1.0 / 3, text), NULL) == 1.0 / 3);
}

static void short_numbers(void)
{
  static const struct {
    double      number;
    int         digits;
    const char *text;
  } rows[] = {{16000, 4, "16000"},
              {10001, 4, "10001"},
              {0.99995, 4, "0.99995"},
              {1.0 / 30, 4, "0.03333"},
              {1.0 / 30, 6, "0.0333333"},
              {0.1 + 0.2, 4, "0.3"},
              {1e7, 4, "1e7"},
              {12345678, 4, "12345678"},
              {12345.678901, 4, "12345.7"},
              {0.999999991234, 4, "0.99999999"},
              {3 + 4e-16, 4, "3"},
              {1.5e-7, 4, "1.5e-7"},
              {-0.25, 4, "-0.25"},
              {0, 4, "0"},
              {1e300, 4, "1e300"}};
  char text[SB_NUMBER_TEXT];
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    assert_string_equal(sb_text_short(rows[i].number, rows[i].digits, text), rows[i].text);
}

static void formats_of_one_number_only(void)
{
  static const char *const good[] = {"%.3g", "%8.2f", "%g %%", "%-+ #0e", "about %G s"};
  static const char *const bad[] = {"",       "%s",   "%n",  "%d",  "%g %g", "%",   "%%",   "%*g",
                                    "%.999g", "%1$g", "%lg", "%Lg", "x",     "%.3", "%gg%s"};
  for (size_t i = 0; i < sizeof good / sizeof *good; ++i) assert_true(sb_text_is_number_format(good[i]));
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) assert_false(sb_text_is_number_format(bad[i]));
}

/* LaTeX has no straight quotation marks: a mark in front of a word becomes an opening one. */
static void quotation_marks_open_and_close(void)
{
  char *text = written(sb_text_put_latex, "\"ok\" and (\"n/a\"), h = \"1\".");
  assert_string_equal(text, "``ok'' and (``n/a''), h = ``1''.");
  free(text);
}

static void names_that_may_be_files(void)
{
  static const char *const bad[] = {
      "",    ".hidden", "-e",  "a/b", "..",   "a b",
      "a'b", "a`b",     "a$b", "ä",   "a\nb", "0123456789012345678901234567890123456789012345678901234567890123x"};
  assert_true(sb_text_is_safe_name("rope_blowup-2.gp"));
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) assert_false(sb_text_is_safe_name(bad[i]));
}

static void every_status_has_a_short_word(void)
{
  for (size_t i = 0; i < SB_STATUS_COUNT; ++i) {
    const char *text = sb_status_short(word(sb_status_name((sb_status)i)));
    assert_non_null(text);
    assert_true(strlen(text) <= 11 && strcmp(text, "not run") != 0);
  }
  assert_string_equal(sb_status_short(word("not_converged")), "not conv.");
  assert_string_equal(sb_status_short(blank()), "not run");
}

/* A set of endings is told in one order, whole and in words. */
static void endings_are_told_as_a_set(void)
{
  static const char *const statuses[] = {"oom", "not_spd", "ok", "diverged"};
  world                   *w = world_create("");
  unsigned                 endings = 0;
  for (size_t row = 0; row <= 4; ++row) {
    world_row(w, "status", row < 4 ? word(statuses[row]) : blank(), NULL);
    if (row != 2) endings |= sb_report_ending(&w->results, row);
  }
  assert_int_equal(sb_report_ending(&w->results, 2), SB_ENDED_OK);
  assert_string_equal(sb_spelled_endings(w->results.session.arena, endings),
                      "diverged, not SPD, out of memory, not run");
  world_destroy(&w);
}

/* Runs beside each other end together and write the page they share: who reads it sees one of them whole. */
static void pages_written_at_once_do_not_mix(void)
{
  enum { LENGTH = 1 << 20, TIMES = 20 };
  world      *w = world_create("");
  int         status = -1;
  char       *text = sb_arena_take(w->results.session.arena, LENGTH + 1, 1);
  const pid_t other = fork();
  memset(text, other == 0 ? 'a' : 'b', LENGTH);
  for (int i = 0; i < TIMES; ++i) {
    assert_true(sb_report_write(world_path(w, "index.md"), text));
    const char *read = world_read(w, "index.md");
    const bool  whole = strlen(read) == LENGTH && strspn(read, "a") % LENGTH == 0;
    if (other == 0 && !whole) _exit(1);
    assert_true(whole);
  }
  if (other == 0) _exit(0);
  assert_int_equal(waitpid(other, &status, 0), other);
  assert_int_equal(status, 0);
  world_destroy(&w);
}

/* A file that a process of this host left aside is removed once the process has ended; a file of another host may still
 * be being written. */
static void what_the_killed_left_aside_is_removed(void)
{
  char   host[64], name[160];
  world *w = world_create("");
  fflush(NULL);
  const pid_t gone = fork();
  if (gone == 0) _exit(0);
  assert_int_equal(waitpid(gone, NULL, 0), gone);
  snprintf(name, sizeof name, ".index.md.%s.%ld.part", sb_host_name(host), (long)gone);
  const char *left = world_path(w, name), *theirs = world_path(w, ".index.md.elsewhere.1.part");
  assert_true(sb_report_write(left, "") && sb_report_write(theirs, "") &&
              sb_report_write(world_path(w, "index.md"), ""));
  assert_int_not_equal(access(left, F_OK), 0);
  assert_int_equal(access(theirs, F_OK), 0);
  world_destroy(&w);
}

/* RFC 4180. */
static void cells_are_quoted(void)
{
  static const char *const texts[][2] = {
      {"a b", "a b"}, {"a,b", "\"a,b\""}, {"a\"b", "\"a\"\"b\""}, {"a\nb", "\"a\nb\""}, {"a\rb", "\"a\rb\""}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
    char *text = written(sb_csv_put, texts[i][0]);
    assert_string_equal(text, texts[i][1]);
    free(text);
  }
}

static void counts_and_lists_in_words(void)
{
  sb_arena *arena = sb_arena_create();
  sb_names  names = {0};
  assert_string_equal(sb_counted(arena, 0, "case"), "0 cases");
  assert_string_equal(sb_counted(arena, 1, "case"), "1 case");
  assert_string_equal(sb_by_count(1, "is", "are"), "is");
  assert_string_equal(sb_by_count(2, "is", "are"), "are");
  assert_string_equal(sb_names_join(arena, &names, ", ", 3), "");
  for (size_t i = 0; i < 4; ++i) sb_names_add(arena, &names, (const char *const[]){"a", "b", "a", "c"}[i]);
  assert_string_equal(sb_names_join(arena, &names, ", ", 3), "a, b, c");
  assert_string_equal(sb_names_join(arena, &names, "; ", 2), "a; b; … (3)");
  sb_arena_destroy(&arena);
}

TEST_MAIN(counts_and_lists_in_words, cells_are_quoted, numbers_have_their_digits, short_numbers,
          formats_of_one_number_only, quotation_marks_open_and_close, names_that_may_be_files,
          every_status_has_a_short_word, endings_are_told_as_a_set, pages_written_at_once_do_not_mix,
          what_the_killed_left_aside_is_removed)
