/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Splits a line of options; see words.h. */
#include "library/words.h"

#include <string.h>

static const char blanks[] = " \t\n\r";

/* Copies the next word to `to` without its quotes, and ends it. Returns the rest of the line; NULL: an open quote. */
static const char *take_word(const char *line, char *to)
{
  while (*line && !strchr(blanks, *line)) {
    const char  quote = *line == '\'' || *line == '"' ? *line++ : '\0';
    const char *end = quote ? strchr(line, quote) : line + strcspn(line, " \t\n\r'\"");
    if (!end) return NULL;
    memcpy(to, line, (size_t)(end - line));
    to += end - line;
    line = end + (quote != '\0');
  }
  *to = '\0';
  return line;
}

const char *const *sb_split_words(const char *line, sb_arena *arena)
{
  const size_t length = strlen(line);
  const char **words = sb_arena_take(arena, length / 2 + 2, sizeof *words);
  char        *room = sb_arena_take(arena, 2 * length + 2, 1);
  size_t       count = 0;
  for (line += strspn(line, blanks); *line; line += strspn(line, blanks)) {
    words[count++] = room;
    line = take_word(line, room);
    if (!line) return NULL;
    room += strlen(room) + 1;
  }
  words[count] = NULL;
  return words;
}
