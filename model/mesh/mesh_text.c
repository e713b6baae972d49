/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words and numbers of a mesh file in memory; see mesh_text.h. */
#include "model/mesh/mesh_text.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sb_text_open(sb_mesh_text *text, const char *file, const char *bytes, size_t size, sb_diagnostics *diagnostics)
{
  *text = (sb_mesh_text){.file = file, .begin = bytes, .at = bytes, .end = bytes + size, .diagnostics = diagnostics};
  if (size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) text->at += 3;
  text->line_begin = text->word = text->at;
  text->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

void sb_text_close(sb_mesh_text *text)
{
  if (text->c_locale) freelocale(text->c_locale);
  text->c_locale = (locale_t)0;
}

bool sb_text_check(sb_mesh_text *text)
{
  int line = text->line > 0 ? text->line : 1;
  for (const char *at = text->at; at < text->end; ++line) {
    const char       *newline = memchr(at, '\n', (size_t)(text->end - at));
    const char       *stop = newline ? newline : text->end;
    const sb_location here = {text->file, line, 0};
    if (memchr(at, '\0', (size_t)(stop - at)))
      return sb_error_at(text->diagnostics, here, "E110", "a NUL byte: this is not a text file");
    if (stop - at > SB_MESH_LINE_MAX)
      return sb_error_at(text->diagnostics, here, "E110", "a line of %td bytes; at most %d are allowed", stop - at,
                         (int)SB_MESH_LINE_MAX);
    at = newline ? newline + 1 : text->end;
  }
  return true;
}

int sb_text_shown(size_t length) { return length < 40 ? (int)length : 40; }

bool sb_text_error(sb_mesh_text *text, const char *code, const char *format, ...)
{
  char    message[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  for (char *c = message; *c; ++c)
    if (*c < ' ' || *c > '~') *c = '?';
  sb_location where = {text->file, 0, 0};
  if (text->binary)
    return sb_error_at(text->diagnostics, where, code, "at byte %td: %s", text->word - text->begin, message);
  where.line = text->line > 0 ? text->line : 1;
  where.column = (int)(text->word - text->line_begin) + 1;
  return sb_error_at(text->diagnostics, where, code, "%s", message);
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

/* The length of a joined line end at `at`: a backslash and a line end; 0 if there is none. */
static size_t joint(const sb_mesh_text *text, const char *at)
{
  if (!text->continuation || *at != '\\') return 0;
  const size_t length = at[1] == '\r' ? 2 : 1;
  return at[length] == '\n' ? length + 1 : 0;
}

static void enter_line(sb_mesh_text *text, const char *begin)
{
  text->at = text->line_begin = begin;
  text->line++;
}

/* Moves to the next word of this line, over blanks and joints; false at its end or at a comment. */
static bool find_word(sb_mesh_text *text)
{
  for (;;) {
    const size_t joined = joint(text, text->at);
    if (joined > 0)
      enter_line(text, text->at + joined);
    else if (is_blank(*text->at))
      text->at++;
    else
      break;
  }
  text->word = text->at;
  if (text->at >= text->end || *text->at == '\n') return false;
  return text->comment == '\0' || *text->at != text->comment;
}

static bool is_in_word(const sb_mesh_text *text)
{
  return text->at < text->end && *text->at != '\n' && !is_blank(*text->at) && joint(text, text->at) == 0;
}

/* Skips to the end of this line, or of the file. It skips word by word, because a comment may start at any word, and a
 * backslash at the end of a comment does not continue the line. */
static void skip_line(sb_mesh_text *text)
{
  while (find_word(text))
    while (is_in_word(text)) text->at++;
  while (text->at < text->end && *text->at != '\n') text->at++;
}

bool sb_text_line(sb_mesh_text *text)
{
  if (text->line > 0)
    skip_line(text);
  else
    text->line = 1;
  while (!find_word(text)) {
    skip_line(text);
    if (text->at >= text->end) return false;
    enter_line(text, text->at + 1);
  }
  return true;
}

bool sb_text_word(sb_mesh_text *text, size_t *length)
{
  if (!find_word(text)) return false;
  while (is_in_word(text)) text->at++;
  *length = (size_t)(text->at - text->word);
  return true;
}

bool sb_text_is(const sb_mesh_text *text, size_t length, const char *word)
{
  return strlen(word) == length && memcmp(text->word, word, length) == 0;
}

static bool next_number(sb_mesh_text *text, const char *what, size_t *length)
{
  return sb_text_word(text, length) || sb_text_error(text, "E200", "the line ends before %s", what);
}

/* nan, inf and the like, with a sign: numbers, but not for us. */
static bool names_no_number(const char *word, size_t length)
{
  const size_t sign = length > 0 && (*word == '+' || *word == '-');
  return length >= sign + 3 && (strncasecmp(word + sign, "nan", 3) == 0 || strncasecmp(word + sign, "inf", 3) == 0);
}

bool sb_text_real(sb_mesh_text *text, const char *what, double *value)
{
  size_t length = 0;
  char  *after = NULL;
  if (!next_number(text, what, &length)) return false;
  if (names_no_number(text->word, length))
    return sb_text_error(text, "E203", "%.*s is not a finite number", sb_text_shown(length), text->word);
  if (strspn(text->word, "0123456789+-.eE") >= length) *value = strtod_l(text->word, &after, text->c_locale);
  if (after != text->at)
    return sb_text_error(text, "E102", "'%.*s' is not a number", sb_text_shown(length), text->word);
  return isfinite(*value) || sb_text_error(text, "E203", "%.*s overflows", sb_text_shown(length), text->word);
}

bool sb_text_digits(sb_mesh_text *text, const char *digits, size_t length, int64_t *value)
{
  const bool negative = length > 0 && *digits == '-';
  size_t     i = length > 0 && (*digits == '-' || *digits == '+');
  bool       good = i < length;
  int64_t    number = 0;
  for (; good && i < length; ++i) {
    const int digit = digits[i] - '0';
    good = digit >= 0 && digit <= 9;
    if (!good || number > (INT64_MAX - digit) / 10) break;
    number = 10 * number + digit;
  }
  if (!good) return sb_text_error(text, "E202", "'%.*s' is not an integer", sb_text_shown(length), digits);
  if (i < length) number = INT64_MAX; /* refused by every range there is */
  *value = negative ? -number : number;
  return true;
}

bool sb_text_integer(sb_mesh_text *text, const char *what, int64_t *value)
{
  size_t length = 0;
  return next_number(text, what, &length) && sb_text_digits(text, text->word, length, value);
}

bool sb_text_end_of_line(sb_mesh_text *text)
{
  size_t length = 0;
  if (!sb_text_word(text, &length)) return true;
  return sb_text_error(text, "E216", "'%.*s' is unexpected at the end of this line", sb_text_shown(length), text->word);
}
