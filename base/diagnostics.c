/* Collecting located messages; see diagnostics.h. */
#include "base/diagnostics.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct sb_diagnostics {
  char  *messages[SB_DIAGNOSTICS_MAX];
  bool   is_error[SB_DIAGNOSTICS_MAX];
  size_t kept, errors, warnings;
};

sb_diagnostics *sb_diagnostics_create(void) { return calloc(1, sizeof(sb_diagnostics)); }

void sb_diagnostics_destroy(sb_diagnostics **diagnostics)
{
  if (!*diagnostics) return;
  for (size_t i = 0; i < (*diagnostics)->kept; ++i) free((*diagnostics)->messages[i]);
  free(*diagnostics);
  *diagnostics = NULL;
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

static void keep(sb_diagnostics *d, sb_location where, const char *severity, const char *code, const char *format,
                 va_list arguments)
{
  if (d->kept == SB_DIAGNOSTICS_MAX) return;
  char  *text = NULL;
  size_t length = 0;
  FILE  *stream = open_memstream(&text, &length);
  if (!stream) return;
  write_location(stream, where);
  fprintf(stream, "%s: ", severity);
  vfprintf(stream, format, arguments);
  fprintf(stream, " [%s]", code);
  if (fclose(stream) == 0) {
    d->is_error[d->kept] = strcmp(severity, "error") == 0;
    d->messages[d->kept++] = text;
  } else {
    free(text);
  }
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
  size_t shown = 0;
  for (size_t i = 0; i < from->kept; ++i) {
    shown += from->is_error[i];
    if (!from->is_error[i] || holds(to, from->messages[i])) continue;
    char *copy = to->kept < SB_DIAGNOSTICS_MAX ? strdup(from->messages[i]) : NULL;
    if (copy) {
      to->is_error[to->kept] = true;
      to->messages[to->kept++] = copy;
    }
    to->errors++;
  }
  to->errors += from->errors - shown;
}

size_t sb_diagnostics_errors(const sb_diagnostics *diagnostics) { return diagnostics->errors; }

size_t sb_diagnostics_warnings(const sb_diagnostics *diagnostics) { return diagnostics->warnings; }

const char *sb_diagnostics_message(const sb_diagnostics *diagnostics, size_t i)
{
  return i < diagnostics->kept ? diagnostics->messages[i] : NULL;
}

void sb_diagnostics_print(const sb_diagnostics *diagnostics, FILE *stream)
{
  for (size_t i = 0; i < diagnostics->kept; ++i) fprintf(stream, "%s\n", diagnostics->messages[i]);
  const size_t more = diagnostics->errors + diagnostics->warnings - diagnostics->kept;
  if (more > 0) fprintf(stream, "springbench: %zu more messages not shown\n", more);
}
