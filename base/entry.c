/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of entries; see entry.h. */
#include "base/entry.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/nearest_name.h"

const sb_entry *sb_list_at(const sb_list *list, size_t i) { return i < list->count ? list->entries[i] : NULL; }

const sb_entry *sb_list_find(const sb_list *list, const char *name)
{
  for (size_t i = 0; list && i < list->count; ++i)
    if (strcmp(list->entries[i]->name, name) == 0) return list->entries[i];
  return NULL;
}

static bool has_alias(const sb_entry *entry, const char *name, const char **with)
{
  const sb_alias *alias = entry->aliases;
  while (alias && alias->name && strcmp(alias->name, name) != 0) ++alias;
  const bool found = alias && alias->name;
  *with = found ? alias->with : NULL;
  return found;
}

const char *sb_list_alias(const sb_list *list, const char *name, const char **with)
{
  for (size_t i = 0; i < list->count; ++i)
    if (has_alias(list->entries[i], name, with)) return list->entries[i]->name;
  return NULL;
}

const char *sb_list_meant(const sb_list *list, const char *name, const char **with)
{
  const char *alias = sb_list_alias(list, name, with);
  if (alias) return alias;
  const char **names = sb_allocate(list->count, sizeof *names);
  for (size_t i = 0; i < list->count; ++i) names[i] = list->entries[i]->name;
  const char *near = sb_nearest_name(name, names, list->count);
  free(names);
  return near;
}

const char *sb_list_suggestion(const sb_list *list, const char *name, sb_arena *arena)
{
  const char *meant = "", *with = NULL, *near;
  for (size_t i = 0; i < list->count; ++i)
    if (has_alias(list->entries[i], name, &with))
      meant = sb_arena_format(arena, "%s%s'%s'%s%s", meant, *meant ? " or " : "", list->entries[i]->name,
                              with ? " with " : "", with ? with : "");
  if (!*meant && (near = sb_list_meant(list, name, &with))) meant = sb_arena_format(arena, "'%s'", near);
  return *meant ? sb_arena_format(arena, "; did you mean %s?", meant) : "";
}

const char *sb_list_names(const sb_list *list, const char *separator, sb_arena *arena)
{
  const char *names = "";
  for (size_t i = 0; i < list->count; ++i)
    names = sb_arena_format(arena, "%s%s%s", names, i ? separator : "", list->entries[i]->name);
  return names;
}

/* ---- the facts of an entry ---- */

static void add_fact(sb_description *d, sb_fact fact)
{
  sb_fact *added = sb_arena_take(d->arena, 1, sizeof *added);
  *added = fact;
  *(d->last ? &d->last->next : &d->first) = added;
  d->last = added;
}

void sb_describe_claim(sb_description *d, bool holds, const char *format, ...)
{
  va_list arguments;
  if (!holds) return;
  va_start(arguments, format);
  add_fact(d, (sb_fact){.kind = SB_FACT_CLAIM, .text = sb_arena_format_list(d->arena, format, arguments)});
  va_end(arguments);
}

void sb_describe_text(sb_description *d, const char *key, const char *text)
{
  add_fact(d, (sb_fact){.kind = SB_FACT_TEXT, .key = key, .text = text});
}

void sb_describe_words(sb_description *d, const char *key, const char *words)
{
  add_fact(d, (sb_fact){.kind = SB_FACT_WORDS, .key = key, .text = words});
}

void sb_describe_row(sb_description *d, const char *key, const char *const *row)
{
  size_t count = 0;
  while (row[count]) ++count;
  const char **copy = sb_arena_take(d->arena, count + 1, sizeof *copy);
  memcpy(copy, row, count * sizeof *copy);
  add_fact(d, (sb_fact){.kind = SB_FACT_ROW, .key = key, .row = copy});
}
