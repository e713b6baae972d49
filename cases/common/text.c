/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers, lines, Markdown, HTML, words of a shell, names of files, limits; see text.h. */
#include "cases/common/text.h"

#include <ctype.h>
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/diagnostics.h"
#include "base/number.h"

char *sb_text_rounded(double number, int digits, char text[SB_NUMBER_TEXT])
{
  if (!isfinite(number) || number == 0) return sb_text_exact(number, text);
  snprintf(text, SB_NUMBER_TEXT, "%.*e", digits - 1, number);
  const double rounded = strtod(text, NULL);
  const int    power = atoi(strchr(text, 'e') + 1);
  if (power >= -4 && power < 7)
    snprintf(text, SB_NUMBER_TEXT, "%.*f", digits - 1 > power ? digits - 1 - power : 0, rounded);
  else
    snprintf(strchr(text, 'e') + 1, 8, "%d", power); /* 1.2e-07 -> 1.2e-7 */
  return text;
}

char *sb_text_exact(double number, char text[SB_NUMBER_TEXT])
{
  if (fabs(number) < 1e15 && number == floor(number))
    snprintf(text, SB_NUMBER_TEXT, "%.0f", number + 0.0);
  else
    sb_format_real(number, text);
  return text;
}

/* The number that `digits` significant digits give. */
static double rounded_to(double number, int digits)
{
  char text[SB_NUMBER_TEXT];
  snprintf(text, sizeof text, "%.*e", digits - 1, number);
  return strtod(text, NULL);
}

static bool is_whole(double number) { return number == floor(number); }

char *sb_text_short(double number, int digits, char text[SB_NUMBER_TEXT])
{
  enum { FEW = 7, ROUND_ZEROS = 3, NOISE = 12 }; /* beyond NOISE digits a number is whole except for rounding */
  const bool whole = is_whole(number);
  int        exact = 1;
  while (exact < 17 && rounded_to(number, exact) != number) ++exact;
  if (!isfinite(number) || number == 0 || (whole && exact > ROUND_ZEROS)) return sb_text_exact(number, text);
  if (exact <= FEW || exact < digits) digits = exact;
  while (!whole && digits < NOISE && digits < exact && is_whole(rounded_to(number, digits))) ++digits;
  sb_text_rounded(number, digits, text);
  char *point = strchr(text, '.'), *power = strchr(text, 'e');
  char *end = power ? power : text + strlen(text), *last = end;
  while (point && last > point && (last[-1] == '0' || last[-1] == '.')) --last;
  memmove(last, end, strlen(end) + 1);
  return text;
}

char *sb_counted(sb_arena *arena, size_t count, const char *noun)
{
  return sb_arena_format(arena, "%zu %s%s", count, noun, sb_by_count(count, "", "s"));
}

const char *sb_by_count(size_t count, const char *one, const char *several) { return count == 1 ? one : several; }

bool sb_text_is_number_format(const char *format)
{
  static const char shape[] = "^([^%]|%%)*%[-+ #0]*[0-9]{0,2}(\\.[0-9]{0,2})?[eEfFgG]([^%]|%%)*$";
  regex_t           pattern;
  if (strlen(format) > 64 || regcomp(&pattern, shape, REG_EXTENDED | REG_NOSUB) != 0) return false;
  const bool is_one = regexec(&pattern, format, 0, NULL, 0) == 0;
  regfree(&pattern);
  return is_one;
}

size_t sb_text_width(const char *text)
{
  size_t width = 0;
  for (; *text; ++text) width += ((unsigned char)*text & 0xc0) != 0x80; /* continuation bytes of UTF-8 have no width */
  return width;
}

/* Writes the first character of a text, or a blank for a byte that must not reach a terminal. Returns its length. */
static size_t put_character(FILE *stream, const char *text)
{
  const size_t length = sb_printable_character(text);
  fwrite(length > 0 ? text : " ", 1, length > 0 ? length : 1, stream);
  return length > 0 ? length : 1;
}

void sb_text_put_plain(FILE *stream, const char *text)
{
  while (*text) text += put_character(stream, text);
}

void sb_text_put_lines(FILE *stream, const char *text)
{
  while (*text) {
    const bool breaks = *text == '\n' || *text == '\t';
    if (breaks) fputc(*text, stream);
    text += breaks ? 1 : put_character(stream, text);
  }
}

int sb_text_put_wrapped(FILE *stream, const char *text, int indent, int column)
{
  bool fresh = column == 0 || column == indent;
  for (text += strspn(text, " \n"); *text; text += strspn(text, " \n")) {
    SB_OWNED char *word = sb_copy_span(text, strcspn(text, " \n"));
    const int      width = (int)sb_text_width(word);
    if (!fresh && column + 1 + width > SB_LINE_WIDTH) {
      fprintf(stream, "\n%*s", indent, "");
      column = indent;
    } else if (!fresh) {
      fputc(' ', stream);
      column++;
    }
    sb_text_put_plain(stream, word);
    column += width;
    text += strlen(word);
    fresh = false;
  }
  return column;
}

/* The beginning of a line may make it a heading, a rule or an item of a list: "- a", "1. a", "===". */
static bool begins_block(const char *text, const char *c)
{
  if (strchr("-+=", *c)) return c == text && (c[1] == *c || c[1] == ' ' || c[1] == '\0');
  return strchr(".)", *c) && c > text && strspn(text, "0123456789") == (size_t)(c - text) &&
         (c[1] == ' ' || c[1] == '\0');
}

size_t sb_text_sign(const char *text)
{
  static const char *const signs[] = {"✓", "◐", "≠", "✗", "–"};
  for (size_t i = 0; i < sizeof signs / sizeof *signs; ++i)
    if (strncmp(text, signs[i], strlen(signs[i])) == 0) return i + 1;
  return 0;
}

/* An underscore inside a word is not markup. */
void sb_text_put_markdown(FILE *stream, const char *text)
{
  text += strspn(text, " \t\r\n");
  if (sb_text_sign(text) > 0 && strcmp(text, "–") != 0) fputs(SB_JOINER, stream);
  for (const char *c = text; *c;) {
    const bool inside = c > text && isalnum((unsigned char)c[-1]) && isalnum((unsigned char)c[1]);
    if (strchr("\\|`*[]<>$#&~", *c) || (*c == '_' && !inside) || begins_block(text, c)) fputc('\\', stream);
    c += put_character(stream, c);
  }
}

void sb_text_put_html(FILE *stream, const char *text)
{
  static const char        special[] = "&<>\"'\n";
  static const char *const instead[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;", "\n"};
  while (text && *text) {
    const char *found = strchr(special, *text);
    if (found) fputs(instead[found - special], stream);
    text += found ? 1 : put_character(stream, text);
  }
}

/* Writes characters that are not plain by their number, after `escape`. */
static void put_encoded(FILE *stream, const char *text, const char *plain, char escape)
{
  for (; *text; ++text)
    if (isalnum((unsigned char)*text) || strchr(plain, *text))
      fputc(*text, stream);
    else
      fprintf(stream, "%c%02X", escape, (unsigned char)*text);
}

/* Pairs of a text and its substitute in LaTeX: for characters of commands, and for those that its standard fonts lack.
 */
static const char *const latex_texts[] = {"\\", "backslash", "~", "asciitilde", "^", "asciicircum", "<", "less",
                                          ">",  "greater",   "|", "bar",        "`", "asciigrave",  NULL};
static const char *const latex_others[] = {"--", "-{}-", "–",  "--", "—",  "---", "‘",        "`", "’",
                                           "'",  "“",    "``", "”",  "''", "…",   "\\dots{}", NULL};
static const char *const latex_signs[] = {
    "−", "-",        "×", "\\times",  "·", "\\cdot",   "≤", "\\le",      "≥", "\\ge",         "±", "\\pm",
    "≈", "\\approx", "²", "^2",       "³", "^3",       "°", "^\\circ",   "¹", "^1",           "⁻", "^-",
    "½", "\\frac12", "√", "\\surd",   "∇", "\\nabla",  "∂", "\\partial", "∈", "\\in",         "→", "\\to",
    "≠", "\\ne",     "∝", "\\propto", "‖", "\\Vert",   "∞", "\\infty",   "µ", "\\mu",         "μ", "\\mu",
    "α", "\\alpha",  "β", "\\beta",   "γ", "\\gamma",  "δ", "\\delta",   "ε", "\\varepsilon", "ζ", "\\zeta",
    "η", "\\eta",    "κ", "\\kappa",  "λ", "\\lambda", "π", "\\pi",      "ρ", "\\rho",        "σ", "\\sigma",
    "τ", "\\tau",    "φ", "\\varphi", "χ", "\\chi",    "ψ", "\\psi",     "ω", "\\omega",      "Γ", "\\Gamma",
    "Δ", "\\Delta",  "Θ", "\\Theta",  "Λ", "\\Lambda", "Ξ", "\\Xi",      "Π", "\\Pi",         "Σ", "\\Sigma",
    "Φ", "\\Phi",    "Ψ", "\\Psi",    "Ω", "\\Omega",  NULL};
static const struct {
  const char *const *pairs;
  const char        *before, *after;
} latex[] = {{latex_texts, "\\text", "{}"}, {latex_others, "", ""}, {latex_signs, "$", "$"}};

/* Writes the substitute for the beginning of a text. Returns the length that it replaces, 0: there is no substitute. */
static size_t put_instead(FILE *stream, const char *text)
{
  for (size_t i = 0; i < sizeof latex / sizeof *latex; ++i)
    for (const char *const *pair = latex[i].pairs; *pair; pair += 2) {
      if (strncmp(text, pair[0], strlen(pair[0])) != 0) continue;
      fprintf(stream, "%s%s%s", latex[i].before, pair[1], latex[i].after);
      return strlen(pair[0]);
    }
  return 0;
}

/* True if a straight quotation mark opens: it does before a word. */
static bool opens(const char *first, const char *mark)
{
  return (mark == first || strchr(" ([", mark[-1])) && mark[1] && !strchr(" ,.;:)]", mark[1]);
}

void sb_text_put_latex(FILE *stream, const char *text)
{
  const char *first = text;
  for (size_t length; *text; text += length) {
    const unsigned char c = (unsigned char)*text;
    length = c == '"';
    if (length > 0) fputs(opens(first, text) ? "``" : "''", stream);
    if (length > 0) continue;
    length = put_instead(stream, text);
    if (length > 0) continue;
    if (c < 0x80) {
      fprintf(stream, "%s%c", strchr("{}$&#_%", c) ? "\\" : "", c < 0x20 || c == 0x7f ? ' ' : c);
      length = 1;
      continue;
    }
    /* The default font encoding has most accented letters of U+00C0 to U+00FF. */
    const bool letter =
        c == 0xc3 && ((unsigned char)text[1] & 0xc0) == 0x80 && !strchr("\x90\x9e\xb0\xb7\xbe", text[1]);
    for (length = 1; ((unsigned char)text[length] & 0xc0) == 0x80;) ++length; /* the character's other bytes */
    fprintf(stream, "%.*s", letter ? 2 : 1, letter ? text : "?");
  }
}

void sb_text_put_id(FILE *stream, const char *text) { put_encoded(stream, text, "_-", '.'); }

/* A first segment with a colon would be read as a scheme, so the colon is encoded. */
void sb_text_put_address(FILE *stream, const char *path) { put_encoded(stream, path, "_-/.+", '%'); }

#define PLAIN "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

void sb_text_put_word(FILE *stream, const char *text)
{
  const bool quoted = !*text || text[strspn(text, PLAIN "_+:,./@%-")];
  if (quoted) fputc('\'', stream);
  for (; *text; ++text)
    if (*text == '\'')
      fputs("'\\''", stream);
    else
      fputc(*text, stream);
  if (quoted) fputc('\'', stream);
}

char *sb_text_next_word(const char **line)
{
  const char *c = *line + strspn(*line, " ");
  char       *word = NULL, *end;
  bool        quoted = false;
  if (*c != '\0') {
    word = end = sb_copy_text(c); /* the result is never longer */
    for (; *c && (quoted || *c != ' '); ++c) {
      if (*c == '\'')
        quoted = !quoted;
      else
        *end++ = !quoted && *c == '\\' && c[1] ? *++c : *c;
    }
    *end = '\0';
  }
  *line = c;
  return word;
}

bool sb_text_is_safe_name(const char *name)
{
  const size_t length = strlen(name);
  return length > 0 && length <= 64 && name[0] != '.' && name[0] != '-' && strspn(name, PLAIN "._+-") == length;
}

/* A positive number of `length` characters. */
static bool parse_amount(const char *text, size_t length, double *number)
{
  SB_OWNED char *digits = sb_copy_span(text, length);
  return !strchr(digits, '/') && sb_parse_real(digits, number) && *number > 0;
}

/* "1h30m": units become smaller from part to part; a single number needs none. */
bool sb_parse_duration(const char *text, double *seconds)
{
  static const char   units[] = "dhms";
  static const double factors[] = {86400, 3600, 60, 1};
  const char         *last = NULL;
  double              sum = 0, number = 0;
  if (parse_amount(text, strlen(text), seconds)) return true;
  do {
    const size_t length = strcspn(text, units);
    const char  *unit = text[length] ? strchr(units, text[length]) : NULL;
    if (!unit || (last && unit <= last) || !parse_amount(text, length, &number)) return false;
    sum += number * factors[unit - units];
    text += length + 1;
    last = unit;
  } while (*text);
  if (isfinite(sum)) *seconds = sum;
  return isfinite(sum);
}

bool sb_parse_bytes(const char *text, double *bytes)
{
  static const char units[] = "KMGT";
  const size_t      length = strcspn(text, units);
  const char       *unit = text[length] ? strchr(units, text[length]) : NULL, *behind = text + length + (unit != NULL);
  double            number = 0;
  if (!parse_amount(text, length, &number)) return false;
  if (unit) number = ldexp(number, 10 * (int)(unit - units + 1));
  if ((*behind && strcmp(behind, "iB") != 0) || !(number >= 1 && number <= 1e18)) return false;
  *bytes = number;
  return true;
}

void sb_text_put_base64(FILE *stream, const void *bytes, size_t size)
{
  static const char digits[] = PLAIN "+/";
  const uint8_t    *from = bytes;
  for (size_t i = 0; i < size; i += 3) {
    uint32_t three = 0;
    for (size_t k = 0; k < 3; ++k) three = three << 8 | (i + k < size ? from[i + k] : 0);
    for (size_t k = 0; k < 4; ++k) fputc(i + k <= size ? digits[three >> (18 - 6 * k) & 63] : '=', stream);
  }
}
