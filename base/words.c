/* Lists of words; see words.h. */
#include "base/words.h"

#include <string.h>

bool sb_has_word(const char *words, const char *word)
{
  const size_t length = strlen(word);
  for (const char *at = words; at; at = strchr(at, ' ')) {
    at += *at == ' ';
    if (strncmp(at, word, length) == 0 && (at[length] == ' ' || at[length] == '\0')) return true;
  }
  return false;
}
