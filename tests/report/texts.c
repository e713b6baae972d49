/* Pieces of text: digits of numbers, formats and names that are safe, words for how cases end. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/common/durable.h"
#include "harness/report/report_text.h"
#include "tests/cmocka_all.h"
#include "tests/report/world.h"

static void expect_rounded(double number_given, int digits, const char *expected)
{
  char text[SB_NUMBER_TEXT];
  assert_string_equal(sb_text_rounded(number_given, digits, text), expected);
}

static void numbers_are_rounded_to_their_digits(void **state)
{
  (void)state;
  expect_rounded(42.3456, 3, "42.3");
  expect_rounded(4, 3, "4.00");
  expect_rounded(181.4, 3, "181");
  expect_rounded(1812, 3, "1810");
  expect_rounded(-0.0012, 3, "-0.00120");
  expect_rounded(0.99996, 3, "1.00");
  expect_rounded(9.996, 3, "10.0");
  expect_rounded(1.234e-7, 2, "1.2e-7");
  expect_rounded(6.02e23, 3, "6.02e23");
  expect_rounded(1e-300, 1, "1e-300");
  expect_rounded(0, 3, "0");
}

static void expect_exact(double number_given, const char *expected)
{
  char text[SB_NUMBER_TEXT];
  assert_string_equal(sb_text_exact(number_given, text), expected);
}

static void exact_numbers_keep_every_digit(void **state)
{
  (void)state;
  expect_exact(1024, "1024");
  expect_exact(123456789, "123456789");
  expect_exact(0.1, "0.1");
  expect_exact(-0.0, "0");
  char text[SB_NUMBER_TEXT];
  assert_true(strtod(sb_text_exact(1.0 / 3, text), NULL) == 1.0 / 3);
}

static void formats_of_one_number_only(void **state)
{
  static const char *const good[] = {"%.3g", "%8.2f", "%g %%", "%-+ #0e", "about %G s"};
  static const char *const bad[] = {"",       "%s",   "%n",  "%d",  "%g %g", "%",   "%%",   "%*g",
                                    "%.999g", "%1$g", "%lg", "%Lg", "x",     "%.3", "%gg%s"};
  (void)state;
  for (size_t i = 0; i < sizeof good / sizeof *good; ++i) assert_true(sb_text_is_number_format(good[i]));
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) assert_false(sb_text_is_number_format(bad[i]));
}

static void names_that_may_be_files(void **state)
{
  static const char *const bad[] = {
      "",    ".hidden", "-e",  "a/b", "..",   "a b",
      "a'b", "a`b",     "a$b", "ä",   "a\nb", "0123456789012345678901234567890123456789012345678901234567890123x"};
  (void)state;
  assert_true(sb_text_is_safe_name("rope_blowup-2.gp"));
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) assert_false(sb_text_is_safe_name(bad[i]));
}

static void every_status_has_a_short_word(void **state)
{
  (void)state;
  for (size_t i = 0; i < SB_STATUS_COUNT; ++i) {
    const char *text = sb_status_short(word(sb_status_name((sb_status)i)));
    assert_non_null(text);
    assert_true(strlen(text) <= 11 && strcmp(text, "not run") != 0);
  }
  assert_string_equal(sb_status_short(word("not_converged")), "not conv.");
  assert_string_equal(sb_status_short(blank()), "not run");
}

/* Runs beside each other end together and write the page they share: who reads it sees one of them whole. */
static void pages_written_at_once_do_not_mix(void **state)
{
  enum { LENGTH = 1 << 20, TIMES = 20 };
  (void)state;
  world      *w = world_create("");
  int         status = -1;
  char       *path = sb_format("%s/index.md", w->directory), *text = sb_allocate(LENGTH + 1, 1);
  const pid_t other = fork();
  memset(text, other == 0 ? 'a' : 'b', LENGTH);
  for (int i = 0; i < TIMES; ++i) {
    assert_true(sb_report_write(path, text));
    char      *read = world_read(w, "index.md");
    const bool whole = strlen(read) == LENGTH && strspn(read, "a") % LENGTH == 0;
    if (other == 0 && !whole) _exit(1);
    assert_true(whole);
    free(read);
  }
  if (other == 0) _exit(0);
  assert_int_equal(waitpid(other, &status, 0), other);
  assert_int_equal(status, 0);
  free(text);
  free(path);
  world_destroy(&w);
}

/* What a process of this host left aside goes when it is no more; what another host's left may still be written. */
static void what_the_killed_left_aside_is_removed(void **state)
{
  char host[64];
  (void)state;
  world *w = world_create("");
  fflush(NULL);
  const pid_t gone = fork();
  if (gone == 0) _exit(0);
  assert_int_equal(waitpid(gone, NULL, 0), gone);
  char *left = sb_format("%s/.index.md.%s.%ld.part", w->directory, sb_host_name(host), (long)gone);
  char *theirs = sb_format("%s/.index.md.elsewhere.%ld.part", w->directory, (long)gone);
  char *path = sb_format("%s/index.md", w->directory);
  assert_true(sb_report_write(left, "") && sb_report_write(theirs, "") && sb_report_write(path, ""));
  assert_int_not_equal(access(left, F_OK), 0);
  assert_int_equal(access(theirs, F_OK), 0);
  free(path);
  free(theirs);
  free(left);
  world_destroy(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_are_rounded_to_their_digits),
      cmocka_unit_test(exact_numbers_keep_every_digit),
      cmocka_unit_test(formats_of_one_number_only),
      cmocka_unit_test(names_that_may_be_files),
      cmocka_unit_test(every_status_has_a_short_word),
      cmocka_unit_test(pages_written_at_once_do_not_mix),
      cmocka_unit_test(what_the_killed_left_aside_is_removed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
