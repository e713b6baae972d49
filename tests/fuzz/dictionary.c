/* Words for libFuzzer to put into inputs, from the program's own lists: names of options, their choices, and of every
 * family and composite part; names of drivers' columns. `fuzz_dictionary` prints them as a dictionary file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases/describe/vocabulary.h"
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

static void put_family(const sb_family *family)
{
  const size_t count = family->count;
  for (size_t i = 0; family->names && i < count; ++i) put("", family->names[i], "");
  for (size_t i = 0; family->forms && i < count; ++i) {
    put("", family->forms[i]->name, ":");
    for (size_t p = 0; p < family->forms[i]->parts; ++p) put("", family->forms[i]->part[p].name, "=");
  }
}

int main(void)
{
  const sb_vocabulary *vocabulary = sb_vocabulary_of(sb_experiment_drivers());
  for (int i = 0; i < SB_OPT_COUNT; ++i) {
    const sb_option *option = sb_option_at((sb_option_id)i);
    put("", option->name, "=");
    put("", option->name, ": ");
    put_choices(option->range);
  }
  for (size_t i = 0; i < vocabulary->count; ++i) put_family(&vocabulary->families[i]);
  return 0;
}
