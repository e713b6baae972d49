/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collecting located messages; see diagnostics.h. */
#include "base/diagnostics.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"

struct sb_diagnostics {
  char  *messages[SB_DIAGNOSTICS_MAX];
  bool   is_error[SB_DIAGNOSTICS_MAX];
  size_t kept, errors, warnings;
  size_t told_errors, told_warnings; /* of them, printed by sb_diagnostics_flush */
};

sb_diagnostics *sb_diagnostics_create(void) { return sb_allocate(1, sizeof(sb_diagnostics)); }

void sb_diagnostics_destroy(sb_diagnostics **diagnostics)
{
  if (!*diagnostics) return;
  for (size_t i = 0; i < (*diagnostics)->kept; ++i) free((*diagnostics)->messages[i]);
  free(*diagnostics);
  *diagnostics = NULL;
}

/* Bytes of the UTF-8 character at `s`; 0 if there is no character. */
static size_t character_length(const unsigned char *s)
{
  const size_t length = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
  for (size_t i = 1; i < length; ++i)
    if ((s[i] & 0xc0) != 0x80) return 0;
  if (length == 3 && ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0))) return 0;
  if (length == 4 && ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90))) return 0;
  return length;
}

/* C0, DEL, C1; marks and overrides of direction (U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069), line and
 * paragraph separators, the byte order mark. */
static bool commands_terminal(const unsigned char *s, size_t length)
{
  if (length == 1) return s[0] < 0x20 || s[0] == 0x7f;
  if (length == 2) return s[0] == 0xc2 && s[1] < 0xa0;
  if (length != 3) return false;
  if (s[0] == 0xef) return s[1] == 0xbb && s[2] == 0xbf;
  if (s[0] != 0xe2) return false;
  if (s[1] == 0x80) return s[2] == 0x8e || s[2] == 0x8f || (s[2] >= 0xa8 && s[2] <= 0xae);
  return s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9;
}

size_t sb_printable_character(const char *text)
{
  const unsigned char *s = (const unsigned char *)text;
  const size_t         length = *s ? character_length(s) : 0;
  return length > 0 && !commands_terminal(s, length) ? length : 0;
}

bool sb_is_printable(const char *text)
{
  for (size_t length; *text && (length = sb_printable_character(text)) > 0;) text += length;
  return *text == '\0';
}

void sb_write_printable(FILE *stream, const char *text)
{
  while (*text) {
    const size_t length = sb_printable_character(text);
    if (length > 0)
      fwrite(text, 1, length, stream);
    else
      fprintf(stream, "\\x%02x", (unsigned char)*text);
    text += length > 0 ? length : 1;
  }
}

static void write_location(FILE *stream, sb_location where)
{
  if (!where.file) {
    fputs("springbench: ", stream);
    return;
  }
  fputs(where.file, stream);
  if (where.line > 0) fprintf(stream, ":%d", where.line);
  if (where.column > 0) fprintf(stream, ":%d", where.column);
  fputs(": ", stream);
}

/* Makes room for one more message. If there is none, an error replaces the last warning. */
static bool make_room(sb_diagnostics *d, bool is_error)
{
  if (d->kept < SB_DIAGNOSTICS_MAX) return true;
  size_t i = d->kept;
  while (is_error && i > 0 && d->is_error[i - 1]) --i;
  if (!is_error || i == 0) return false;
  free(d->messages[i - 1]);
  for (; i < d->kept; ++i) {
    d->messages[i - 1] = d->messages[i];
    d->is_error[i - 1] = d->is_error[i];
  }
  d->kept--;
  return true;
}

/* Takes the text, which may be NULL. */
static void insert(sb_diagnostics *d, char *text, bool is_error)
{
  if (!text || !make_room(d, is_error)) {
    free(text);
    return;
  }
  d->is_error[d->kept] = is_error;
  d->messages[d->kept++] = text;
}

static void keep(sb_diagnostics *d, sb_location where, const char *severity, const char *code, const char *format,
                 va_list arguments)
{
  char  *text = NULL;
  size_t length = 0;
  FILE  *stream = sb_text_stream(&text, &length);
  write_location(stream, where);
  fprintf(stream, "%s: ", severity);
  vfprintf(stream, format, arguments);
  fprintf(stream, " [%s]", code);
  if (fclose(stream) == 0)
    insert(d, text, strcmp(severity, "error") == 0);
  else
    free(text);
}

bool sb_error_at(sb_diagnostics *diagnostics, sb_location where, const char *code, const char *format, ...)
{
  if (!diagnostics) return false;
  va_list arguments;
  va_start(arguments, format);
  keep(diagnostics, where, "error", code, format, arguments);
  va_end(arguments);
  diagnostics->errors++;
  return false;
}

void sb_warning_at(sb_diagnostics *diagnostics, sb_location where, const char *code, const char *format, ...)
{
  if (!diagnostics) return;
  va_list arguments;
  va_start(arguments, format);
  keep(diagnostics, where, "warning", code, format, arguments);
  va_end(arguments);
  diagnostics->warnings++;
}

static bool holds(const sb_diagnostics *d, const char *message)
{
  for (size_t i = 0; i < d->kept; ++i)
    if (strcmp(d->messages[i], message) == 0) return true;
  return false;
}

void sb_diagnostics_join(sb_diagnostics *to, const sb_diagnostics *from)
{
  size_t errors = from->errors, warnings = from->warnings;
  for (size_t i = 0; i < from->kept; ++i) {
    const bool known = holds(to, from->messages[i]);
    if (!known) insert(to, sb_copy_text(from->messages[i]), from->is_error[i]);
    errors -= known && from->is_error[i];
    warnings -= known && !from->is_error[i];
  }
  to->errors += errors;
  to->warnings += warnings;
}

size_t sb_diagnostics_errors(const sb_diagnostics *diagnostics) { return diagnostics->errors; }

bool sb_diagnostics_full(const sb_diagnostics *diagnostics)
{
  return !diagnostics || diagnostics->errors - diagnostics->told_errors >= SB_DIAGNOSTICS_MAX;
}

size_t sb_diagnostics_warnings(const sb_diagnostics *diagnostics) { return diagnostics->warnings; }

const char *sb_diagnostics_first_error(const sb_diagnostics *diagnostics)
{
  for (size_t i = 0; i < diagnostics->kept; ++i)
    if (diagnostics->is_error[i]) return diagnostics->messages[i];
  return NULL;
}

void sb_diagnostics_reason(const sb_diagnostics *diagnostics, char *text, size_t size)
{
  static const char label[] = ": error: ";
  const char       *message = sb_diagnostics_first_error(diagnostics), *from = message ? strstr(message, label) : NULL;
  const char       *end = from ? strrchr(from, '[') : NULL;
  from = from ? from + sizeof label - 1 : "";
  snprintf(text, size, "%.*s", end && end > from ? (int)(end - 1 - from) : 0, from);
}

const char *sb_diagnostics_message(const sb_diagnostics *diagnostics, size_t i)
{
  return i < diagnostics->kept ? diagnostics->messages[i] : NULL;
}

void sb_diagnostics_print(const sb_diagnostics *diagnostics, FILE *stream)
{
  for (size_t i = 0; i < diagnostics->kept; ++i) {
    sb_write_printable(stream, diagnostics->messages[i]);
    fputc('\n', stream);
  }
  const size_t more = diagnostics->errors + diagnostics->warnings - diagnostics->told_errors -
                      diagnostics->told_warnings - diagnostics->kept;
  if (more > 0) fprintf(stream, "springbench: %zu more messages not shown\n", more);
}

void sb_diagnostics_flush(sb_diagnostics *diagnostics, FILE *stream)
{
  if (stream) sb_diagnostics_print(diagnostics, stream);
  for (size_t i = 0; i < diagnostics->kept; ++i) free(diagnostics->messages[i]);
  diagnostics->kept = 0;
  diagnostics->told_errors = diagnostics->errors;
  diagnostics->told_warnings = diagnostics->warnings;
}
