/* Lists of words in one text, which single blanks separate: "drag stiffness". Local. */
#pragma once

#include <stdbool.h>

/* Whether `word` is one of `words`, which may be NULL. */
bool sb_has_word(const char *words, const char *word);
