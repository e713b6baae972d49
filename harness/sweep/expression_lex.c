/* Tokens of expressions. Numbers are decimal and the same in every locale; strings stand in '…' or "…" and have no
 * escapes; bytes above 127 stand in strings only. */
#include <string.h>

#include "harness/sweep/expression_tree.h"

static const char digits[] = "0123456789";
static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
static const char name_characters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

static bool is_one_of(const char *set, char c) { return c != '\0' && strchr(set, c) != NULL; }

static size_t number_length(const char *text)
{
  size_t n = strspn(text, digits);
  if (text[n] == '.') n += 1 + strspn(text + n + 1, digits);
  if (text[n] == 'e' || text[n] == 'E') {
    const size_t sign = is_one_of("+-", text[n + 1]);
    const size_t exponent = strspn(text + n + 1 + sign, digits);
    if (exponent > 0) n += 1 + sign + exponent;
  }
  return n;
}

static sb_token number_token(const char *text, size_t at)
{
  const size_t end = at + number_length(text + at);
  if (is_one_of(name_characters, text[end]))
    return (sb_token){SB_TOKEN_BAD, at, end + strspn(text + end, name_characters), "a number with junk behind it:"};
  return (sb_token){SB_TOKEN_NUMBER, at, end, NULL};
}

static sb_token string_token(const char *text, size_t at)
{
  const char *closing = strchr(text + at + 1, text[at]);
  if (!closing) return (sb_token){SB_TOKEN_BAD, at, strlen(text), "a string without its closing quote:"};
  return (sb_token){SB_TOKEN_STRING, at, (size_t)(closing - text) + 1, NULL};
}

sb_token sb_expression_token(const char *text, size_t from)
{
  const size_t at = from + strspn(text + from, " \t\r\n");
  const char  *t = text + at;
  if (*t == '\0') return (sb_token){SB_TOKEN_END, at, at, NULL};
  if (is_one_of(digits, *t) || (*t == '.' && is_one_of(digits, t[1]))) return number_token(text, at);
  if (is_one_of(letters, *t)) return (sb_token){SB_TOKEN_NAME, at, at + strspn(t, name_characters), NULL};
  if (*t == '\'' || *t == '"') return string_token(text, at);
  if (is_one_of("=!<>", *t) && t[1] == '=') return (sb_token){SB_TOKEN_SYMBOL, at, at + 2, NULL};
  if (is_one_of("<>~+-*/^()[],=", *t)) return (sb_token){SB_TOKEN_SYMBOL, at, at + 1, NULL};
  size_t end = at + 1;
  while (((unsigned char)text[end] & 0xC0) == 0x80) ++end; /* the rest of a UTF-8 character */
  return (sb_token){SB_TOKEN_BAD, at, end, "a character that means nothing here (words with such stand in quotes):"};
}
