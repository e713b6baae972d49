/* A cell of a results table: blank, a number, a word, or a truth value. Local. */
#pragma once

#include <stdbool.h>

typedef enum { SB_BLANK, SB_NUMBER, SB_WORD, SB_TRUTH } sb_value_kind;

typedef struct {
  sb_value_kind kind;
  double        number;
  const char   *word; /* borrowed from whoever made the value */
  bool          truth;
} sb_value;
