/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See terminal.h. A character may arrive in several pieces: the bytes of an incomplete one are held back. */
#include "cases/common/terminal.h"

#include <string.h>
#include <unistd.h>

#include "base/diagnostics.h"
#include "cases/common/durable.h"

enum { CHARACTER = 4, ESCAPE = 4, ROOM = 4096 };

/* Number of bytes of a character, by its first byte. */
static size_t bytes_of(unsigned char first) { return first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4; }

static bool may_go_on(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

/* Writes the complete characters of the held bytes to `out`. Returns the number of bytes written. */
static size_t put_held(sb_terminal *g, char *out)
{
  size_t put = 0;
  while (g->count > 0) {
    const size_t wanted = bytes_of((unsigned char)g->held[0]);
    const bool   waits = g->count < wanted && (g->count == 1 || may_go_on(g->held[g->count - 1]));
    if (waits) break;
    g->held[g->count] = '\0';
    const bool   plain = g->held[0] == '\n' || g->held[0] == '\t';
    const size_t length = plain ? 1 : sb_printable_character(g->held), taken = length > 0 ? length : 1;
    if (length > 0)
      memcpy(out + put, g->held, length);
    else
      snprintf(out + put, ESCAPE + 1, "\\x%02x", (unsigned char)g->held[0]);
    put += length > 0 ? length : ESCAPE;
    g->count -= taken;
    memmove(g->held, g->held + taken, g->count);
  }
  return put;
}

static ssize_t write_guarded(void *cookie, const char *bytes, size_t size)
{
  sb_terminal *g = cookie;
  char         out[ROOM];
  size_t       length = 0;
  bool         good = true;
  for (size_t i = 0; good && i < size; ++i) {
    g->held[g->count++] = bytes[i];
    length += put_held(g, out + length);
    if (length + CHARACTER * ESCAPE + 1 < ROOM && i + 1 < size) continue;
    good = sb_write_all(g->descriptor, out, length);
    length = 0;
  }
  return good ? (ssize_t)size : 0;
}

FILE *sb_terminal_guard(sb_terminal *terminal, FILE *stream)
{
  *terminal = (sb_terminal){.descriptor = fileno(stream)};
  fflush(stream);
  FILE *guarded = fopencookie(terminal, "w", (cookie_io_functions_t){.write = write_guarded});
  if (!guarded) return stream;
  const bool at_once = terminal->descriptor == STDERR_FILENO, by_lines = isatty(terminal->descriptor);
  setvbuf(guarded, NULL, at_once ? _IONBF : by_lines ? _IOLBF : _IOFBF, BUFSIZ);
  return guarded;
}
