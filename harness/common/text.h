/* Text for people: errors, numbers with as many digits as are meant, Markdown, names of files. Local; no PETSc. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

enum { SB_ERROR_SIZE = 256, SB_DIGITS = 3 /* significant digits where nothing says how many are meant */ };

/* printf into error[SB_ERROR_SIZE]; always false, so that a caller can return it. */
bool sb_report_error(char *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* `number` to `digits` significant digits: "42.3", "0.00120", "1.2e-7". malloc'ed. */
char *sb_text_rounded(double number, int digits);
/* "none": all digits that tell the number from its neighbours; a whole number without a point. malloc'ed. */
char *sb_text_exact(double number);
/* Whether `format` is a printf format of exactly one double and nothing else. */
bool sb_text_is_number_format(const char *format);

/* Text in Markdown: what it would take for markup is escaped. */
void sb_text_put_markdown(FILE *stream, const char *text);

/* Text as one word of a POSIX shell. */
void sb_text_put_word(FILE *stream, const char *text);
/* The next word of a line of such words and plain ones, as the shell reads it (malloc'ed); moves *line behind it. NULL
 * at the end. */
char *sb_text_next_word(const char **line);

/* Whether `name` may stand in a file name: [A-Za-z0-9._+-]{1,64}, not beginning with a point or a dash. */
bool sb_text_is_safe_name(const char *name);
