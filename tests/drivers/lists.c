/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every entry of every list of the program, by what they have in common: a newcomer needs no test of its own for it. */
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/option_ids.h"
#include "drivers/drivers.h"
#include "tests/cmocka_all.h"

/* Names that a user could type for an entry: its own, and its aliases. */
static void check_words(const sb_list *list, sb_arena *arena)
{
  for (size_t i = 0; i < list->count; ++i) {
    const sb_entry *entry = sb_list_at(list, i);
    const char     *with = NULL;
    if (sb_list_find(list, entry->name) != entry) fail_msg("%s: two entries are called %s", list->family, entry->name);
    for (const sb_alias *alias = entry->aliases; alias && alias->name; ++alias) {
      if (sb_list_find(list, alias->name)) fail_msg("%s: alias %s is a name", list->family, alias->name);
      const bool  first = sb_list_meant(list, alias->name, &with) == entry->name && with == alias->with;
      const char *quoted = sb_arena_format(arena, "'%s'", entry->name);
      if (!first && list != &sb_option_entries)
        fail_msg("%s: two entries have the alias %s", list->family, alias->name);
      if (!strstr(sb_list_suggestion(list, alias->name, arena), quoted))
        fail_msg("%s: %s is not suggested for %s", list->family, entry->name, alias->name);
    }
  }
  assert_null(sb_list_at(list, list->count));
  assert_null(sb_list_find(list, "no_such_name"));
}

/* `uses` and `defaults` are of options that there are, with values that they take. */
static void check_options(const sb_list *list, const sb_entry *entry)
{
  sb_options *options = sb_options_create(sb_full_vocabulary());
  char       *uses = sb_copy_text(entry->uses ? entry->uses : ""), *rest = uses, *word = NULL;
  while ((word = strsep(&rest, " ")) != NULL)
    if (*uses && sb_option_find(word) == SB_OPT_COUNT) fail_msg("%s %s uses '%s'", list->family, entry->name, word);
  free(uses);
  char *defaults = rest = sb_copy_text(entry->defaults ? entry->defaults : "");
  while ((word = strsep(&rest, " ")) != NULL)
    if (*word && !sb_options_set_pair(options, word, SB_FROM_SCENE, (sb_location){0}, NULL))
      fail_msg("%s %s has the default '%s'", list->family, entry->name, word);
  free(defaults);
  sb_options_destroy(&options);
}

static void check_facts(const sb_list *list, const sb_entry *entry, sb_arena *arena)
{
  sb_description d = {.arena = arena};
  if (list->describe) list->describe(entry, &d);
  for (const sb_fact *fact = d.first; fact; fact = fact->next) {
    assert_int_equal(fact->key == NULL, fact->kind == SB_FACT_CLAIM);
    if (fact->kind == SB_FACT_CLAIM) assert_true(strlen(fact->text) > 3);
    if (fact->kind != SB_FACT_ROW) continue;
    size_t count = 0;
    while (fact->row[count]) ++count;
    if (count % 2 || strcmp(fact->row[0], "name") != 0 || strcmp(fact->row[count - 2], "sentence") != 0)
      fail_msg("%s %s: a row of %s has no name or no sentence", list->family, entry->name, fact->key);
  }
}

static void entries_say_what_they_are(void **state)
{
  const sb_vocabulary *vocabulary = sb_full_vocabulary();
  sb_arena            *arena = sb_arena_create();
  (void)state;
  for (size_t l = 0; l < vocabulary->count; ++l) {
    const sb_list *list = vocabulary->lists[l];
    assert_ptr_equal(sb_vocabulary_list(vocabulary, list->family), list);
    assert_true(strlen(list->title) > 3 && list->about[strlen(list->about) - 1] == '.' && list->count > 0);
    check_words(list, arena);
    for (size_t i = 0; i < list->count; ++i) {
      const sb_entry *entry = sb_list_at(list, i);
      if (strlen(entry->summary) < 4 || entry->summary[strlen(entry->summary) - 1] == '.')
        fail_msg("%s %s: summary '%s'", list->family, entry->name, entry->summary);
      check_options(list, entry);
      check_facts(list, entry, arena);
    }
  }
  sb_arena_destroy(&arena);
}

/* Every "@family" of options.def is a list that the program has. */
static void options_choose_from_lists(void **state)
{
  (void)state;
  for (int i = 0; i < SB_OPT_COUNT; ++i) {
    const sb_option *option = sb_option_at((sb_option_id)i);
    if (*option->range == '@' && !sb_option_list((sb_option_id)i, sb_full_vocabulary()))
      fail_msg("%s takes %s, and there is no such list", option->name, option->range);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(entries_say_what_they_are),
                                     cmocka_unit_test(options_choose_from_lists)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
