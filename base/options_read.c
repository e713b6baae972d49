/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which options a case reads; see options.h. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/option_ids.h"
#include "base/words.h"

/* The list that an option chooses from, if its entries' options are read only by cases that choose them; else NULL. */
static const sb_list *chosen_from(const sb_vocabulary *vocabulary, sb_option_id selector)
{
  const sb_list *list = sb_option_list(selector, vocabulary);
  return list && list->checks_uses ? NULL : list;
}

static bool is_owner(const sb_entry *entry, sb_option_id id)
{
  const char *name = sb_option_at(id)->name;
  return entry && (sb_has_word(entry->uses, name) || sb_has_word(entry->reads, name));
}

static bool leaves_out(const sb_entry *entry, sb_option_id id)
{
  return entry && sb_has_word(entry->unread, sb_option_at(id)->name);
}

static bool has_owner(const sb_list *list, sb_option_id id)
{
  for (size_t n = 0; n < list->count; ++n)
    if (is_owner(list->entries[n], id)) return true;
  return false;
}

static bool is_left_out(const sb_list *list, sb_option_id id)
{
  for (size_t n = 0; n < list->count; ++n)
    if (leaves_out(list->entries[n], id)) return true;
  return false;
}

/* Options of entries that are read only if another option has a value. */
static const struct condition {
  sb_option_id id, other;
  const char  *value;
} conditions[] = {
    {SB_OPT_pin_weight, SB_OPT_pin_method, "penalty"},
};

/* The condition of an option that does not hold in the case; NULL: there is none. */
static const struct condition *unmet(const sb_options *options, sb_option_id id)
{
  for (size_t i = 0; i < sizeof conditions / sizeof *conditions; ++i)
    if (conditions[i].id == id && strcmp(sb_options_peek(options, conditions[i].other), conditions[i].value) != 0)
      return &conditions[i];
  return NULL;
}

/* The chosen entry; NULL if the value is not an entry. */
static const sb_entry *chosen(const sb_options *options, const sb_list *list, sb_option_id selector)
{
  return sb_list_find(list, sb_options_peek(options, selector));
}

static bool owner_is_chosen(const sb_options *options, const sb_list *list, sb_option_id selector, sb_option_id id)
{
  return is_owner(chosen(options, list, selector), id);
}

const char *sb_options_defaults(const sb_options *options, sb_option_id selector)
{
  const sb_entry *entry = chosen(options, chosen_from(sb_options_vocabulary(options), selector), selector);
  return entry && entry->defaults ? entry->defaults : "";
}

sb_selectors sb_option_selectors(sb_option_id id, const sb_vocabulary *vocabulary)
{
  sb_selectors selectors = {0};
  if (vocabulary && vocabulary->selectors) return vocabulary->selectors[id];
  for (int s = 0; s < SB_OPT_COUNT; ++s) {
    const sb_list *list = chosen_from(vocabulary, (sb_option_id)s);
    if (!list || (!has_owner(list, id) && !is_left_out(list, id))) continue;
    assert(selectors.count < SB_SELECTORS_MAX);
    selectors.by[selectors.count++] = (sb_option_id)s;
  }
  return selectors;
}

const sb_vocabulary *sb_vocabulary_with(const sb_vocabulary *vocabulary, const char *family, const sb_entry *entry,
                                        sb_arena *arena)
{
  const sb_list   *before = sb_vocabulary_list(vocabulary, family);
  sb_list         *list = sb_arena_take(arena, 1, sizeof *list);
  const sb_entry **entries = sb_arena_take(arena, before->count + 1, sizeof *entries);
  const sb_list  **lists = sb_arena_take(arena, vocabulary->count, sizeof *lists);
  sb_selectors    *selectors = sb_arena_take(arena, SB_OPT_COUNT, sizeof *selectors);
  sb_vocabulary   *all = sb_arena_take(arena, 1, sizeof *all);
  memcpy(entries, before->entries, before->count * sizeof *entries);
  entries[before->count] = entry;
  *list = *before;
  list->entries = entries;
  list->count = before->count + 1;
  for (size_t i = 0; i < vocabulary->count; ++i)
    lists[i] = vocabulary->lists[i] == before ? list : vocabulary->lists[i];
  *all = (sb_vocabulary){lists, vocabulary->count, NULL};
  for (int i = 0; i < SB_OPT_COUNT; ++i) selectors[i] = sb_option_selectors((sb_option_id)i, all);
  all->selectors = selectors;
  return all;
}

bool sb_option_is_owned(sb_option_id id, const sb_vocabulary *vocabulary)
{
  return sb_option_selectors(id, vocabulary).count > 0;
}

bool sb_options_keyed(const sb_options *options, sb_option_id id)
{
  const sb_vocabulary *vocabulary = sb_options_vocabulary(options);
  const sb_selectors   selectors = sb_option_selectors(id, vocabulary);
  for (size_t s = 0; s < selectors.count; ++s) {
    const sb_option_id selector = selectors.by[s];
    const sb_entry    *entry = chosen(options, chosen_from(vocabulary, selector), selector);
    if (entry && sb_has_word(entry->uses, sb_option_at(id)->name) && sb_options_keyed(options, selector)) return true;
  }
  return selectors.count == 0;
}

/* The option by which a case chooses an entry that leaves out `id`; sb_option_count: there is none. *read: an owner is
 * chosen, or there are none. */
static sb_option_id leaving_out(const sb_options *options, sb_option_id id, bool *read)
{
  const sb_vocabulary *vocabulary = sb_options_vocabulary(options);
  const sb_selectors   selectors = sb_option_selectors(id, vocabulary);
  *read = selectors.count == 0;
  for (size_t s = 0; s < selectors.count; ++s) {
    const sb_option_id selector = selectors.by[s];
    const sb_entry    *entry = chosen(options, chosen_from(vocabulary, selector), selector);
    const bool         left = leaves_out(entry, id);
    if ((!left && (*read || !is_owner(entry, id))) || !sb_options_read(options, selector)) continue;
    if (left) return selector;
    *read = true;
  }
  return sb_option_count;
}

bool sb_options_read(const sb_options *options, sb_option_id id)
{
  bool               read;
  const sb_option_id by = leaving_out(options, id, &read);
  return read && by == sb_option_count && !unmet(options, id);
}

bool sb_options_left_out(const sb_options *options, sb_option_id id)
{
  bool read;
  return leaving_out(options, id, &read) != sb_option_count;
}

bool sb_options_lack_entry(const sb_options *options)
{
  bool lacks = false;
  for (int s = 0; s < SB_OPT_COUNT && !lacks; ++s) {
    const sb_option_id id = (sb_option_id)s;
    const sb_list     *list = sb_option_list(id, sb_options_vocabulary(options));
    lacks =
        list && list->open && sb_options_has(options, id) && sb_options_read(options, id) && !chosen(options, list, id);
  }
  return lacks;
}

/* "linear=petsc or jacobi", or nothing if an owner is already chosen; then, if the selector is not read either, the
 * setting that would make it read. */
static void put_choice(const sb_options *options, const sb_list *list, sb_option_id selector, sb_option_id id,
                       FILE *stream)
{
  const bool met = owner_is_chosen(options, list, selector, id), read = sb_options_read(options, selector);
  size_t     count = 0;
  for (size_t n = 0; n < list->count && !met; ++n) {
    if (!is_owner(list->entries[n], id)) continue;
    fputs(count == 0 ? sb_option_at(selector)->name : " or ", stream);
    fprintf(stream, "%s%s", count++ == 0 ? "=" : "", list->entries[n]->name);
  }
  if (read) return;
  char *first = sb_options_readers(options, selector);
  fprintf(stream, "%s%s", met ? "" : " with ", first);
  free(first);
}

/* True if a chosen name would make the case read it, provided that its selector were read. */
static bool has_chosen_owner(const sb_options *options, sb_option_id id)
{
  for (int s = 0; s < SB_OPT_COUNT; ++s) {
    const sb_list *list = chosen_from(sb_options_vocabulary(options), (sb_option_id)s);
    if (list && owner_is_chosen(options, list, (sb_option_id)s, id)) return true;
  }
  return false;
}

/* The nearest choice first: options.def has drivers before integrators, minimisers and linear solvers. If an owner is
 * already chosen, the choices of others do not matter. */
char *sb_options_readers(const sb_options *options, sb_option_id id)
{
  char              *text = NULL;
  size_t             length = 0, count = 0;
  bool               read;
  const bool         chosen_only = has_chosen_owner(options, id);
  const sb_option_id by = leaving_out(options, id, &read);
  if (by != sb_option_count)
    return sb_format("another %s than %s", sb_option_at(by)->name, sb_options_peek(options, by));
  const struct condition *without = read ? unmet(options, id) : NULL;
  if (without) return sb_format("%s=%s", sb_option_at(without->other)->name, without->value);
  FILE *stream = sb_text_stream(&text, &length);
  for (int s = SB_OPT_COUNT; s-- > 0;) {
    const sb_list *list = chosen_from(sb_options_vocabulary(options), (sb_option_id)s);
    if (!list || !has_owner(list, id)) continue;
    if (chosen_only && !owner_is_chosen(options, list, (sb_option_id)s, id)) continue;
    fputs(count++ > 0 ? ", or " : "", stream);
    put_choice(options, list, (sb_option_id)s, id, stream);
  }
  fclose(stream);
  return text;
}

char *sb_options_next_default(const char **list, sb_option_id *id)
{
  const char  *pair = *list + strspn(*list, " ");
  const size_t length = strcspn(pair, " "), name = strcspn(pair, "=");
  if (length == 0) return NULL;
  char *option = sb_copy_span(pair, name);
  *id = sb_option_find(option);
  free(option);
  *list = pair + length;
  return sb_copy_span(pair + name + 1, length - name - 1);
}

void sb_options_apply_defaults(sb_options *options, sb_option_id selector, sb_origin origin)
{
  const sb_location where = sb_options_location(options, selector);
  const char       *list = sb_options_defaults(options, selector);
  sb_option_id      id;
  for (char *value; (value = sb_options_next_default(&list, &id)); free(value))
    if (sb_options_origin(options, id) != SB_FROM_USER)
      sb_options_set(options, id, value, origin, origin == SB_FROM_USER ? where : (sb_location){0}, NULL);
}
