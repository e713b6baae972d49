/* Text for people: numbers with as many digits as are meant, lines, Markdown, HTML, words of a shell, names of files,
 * limits. Local; no PETSc. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

enum {
  SB_ERROR_SIZE = 256,
  SB_DIGITS = 3,       /* significant digits where nothing says how many are meant */
  SB_NUMBER_TEXT = 48, /* room for a number as text */
  SB_LINE_WIDTH = 100  /* of prose on a terminal */
};

/* `number` to `digits` (at most 17) significant digits: "42.3", "0.00120", "1.2e-7". Returns `text`. */
char *sb_text_rounded(double number, int digits, char text[SB_NUMBER_TEXT]);
/* The number with all digits that tell it from its neighbours; a whole number has no point. Returns `text`. */
char *sb_text_exact(double number, char text[SB_NUMBER_TEXT]);
/* Tells whether `format` is a printf format of exactly one double and nothing else. */
bool sb_text_is_number_format(const char *format);

/* Columns that a text takes on a terminal: its characters, not its bytes. */
size_t sb_text_width(const char *text);
/* Write a text with escapes for characters that control a terminal; the second function keeps line breaks and tabs. */
void sb_text_put_plain(FILE *stream, const char *text);
void sb_text_put_lines(FILE *stream, const char *text);
/* Writes a text broken at blanks, behind what fills the line up to `column`; further lines begin at `indent`. A blank
 * comes first where something stands in the line. Returns the column where it ends. */
int sb_text_put_wrapped(FILE *stream, const char *text, int indent, int column);

/* Text in Markdown: what it would take for markup is escaped. */
void sb_text_put_markdown(FILE *stream, const char *text);

/* Text in HTML, escaped for content and for quoted attributes; control characters but line breaks become blanks. NULL:
 * none. */
void sb_text_put_html(FILE *stream, const char *text);
/* Text as part of an id and of the address that leads to it: what is not plain becomes .XX, so that different texts
 * stay different. And a relative address: what is not plain is percent-encoded. */
void sb_text_put_id(FILE *stream, const char *text);
void sb_text_put_address(FILE *stream, const char *path);

/* Text in LaTeX: what it would take for markup is escaped, and what its standard fonts lack gets its command; unknown
 * characters become question marks. */
void sb_text_put_latex(FILE *stream, const char *text);

/* Text as one word of a POSIX shell, and whether it is one as it stands. */
void sb_text_put_word(FILE *stream, const char *text);
bool sb_text_is_word(const char *text);
/* The next word of a line of such words and plain ones, as the shell reads it (malloc'ed); moves *line behind it. NULL
 * at the end. */
char *sb_text_next_word(const char **line);

/* Tells whether `name` may stand in a file name: [A-Za-z0-9._+-]{1,64}, not beginning with a point or a dash. */
bool sb_text_is_safe_name(const char *name);

/* Limits as people write them, the same in every locale. */
/* Seconds, from a positive number with one of s, m, h, d behind it, or none for seconds. */
bool sb_parse_duration(const char *text, double *seconds);
/* Bytes, from a positive number with one of K, M, G, T behind it (powers of 1024), or none for bytes. */
bool sb_parse_bytes(const char *text, double *bytes);
