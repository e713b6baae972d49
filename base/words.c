/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of words; see words.h. */
#include "base/words.h"

#include <string.h>

bool sb_has_word(const char *words, const char *word)
{
  const size_t length = strlen(word);
  for (const char *at = words; at; at = strchr(at, ' ')) {
    at += *at == ' ';
    if (strncmp(at, word, length) == 0 && (at[length] == ' ' || at[length] == '\0')) return true;
  }
  return false;
}

size_t sb_names_find(const sb_names *list, const char *name)
{
  for (size_t i = 0; i < list->count; ++i)
    if (strcmp(list->names[i], name) == 0) return i;
  return (size_t)-1;
}

size_t sb_names_add(sb_arena *arena, sb_names *list, const char *name)
{
  const size_t place = sb_names_find(list, name);
  if (place != (size_t)-1) return place;
  list->names = sb_arena_grow(arena, list->names, list->count, sizeof *list->names);
  list->names[list->count] = name;
  return list->count++;
}

char *sb_names_join(sb_arena *arena, const sb_names *list, const char *separator, size_t most)
{
  char *text = "";
  for (size_t i = 0; i < list->count && i < most; ++i)
    text = sb_arena_join(arena, text, separator, "%s", list->names[i]);
  return list->count > most ? sb_arena_format(arena, "%s%s… (%zu)", text, separator, list->count) : text;
}
