/* Collecting located messages; see diagnostics.h. */
#include "base/diagnostics.h"

#include <stdarg.h>
#include <stdlib.h>

struct sb_diagnostics {
  char  *messages[SB_DIAGNOSTICS_MAX];
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
  if (fclose(stream) == 0)
    d->messages[d->kept++] = text;
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
