/* Cells of a results table; see value.h. */
#include "harness/common/value.h"

#include <string.h>

#include "harness/common/text.h"

bool sb_value_same(sb_value a, sb_value b)
{
  if (a.kind != b.kind) return false;
  switch (a.kind) {
  case SB_NUMBER:
    return a.number == b.number;
  case SB_WORD:
    return strcmp(a.word, b.word) == 0;
  case SB_TRUTH:
    return a.truth == b.truth;
  default:
    return true;
  }
}

char *sb_value_text(sb_arena *arena, sb_value value)
{
  char number[SB_NUMBER_TEXT];
  switch (value.kind) {
  case SB_NUMBER:
    return sb_arena_copy(arena, sb_text_exact(value.number, number));
  case SB_WORD:
    return sb_arena_copy(arena, value.word);
  case SB_TRUTH:
    return sb_arena_copy(arena, value.truth ? "true" : "false");
  default:
    return sb_arena_copy(arena, "");
  }
}
