/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The patterns of `~`: extended regular expressions. Those that are needed row after row are kept. */
#include <ctype.h>
#include <regex.h>
#include <string.h>

#include "harness/sweep/expression_tree.h"

/* The last few patterns: one is needed row after row, and compiling it takes as long as a hundred matches. */
enum { PATTERN_LENGTH_MAX = 128, PLUSES_MAX = 10, PATTERNS_KEPT = 4 };
static struct {
  bool    there;
  char    text[PATTERN_LENGTH_MAX + 1];
  regex_t compiled;
} kept[PATTERNS_KEPT];

/* NULL if it is not a pattern. At most PATTERN_LENGTH_MAX characters. */
static const regex_t *find_compiled(const char *pattern)
{
  static size_t next = 0;
  for (size_t i = 0; i < PATTERNS_KEPT; ++i)
    if (kept[i].there && strcmp(kept[i].text, pattern) == 0) return &kept[i].compiled;
  next = (next + 1) % PATTERNS_KEPT;
  if (kept[next].there) regfree(&kept[next].compiled);
  kept[next].there = regcomp(&kept[next].compiled, pattern, REG_EXTENDED | REG_NOSUB) == 0;
  if (kept[next].there) memcpy(kept[next].text, pattern, strlen(pattern) + 1);
  return kept[next].there ? &kept[next].compiled : NULL;
}

/* The result of regexec; -1 if the pattern is invalid, or could take all memory or time in glibc. Examples are nested
 * counts such as (a{1,999}){1,999}; nested +, each of which doubles the work; and references to groups such as
 * (.*)(.*)\1\2, which are searched in every division of the text. */
int sb_pattern_match(const char *pattern, const char *text)
{
  size_t pluses = 0;
  bool   cheap = strlen(pattern) <= PATTERN_LENGTH_MAX;
  for (const char *c = pattern; *c; ++c) {
    pluses += *c == '+';
    cheap = cheap && *c != '{' && (c[0] != '\\' || !isdigit((unsigned char)c[1]));
  }
  const regex_t *compiled = cheap && pluses <= PLUSES_MAX ? find_compiled(pattern) : NULL;
  return compiled ? regexec(compiled, text, 0, NULL, 0) : -1;
}
