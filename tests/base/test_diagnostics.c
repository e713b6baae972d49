/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages on a terminal: only text gets through, and errors are kept before warnings. */
#include <stdlib.h>
#include <string.h>

#include "base/diagnostics.h"
#include "tests/cmocka_all.h"

static char *printed(const char *text)
{
  char  *shown = NULL;
  size_t length = 0;
  FILE  *stream = open_memstream(&shown, &length);
  sb_write_printable(stream, text);
  fclose(stream);
  return shown;
}

/* Every character of Unicode that is written in two, three or four bytes at the ends of its range. */
static void letters_pass(void)
{
  static const char *const letters[] = {
      "a~ ",
      "\xc2\xa0" /* U+00A0: behind the C1 controls */,
      "\xdf\xbf",
      "\xe0\xa0\x80",
      "\xed\x9f\xbf" /* U+D7FF: before the surrogates */,
      "\xee\x80\x80",
      "\xe2\x80\x8d" /* U+200D */,
      "\xe2\x80\x90" /* U+2010 */,
      "\xe2\x80\xa7" /* U+2027 */,
      "\xe2\x80\xaf" /* U+202F */,
      "\xe2\x81\xa5" /* U+2065 */,
      "\xe2\x81\xaa" /* U+206A */,
      "\xe2\x86\x92" /* an arrow */,
      "\xef\xbb\xbe",
      "\xef\xbc\xbf",
      "\xf0\x90\x80\x80",
      "\xf1\x80\x80\x80",
      "\xf4\x8f\xbf\xbf" /* U+10FFFF */,
  };
  for (size_t i = 0; i < sizeof letters / sizeof *letters; ++i) {
    char *shown = printed(letters[i]);
    assert_string_equal(shown, letters[i]);
    assert_true(sb_is_printable(letters[i]));
    free(shown);
  }
}

/* Controls, marks that turn the direction of writing, and bytes that are no UTF-8 are shown, not obeyed. */
static void commands_and_broken_bytes_are_spelled(void)
{
  static const struct {
    const char *text, *shown;
  } cases[] = {
      {"a\x1b[2J", "a\\x1b[2J"},
      {"\x7f", "\\x7f"},
      {"\xc2\x9f", "\\xc2\\x9f"} /* C1 */,
      {"\xe2\x80\x8e", "\\xe2\\x80\\x8e"} /* U+200E */,
      {"\xe2\x80\x8f", "\\xe2\\x80\\x8f"} /* U+200F */,
      {"\xe2\x80\xa8", "\\xe2\\x80\\xa8"} /* U+2028 */,
      {"\xe2\x80\xae", "\\xe2\\x80\\xae"} /* U+202E */,
      {"\xe2\x81\xa6", "\\xe2\\x81\\xa6"} /* U+2066 */,
      {"\xe2\x81\xa9", "\\xe2\\x81\\xa9"} /* U+2069 */,
      {"\xef\xbb\xbf", "\\xef\\xbb\\xbf"} /* byte order mark */,
      {"\x80", "\\x80"},
      {"\xc1\xbf", "\\xc1\\xbf"} /* overlong */,
      {"\xc3(", "\\xc3("},
      {"\xe0\x9f\xbf", "\\xe0\\x9f\\xbf"} /* overlong */,
      {"\xed\xa0\x80", "\\xed\\xa0\\x80"} /* a surrogate */,
      {"\xe2\x86", "\\xe2\\x86"} /* cut off */,
      {"\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf"} /* overlong */,
      {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"} /* behind U+10FFFF */,
      {"\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char *shown = printed(cases[i].text);
    assert_string_equal(shown, cases[i].shown);
    assert_false(sb_is_printable(cases[i].text));
    free(shown);
  }
}

static void an_error_takes_the_room_of_the_last_warning(void)
{
  sb_diagnostics *d = sb_diagnostics_create();
  sb_error_at(d, (sb_location){"f", 3, 0}, "E1", "first");
  for (int i = 0; i < SB_DIAGNOSTICS_MAX - 2; ++i) sb_warning_at(d, (sb_location){0}, "W1", "w%d", i);
  sb_error_at(d, (sb_location){"f", 0, 0}, "E2", "second");
  sb_error_at(d, (sb_location){"f", 4, 5}, "E3", "third");
  sb_warning_at(d, (sb_location){0}, "W2", "late");
  assert_string_equal(sb_diagnostics_message(d, 0), "f:3: error: first [E1]");
  assert_string_equal(sb_diagnostics_message(d, 1), "springbench: warning: w0 [W1]");
  assert_string_equal(sb_diagnostics_message(d, SB_DIAGNOSTICS_MAX - 3), "springbench: warning: w16 [W1]");
  assert_string_equal(sb_diagnostics_message(d, SB_DIAGNOSTICS_MAX - 2), "f: error: second [E2]");
  assert_string_equal(sb_diagnostics_message(d, SB_DIAGNOSTICS_MAX - 1), "f:4:5: error: third [E3]");
  assert_null(sb_diagnostics_message(d, SB_DIAGNOSTICS_MAX));
  assert_int_equal(sb_diagnostics_errors(d), 3);
  assert_int_equal(sb_diagnostics_warnings(d), SB_DIAGNOSTICS_MAX - 1);
  sb_diagnostics_destroy(&d);
}

static void even_the_first_of_all_makes_room(void)
{
  sb_diagnostics *d = sb_diagnostics_create();
  sb_warning_at(d, (sb_location){0}, "W1", "early");
  for (int i = 0; i < SB_DIAGNOSTICS_MAX + 1; ++i) sb_error_at(d, (sb_location){0}, "E1", "e%d", i);
  assert_string_equal(sb_diagnostics_message(d, 0), "springbench: error: e0 [E1]");
  assert_string_equal(sb_diagnostics_message(d, SB_DIAGNOSTICS_MAX - 1), "springbench: error: e19 [E1]");
  sb_diagnostics_destroy(&d);
}

/* The same fault of many cases of a sweep is one message. */
static void joined_messages_are_not_said_twice(void)
{
  sb_diagnostics *all = sb_diagnostics_create(), *one = sb_diagnostics_create();
  for (int i = 0; i < 3; ++i) {
    sb_error_at(one, (sb_location){0}, "E1", "e%d", i % 2);
    sb_warning_at(one, (sb_location){0}, "W1", "w%d", i % 2);
  }
  sb_error_at(all, (sb_location){0}, "E1", "e1");
  sb_warning_at(all, (sb_location){0}, "W1", "w1");
  sb_diagnostics_join(all, one);
  assert_int_equal(sb_diagnostics_errors(all), 2);
  assert_int_equal(sb_diagnostics_warnings(all), 2);
  assert_string_equal(sb_diagnostics_message(all, 2), "springbench: error: e0 [E1]");
  sb_diagnostics_join(all, one);
  assert_int_equal(sb_diagnostics_errors(all), 2);
  assert_int_equal(sb_diagnostics_warnings(all), 2);
  sb_diagnostics_destroy(&all);
  sb_diagnostics_destroy(&one);
}

static void without_a_collector_it_still_fails(void)
{
  sb_warning_at(NULL, (sb_location){0}, "W1", "nobody listens");
  assert_false(sb_error_at(NULL, (sb_location){0}, "E1", "nobody listens"));
}

TEST_MAIN(letters_pass, commands_and_broken_bytes_are_spelled, an_error_takes_the_room_of_the_last_warning,
          even_the_first_of_all_makes_room, joined_messages_are_not_said_twice, without_a_collector_it_still_fails)
