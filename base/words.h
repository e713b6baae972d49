/* Lists of words in one text, which single blanks separate ("drag stiffness"), and lists of texts. Local. */
#pragma once

#include <stdbool.h>

#include "base/arena.h"

/* Whether `word` is one of `words`, which may be NULL. */
bool sb_has_word(const char *words, const char *word);

/* Texts in the order in which they came, each once. All zero: none yet. The texts are borrowed. */
typedef struct {
  size_t       count;
  const char **names;
} sb_names;
/* The place of a name, (size_t)-1 where it is not there; and the same after it has been added. */
size_t sb_names_find(const sb_names *list, const char *name);
size_t sb_names_add(sb_arena *arena, sb_names *list, const char *name);
