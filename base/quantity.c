/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Units of numbers; see quantity.h. */
#include "base/quantity.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"

enum { KILOGRAM, METRE, SECOND, BYTE, DIMENSIONS, POWER_LENGTH_MAX = 9 };

/* A unit: factor 10^decimal times kg^dimension[0] m^dimension[1] … */
typedef struct {
  int    dimension[DIMENSIONS], decimal;
  double factor;
} unit_value;

typedef struct {
  const char *name;
  unit_value  value;
  bool        prefixed; /* accepts decimal prefixes */
} symbol;

static const symbol symbols[] = {
    {"g", {{1, 0, 0, 0}, -3, 1}, true},        {"t", {{1, 0, 0, 0}, 3, 1}, false},
    {"m", {{0, 1, 0, 0}, 0, 1}, true},         {"s", {{0, 0, 1, 0}, 0, 1}, true},
    {"min", {{0, 0, 1, 0}, 0, 60}, false},     {"h", {{0, 0, 1, 0}, 0, 3600}, false},
    {"N", {{1, 1, -2, 0}, 0, 1}, true},        {"Pa", {{1, -1, -2, 0}, 0, 1}, true},
    {"J", {{1, 2, -2, 0}, 0, 1}, true},        {"W", {{1, 2, -3, 0}, 0, 1}, true},
    {"Hz", {{0, 0, -1, 0}, 0, 1}, true},       {"B", {{0, 0, 0, 1}, 0, 1}, true},
    {"KiB", {{0, 0, 0, 1}, 0, 0x1p10}, false}, {"MiB", {{0, 0, 0, 1}, 0, 0x1p20}, false},
    {"GiB", {{0, 0, 0, 1}, 0, 0x1p30}, false}, {"TiB", {{0, 0, 0, 1}, 0, 0x1p40}, false},
    {"1", {{0, 0, 0, 0}, 0, 1}, false},
};

static const struct {
  const char *name;
  int         decimal;
} prefixes[] = {{"n", -9}, {"u", -6}, {"µ", -6}, {"m", -3}, {"c", -2}, {"k", 3}, {"M", 6}, {"G", 9}};

/* The symbol that is all of the text, after *decimal of a prefix; NULL: none. */
static const symbol *find_symbol(const char *text, size_t length, int *decimal)
{
  *decimal = 0;
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; ++i)
    if (strlen(symbols[i].name) == length && strncmp(symbols[i].name, text, length) == 0) return &symbols[i];
  for (size_t p = 0; p < sizeof prefixes / sizeof *prefixes; ++p) {
    const size_t cut = strlen(prefixes[p].name);
    if (length <= cut || strncmp(prefixes[p].name, text, cut) != 0) continue;
    const symbol *found = find_symbol(text + cut, length - cut, decimal);
    if (!found || !found->prefixed || *decimal != 0) continue;
    *decimal = prefixes[p].decimal;
    return found;
  }
  return NULL;
}

/* "^2", "2", "-1", or nothing: 1. Moves *text past it; 0: not an allowed exponent. */
static int read_exponent(const char **text)
{
  const bool  raised = **text == '^';
  const char *c = *text + raised;
  const int   sign = *c == '-' ? -1 : 1;
  c += *c == '-' || *c == '+';
  const int power = isdigit((unsigned char)*c) ? *c - '0' : 0;
  if (power == 0) return raised || c > *text ? 0 : 1;
  *text = c + 1;
  return isdigit((unsigned char)c[1]) ? 0 : sign * power;
}

/* Factors after "/" divide; those after a blank, "*" or nothing multiply. */
static bool read_unit(const char *text, unit_value *unit)
{
  *unit = (unit_value){.factor = 1};
  for (int sign = 1; *text; sign = 1) {
    while (*text == ' ' || *text == '*') ++text;
    if (*text == '/') {
      sign = -1;
      ++text;
    }
    while (*text == ' ') ++text;
    int           decimal;
    const size_t  length = *text == '1' ? 1 : strcspn(text, " */^-+0123456789");
    const symbol *found = find_symbol(text, length, &decimal);
    text += length;
    const int power = found ? sign * read_exponent(&text) : 0;
    if (power == 0) return false;
    for (int d = 0; d < DIMENSIONS; ++d) unit->dimension[d] += power * found->value.dimension[d];
    unit->decimal += power * (decimal + found->value.decimal);
    unit->factor *= pow(found->value.factor, power);
  }
  return true;
}

/* True if a unit measures the same as `wanted`; sets *scale to its size in that. In "kg/m^d" d is 2 or 3. */
static bool fits(const char *text, const char *wanted, unit_value *scale)
{
  unit_value     given, own;
  const char    *free_power = strstr(wanted, "^d");
  SB_OWNED char *fixed = sb_copy_text(wanted);
  for (int power = free_power ? '2' : '3'; power <= '3'; ++power) {
    if (free_power) fixed[free_power - wanted + 1] = (char)power;
    if (!*wanted || !read_unit(text, &given) || !read_unit(fixed, &own)) return false;
    if (memcmp(given.dimension, own.dimension, sizeof own.dimension) != 0) continue;
    *scale = (unit_value){.decimal = given.decimal - own.decimal, .factor = given.factor / own.factor};
    return true;
  }
  return false;
}

/* The end of a decimal number; sets *mantissa to the end of its part before the exponent. */
static const char *number_end(const char *text, const char **mantissa)
{
  text += *text == '-' || *text == '+';
  const char *digits = text;
  text += strspn(text, "0123456789.");
  *mantissa = text;
  if (text == digits || (*text != 'e' && *text != 'E')) return text;
  const char *power = text + 1 + (text[1] == '-' || text[1] == '+');
  return isdigit((unsigned char)*power) ? power + strspn(power, "0123456789") : text;
}

sb_number sb_read_quantity(const char *text, const char *unit, double *value)
{
  const char     *mantissa, *ignored;
  const char     *end = number_end(text, &mantissa), *behind = end;
  unit_value      scale;
  const sb_number plain = sb_read_real(text, value);
  if (plain != SB_NUMBER_MALFORMED || end == text) return plain;
  if (*end == '/' && (isdigit((unsigned char)end[1]) || end[1] == '.')) behind = number_end(end + 1, &ignored);
  const char *name = behind + strspn(behind, " ");
  const bool  inverse = name > behind && name[0] == '1' && name[1 + strspn(name + 1, " ")] == '/'; /* "2 1/s" */
  if (!inverse && !isalpha((unsigned char)*name) && *name != '/' && *name != '%' && !(*name & 0x80))
    return SB_NUMBER_MALFORMED;
  if (!fits(name, unit, &scale)) return SB_NUMBER_OTHER_UNIT;
  if (end - mantissa > POWER_LENGTH_MAX) return SB_NUMBER_BEYOND;
  const long     power = mantissa < end ? strtol(mantissa + 1, NULL, 10) : 0;
  SB_OWNED char *scaled =
      sb_format("%.*se%ld%.*s", (int)(mantissa - text), text, power + scale.decimal, (int)(behind - end), end);
  const sb_number read = sb_read_real(scaled, value);
  if (read == SB_NUMBER_READ) *value *= scale.factor;
  return read == SB_NUMBER_READ && !isfinite(*value) ? SB_NUMBER_BEYOND : read;
}
