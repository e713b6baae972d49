/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A cell of a results table: blank, a number, a word or a truth value. If expressions are checked before anything has
 * run, a cell is unknown, with the kinds that it may have. Local. */
#pragma once

#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "cases/common/text.h"

typedef enum { SB_BLANK, SB_NUMBER, SB_WORD, SB_TRUTH, SB_UNKNOWN } sb_value_kind;

/* For unknown values: the kinds that they may have, joined by `|`. They may also be blank. */
enum { SB_MAY_BE_NUMBER = 1 << SB_NUMBER, SB_MAY_BE_WORD = 1 << SB_WORD, SB_MAY_BE_TRUTH = 1 << SB_TRUTH };

/* Why the value of an expression is unknown (expression_tree.h). */
typedef struct sb_reason sb_reason;

typedef struct {
  sb_value_kind kind;
  double        number;
  const char   *word; /* borrowed from the maker of the value */
  bool          truth;
  unsigned      may_be; /* for SB_UNKNOWN, as are the next: it is a number of operations that nobody counted */
  bool          uncounted;
  sb_reason    *why;
} sb_value;

/* True if two values have the same kind and are equal. */
static inline bool sb_value_same(sb_value a, sb_value b)
{
  if (a.kind != b.kind) return false;
  if (a.kind == SB_NUMBER) return a.number == b.number;
  if (a.kind == SB_TRUTH) return a.truth == b.truth;
  return a.kind != SB_WORD || strcmp(a.word, b.word) == 0;
}

/* The value as text in the arena: words unchanged, numbers with all their digits, "true" or "false", "" for blank. */
static inline char *sb_value_text(sb_arena *arena, sb_value value)
{
  char number[SB_NUMBER_TEXT];
  return sb_arena_copy(arena, value.kind == SB_NUMBER  ? sb_text_exact(value.number, number)
                              : value.kind == SB_WORD  ? value.word
                              : value.kind == SB_TRUTH ? (value.truth ? "true" : "false")
                                                       : "");
}
