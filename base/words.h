/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of words in one text, separated by single blanks ("drag stiffness"), and lists of texts. Local. */
#pragma once

#include <stdbool.h>

#include "base/arena.h"

/* True if `word` is one of `words`, which may be NULL. */
bool sb_has_word(const char *words, const char *word);

/* Distinct texts in the order in which they were added; borrowed. All zero: empty. */
typedef struct {
  size_t       count;
  const char **names;
} sb_names;
/* find returns the index of a name, (size_t)-1 if it is absent. add appends it if absent and returns its index. */
size_t sb_names_find(const sb_names *list, const char *name);
size_t sb_names_add(sb_arena *arena, sb_names *list, const char *name);
/* "a, b"; of more than `most` names the first ones and the number of all: "a, b, … (9)". "" without names. */
char *sb_names_join(sb_arena *arena, const sb_names *list, const char *separator, size_t most);
