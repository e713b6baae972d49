/* Cells of a results table; see value.h. */
#include "harness/common/value.h"

#include <string.h>

#include "harness/common/text.h"

bool sb_value_same(sb_value a, sb_value b)
{
  if (a.kind != b.kind) return false;
  if (a.kind == SB_NUMBER) return a.number == b.number;
  if (a.kind == SB_TRUTH) return a.truth == b.truth;
  return a.kind != SB_WORD || strcmp(a.word, b.word) == 0;
}

char *sb_value_text(sb_arena *arena, sb_value value)
{
  char number[SB_NUMBER_TEXT];
  return sb_arena_copy(arena, value.kind == SB_NUMBER  ? sb_text_exact(value.number, number)
                              : value.kind == SB_WORD  ? value.word
                              : value.kind == SB_TRUTH ? (value.truth ? "true" : "false")
                                                       : "");
}
