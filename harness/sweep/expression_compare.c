/* Comparisons of two values. Numbers compare as numbers, words as text; a number beside a word is a mistake that is
 * reported, not false. */
#include <ctype.h>
#include <regex.h>
#include <string.h>

#include "harness/sweep/expression_tree.h"

enum { PATTERN_LENGTH_MAX = 128, PLUSES_MAX = 10 };

/* What takes all memory or time in glibc: nested counts such as (a{1,999}){1,999}; a + doubles what it repeats, and
 * nested ones do so again; references to groups such as (.*)(.*)\1\2 are searched for in every division of the text. */
static bool is_cheap(const char *pattern)
{
  size_t pluses = 0;
  for (const char *c = pattern; *c; ++c) {
    pluses += *c == '+';
    if (*c == '{' || (c[0] == '\\' && isdigit((unsigned char)c[1]))) return false;
  }
  return pluses <= PLUSES_MAX && strlen(pattern) <= PATTERN_LENGTH_MAX;
}

bool sb_pattern_valid(const char *pattern)
{
  if (!is_cheap(pattern)) return false;
  regex_t expression;
  if (regcomp(&expression, pattern, REG_EXTENDED | REG_NOSUB) != 0) return false;
  regfree(&expression);
  return true;
}

static bool matches(const char *text, const char *pattern, bool *truth, char *error)
{
  regex_t expression;
  if (!sb_pattern_valid(pattern) || regcomp(&expression, pattern, REG_EXTENDED | REG_NOSUB) != 0)
    return sb_expression_fail(error, "'%.64s' is not a regular expression", pattern);
  *truth = regexec(&expression, text, 0, NULL, 0) == 0;
  regfree(&expression);
  return true;
}

static bool holds(sb_comparison comparison, int order)
{
  switch (comparison) {
  case SB_UNEQUAL: return order != 0;
  case SB_LESS: return order < 0;
  case SB_LESS_EQUAL: return order <= 0;
  case SB_GREATER: return order > 0;
  case SB_GREATER_EQUAL: return order >= 0;
  default: return order == 0;
  }
}

static bool compare_words(sb_comparison comparison, const char *left, const char *right, bool *truth, char *error)
{
  if (comparison == SB_MATCHES) return matches(left, right, truth, error);
  if (comparison != SB_EQUAL && comparison != SB_UNEQUAL && comparison != SB_IN && comparison != SB_NOT_IN)
    return sb_expression_fail(error, "the words '%.64s' and '%.64s' have no order", left, right);
  *truth = holds(comparison, strcmp(left, right));
  return true;
}

/* Truth values are the words true and false: line_search == true. */
static sb_value as_word(sb_value value)
{
  if (value.kind != SB_TRUTH) return value;
  return (sb_value){.kind = SB_WORD, .word = value.truth ? "true" : "false"};
}

bool sb_values_compare(sb_comparison comparison, sb_value left, sb_value right, bool *truth, char *error)
{
  *truth = false;
  if (left.kind == SB_BLANK || right.kind == SB_BLANK) return true;
  const sb_value a = as_word(left), b = as_word(right);
  if (a.kind == SB_WORD && b.kind == SB_WORD) return compare_words(comparison, a.word, b.word, truth, error);
  char buffer[32];
  if (a.kind == SB_WORD || b.kind == SB_WORD) {
    const sb_value word = a.kind == SB_WORD ? a : b, number = a.kind == SB_WORD ? b : a;
    return sb_expression_fail(error, "the word '%.64s' is compared with the number %s", word.word,
                              sb_format_real(number.number, buffer));
  }
  if (comparison == SB_MATCHES)
    return sb_expression_fail(error, "'~' compares words, not the number %s", sb_format_real(a.number, buffer));
  *truth = holds(comparison, (a.number > b.number) - (a.number < b.number));
  return true;
}
