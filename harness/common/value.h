/* A cell of a results table: blank, a number, a word, or a truth value. Local. */
#pragma once

#include <stdbool.h>

#include "base/arena.h"

typedef enum { SB_BLANK, SB_NUMBER, SB_WORD, SB_TRUTH } sb_value_kind;

typedef struct {
  sb_value_kind kind;
  double        number;
  const char   *word; /* borrowed from whoever made the value */
  bool          truth;
} sb_value;

/* Tells whether two values are of one kind and equal. */
bool sb_value_same(sb_value a, sb_value b);
/* The value as text in the arena: words as they are, numbers with all their digits, "true" or "false", "" for blank. */
char *sb_value_text(sb_arena *arena, sb_value value);
