/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Look-up of names; see names.h. */
#include "cases/describe/names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"

static int compare_names(const void *a, const void *b, void *context)
{
  const size_t       x = *(const size_t *)a, y = *(const size_t *)b;
  const char *const *names = context;
  const int          order = strcmp(names[x], names[y]);
  return order ? order : (x > y) - (x < y);
}

size_t *sb_find_repeated(const char *const *names, size_t count, sb_arena *arena)
{
  SB_OWNED size_t *sorted = sb_allocate(count, sizeof *sorted);
  size_t          *earlier = sb_arena_take(arena, count, sizeof *earlier), named = 0;
  for (size_t i = 0; i < count; ++i) {
    earlier[i] = (size_t)-1;
    if (names[i]) sorted[named++] = i;
  }
  qsort_r(sorted, named, sizeof *sorted, compare_names, (void *)names);
  for (size_t i = 1; i < named; ++i)
    if (strcmp(names[sorted[i - 1]], names[sorted[i]]) == 0) earlier[sorted[i]] = sorted[i - 1];
  return earlier;
}

sb_option_id sb_option_named(const char *name, sb_location where, sb_diagnostics *diagnostics)
{
  const sb_option_id id = sb_option_find(name);
  if (id == sb_option_count) sb_option_unknown(name, where, diagnostics);
  return id;
}

bool sb_is_method_name(const char *name)
{
  size_t i = 0;
  while (islower((unsigned char)name[i]) || (i > 0 && (isdigit((unsigned char)name[i]) || name[i] == '_'))) ++i;
  return i > 0 && i < 32 && name[i] == '\0';
}
