/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words for libFuzzer to put into inputs, from the program's own lists: names of options, their choices, and of every
 * family and composite part; names of drivers' columns. `fuzz_dictionary` prints them as a dictionary file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases/describe/names.h"
#include "base/option_ids.h"
#include "drivers/drivers.h"

static void put(const char *before, const char *word, const char *after)
{
  printf("\"%s", before);
  for (; *word; ++word)
    if (*word == '"' || *word == '\\')
      printf("\\%c", *word);
    else
      putchar(*word);
  printf("%s\"\n", after);
}

static void put_choices(const char *range)
{
  char *storage = strdup(range), *rest = storage, *word = NULL;
  while (storage && (word = strsep(&rest, "|")) != NULL)
    if (*word && !strchr("[(@", *word)) put("", word, "");
  free(storage);
}

static void put_list(const sb_list *list)
{
  const bool forms = list->describe == sb_form_facts;
  for (size_t i = 0; i < list->count; ++i) {
    const sb_form *form = (const void *)list->entries[i];
    put("", list->entries[i]->name, forms ? ":" : "");
    for (size_t p = 0; forms && p < form->parts; ++p) put("", form->part[p].name, "=");
  }
}

int main(void)
{
  const sb_vocabulary *vocabulary = sb_full_vocabulary();
  for (int i = 0; i < SB_OPT_COUNT; ++i) {
    const sb_option *option = sb_option_at((sb_option_id)i);
    put("", option->name, "=");
    put("", option->name, ": ");
    put_choices(option->range);
  }
  for (size_t i = 0; i < vocabulary->count; ++i) put_list(vocabulary->lists[i]);
  return 0;
}
