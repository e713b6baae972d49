/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text for users: numbers with a sensible number of digits, lines, Markdown, HTML, shell words, file names, limits.
 * Local; no PETSc. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/arena.h"

enum {
  SB_ERROR_SIZE = 256,
  SB_DIGITS = 3,       /* default number of significant digits */
  SB_NUMBER_TEXT = 48, /* room for a number as text */
  SB_LINE_WIDTH = 100  /* of text on a terminal */
};

/* `number` to `digits` (at most 17) significant digits: "42.3", "0.00120", "1.2e-7". Returns `text`. */
char *sb_text_rounded(double number, int digits, char text[SB_NUMBER_TEXT]);
/* The number with all digits that distinguish it from its neighbours; a whole number has no point. Returns `text`. */
char *sb_text_exact(double number, char text[SB_NUMBER_TEXT]);
/* The number as a name: with all of its digits if these are at most seven or if it is whole, else rounded to `digits`
 * without zeros at the end. It reads as a whole number only if it is one: 0.99995, not 1. Returns `text`. */
char *sb_text_short(double number, int digits, char text[SB_NUMBER_TEXT]);
/* "1 case", "3 cases"; and the word that fits a count: "is", or "are". */
char       *sb_counted(sb_arena *arena, size_t count, const char *noun);
const char *sb_by_count(size_t count, const char *one, const char *several);
/* True if `format` is a printf format of exactly one double and nothing else. */
bool sb_text_is_number_format(const char *format);

/* Columns of a text on a terminal: it counts characters, not bytes. */
size_t sb_text_width(const char *text);
/* Write a text with escapes for characters that control a terminal; the second function keeps line breaks and tabs. */
void sb_text_put_plain(FILE *stream, const char *text);
void sb_text_put_lines(FILE *stream, const char *text);
/* Writes a text broken at blanks, in a line that is filled up to `column`; further lines begin at `indent`. A blank
 * comes first if the line is not empty. Returns the column of its end. */
int sb_text_put_wrapped(FILE *stream, const char *text, int indent, int column);

/* Verdicts on pages begin with a sign: ✓, ◐, ≠, ✗ or –. Returns the place of the text's sign among these, from 1; 0: it
 * begins with none. */
size_t sb_text_sign(const char *text);
/* Writes a user's text in Markdown; markup characters are escaped. A sign at its beginning has SB_JOINER, which is
 * invisible, before it, so that it cannot pass for a verdict. A lone dash, which means "none", has no SB_JOINER. */
#define SB_JOINER "&#8288;"
void sb_text_put_markdown(FILE *stream, const char *text);

/* Writes text in HTML, escaped for content and for quoted attributes; control characters other than line breaks become
 * blanks. NULL: nothing. */
void sb_text_put_html(FILE *stream, const char *text);
/* Write text as part of an id and of its address: other than plain characters become .XX, so that different texts stay
 * different. The second writes a relative address, percent-encoded. */
void sb_text_put_id(FILE *stream, const char *text);
void sb_text_put_address(FILE *stream, const char *path);

/* Writes bytes in base64, as RFC 4648 has it. */
void sb_text_put_base64(FILE *stream, const void *bytes, size_t size);

/* Writes text in LaTeX: markup characters are escaped, characters that standard fonts lack become commands, unknown
 * characters become question marks. */
void sb_text_put_latex(FILE *stream, const char *text);

/* Writes text as one word of a POSIX shell. */
void sb_text_put_word(FILE *stream, const char *text);
/* Returns the next word of a shell line, with or without quotes (malloc'ed), and moves *line past it. NULL at the end.
 */
char *sb_text_next_word(const char **line);

/* True if `name` may be a file name: [A-Za-z0-9._+-]{1,64}, not beginning with a point or a dash. */
bool sb_text_is_safe_name(const char *name);

/* Limits from users, in the same notation in every locale. */
/* Seconds, from a positive number followed by s, m, h or d, or by nothing for seconds; or from several such parts with
 * ever smaller units, "1m30s". */
bool sb_parse_duration(const char *text, double *seconds);
/* Bytes in [1, 1e18], as option memory_limit may have: from a number followed by K, M, G or T (powers of 1024; also
 * KiB, …), or by nothing for bytes. */
bool sb_parse_bytes(const char *text, double *bytes);
