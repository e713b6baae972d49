/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See allocate.h. */
#include "base/allocate.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *sb_insist(void *memory)
{
  if (memory) return memory;
  fputs("springbench: error: out of memory\n", stderr);
  _exit(SB_EXIT_NO_MEMORY);
}

void *sb_allocate(size_t count, size_t size) { return sb_insist(calloc(count ? count : 1, size)); }

void *sb_grow(void *items, size_t count, size_t size)
{
  if ((count & (count - 1)) != 0) return items;
  return sb_insist(reallocarray(items, count ? 2 * count : 1, size));
}

char *sb_copy_text(const char *text) { return sb_insist(strdup(text)); }

char *sb_copy_span(const char *text, size_t length) { return sb_insist(strndup(text, length)); }

void sb_leave(void *pointer)
{
  void *memory;
  memcpy(&memory, pointer, sizeof memory);
  free(memory); /* glibc's keeps errno */
}

FILE *sb_text_stream(char **text, size_t *length) { return sb_insist(open_memstream(text, length)); }

char *sb_format(const char *format, ...)
{
  char   *text = NULL;
  va_list arguments;
  va_start(arguments, format);
  const int length = vasprintf(&text, format, arguments);
  va_end(arguments);
  return sb_insist(length >= 0 ? text : NULL);
}

void sb_map_large_arrays(bool on)
{
#ifdef __GLIBC__
  enum { LARGE_BYTES = 1 << 20, DEFAULT_MAPS = 65536 };
  mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
  mallopt(M_MMAP_MAX, on ? DEFAULT_MAPS : 0);
#else
  (void)on;
#endif
}

void *sb_allocate_lines(size_t bytes)
{
  const size_t line = 64;
  sb_map_large_arrays(true);
  void *memory = aligned_alloc(line, (bytes / line + 1) * line);
  sb_map_large_arrays(false);
  return memory;
}
