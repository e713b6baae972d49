/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See si_unit.h. */
#include "cases/store/si_unit.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { POWER_MAX = 9 };
#define NOT_IN_SYMBOLS " \t*^/+-0123456789"

static const struct {
  const char *text;
  double      factor;
} prefixes[] = {{"", 1},     {"a", 1e-18}, {"f", 1e-15}, {"p", 1e-12}, {"n", 1e-9}, {"u", 1e-6}, {"µ", 1e-6},
                {"μ", 1e-6}, {"m", 1e-3},  {"c", 1e-2},  {"d", 1e-1},  {"k", 1e3},  {"M", 1e6},  {"G", 1e9}};

static const struct {
  const char *text;
  sb_si_unit  unit;
  bool        prefixed;
} symbols[] = {{"m", {1, 1, 0}, true},
               {"s", {1, 0, 1}, true},
               {"min", {60, 0, 1}, false},
               {"h", {3600, 0, 1}, false},
               {"Angstrom", {1e-10, 1, 0}, false},
               {"angstrom", {1e-10, 1, 0}, false},
               {"Ang", {1e-10, 1, 0}, false},
               {"Å", {1e-10, 1, 0}, false}};

static bool find_symbol(const char *text, size_t length, sb_si_unit *unit)
{
  for (size_t p = 0; p < sizeof prefixes / sizeof *prefixes; ++p) {
    const size_t before = strlen(prefixes[p].text);
    if (before >= length || strncmp(text, prefixes[p].text, before) != 0) continue;
    for (size_t s = 0; s < sizeof symbols / sizeof *symbols; ++s) {
      if (strlen(symbols[s].text) != length - before || (before > 0 && !symbols[s].prefixed)) continue;
      if (strncmp(text + before, symbols[s].text, length - before) != 0) continue;
      *unit = symbols[s].unit;
      unit->factor *= prefixes[p].factor;
      return true;
    }
  }
  return false;
}

/* A whole number, or a symbol, at *text, which is moved behind it. */
static bool read_base(const char **text, sb_si_unit *unit)
{
  char        *end = NULL;
  const size_t digits = strspn(*text, "0123456789"), length = strcspn(*text, NOT_IN_SYMBOLS);
  *unit = (sb_si_unit){.factor = 1};
  if (digits > 0) unit->factor = (double)strtoll(*text, &end, 10);
  const bool known = digits > 0 ? unit->factor > 0 : find_symbol(*text, length, unit);
  *text += digits > 0 ? digits : length;
  return known;
}

/* The power at *text, which is moved behind it: 1 if there is none, 0 if it is malformed. */
static int read_power(const char **text)
{
  const size_t mark = strncmp(*text, "**", 2) == 0 ? 2 : **text == '^';
  const size_t sign = strspn(*text + mark, "+-"), digits = strspn(*text + mark + sign, "0123456789");
  const char  *number = *text + mark;
  if (mark + sign + digits == 0) return 1;
  *text = number + sign + digits;
  return sign <= 1 && digits == 1 ? atoi(number) : 0;
}

bool sb_si_unit_read(const char *text, sb_si_unit *unit)
{
  *unit = (sb_si_unit){.factor = 1};
  while (*(text += strspn(text, " \t"))) {
    sb_si_unit base;
    const bool below = *text == '/';
    text += below;
    text += strspn(text, " \t");
    if (!read_base(&text, &base)) return false;
    const int power = (below ? -1 : 1) * read_power(&text);
    if (power == 0 || power > POWER_MAX || power < -POWER_MAX) return false;
    unit->factor *= pow(base.factor, power);
    unit->length += power * base.length;
    unit->time += power * base.time;
  }
  return true;
}
