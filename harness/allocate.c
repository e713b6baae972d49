/* See allocate.h. */
#include "harness/allocate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *insist(void *memory)
{
  if (memory) return memory;
  fputs("springbench: out of memory\n", stderr);
  exit(EXIT_FAILURE);
}

void *sb_allocate(size_t count, size_t size) { return insist(calloc(count ? count : 1, size)); }

void *sb_grow(void *items, size_t count, size_t size)
{
  if ((count & (count - 1)) != 0) return items;
  return insist(reallocarray(items, count ? 2 * count : 1, size));
}

char *sb_copy_text(const char *text) { return insist(strdup(text)); }

char *sb_copy_span(const char *text, size_t length) { return insist(strndup(text, length)); }
