/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers to text and back, to the bit, in any locale; see number.h and options.h. */
#include "base/number.h"

#include <errno.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The C locale for this thread while numbers are read or written; gives the one to go back to. */
static locale_t enter_c_locale(locale_t *c)
{
  *c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  return uselocale(*c);
}

static void leave_c_locale(locale_t c, locale_t before)
{
  uselocale(before);
  if (c) freelocale(c);
}

static bool names_no_number(const char *text)
{
  static const char *const words[] = {"nan", ".nan", "inf", "-inf", "+inf", ".inf", "-.inf", "infinity", "-infinity"};
  if (!strpbrk(text, "nN")) return false; /* as each of them has */
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
    if (strcasecmp(text, words[i]) == 0) return true;
  return false;
}

/* One decimal number at `text`, nothing after it but `stop`. */
static sb_number read_decimal(const char *text, char stop, double *value, const char **end)
{
  if (text[strspn(text, "0123456789+-.eE")] != stop || !strpbrk(text, "0123456789")) return SB_NUMBER_MALFORMED;
  locale_t c, before = enter_c_locale(&c);
  char    *after = NULL;
  errno = 0;
  *value = strtod(text, &after);
  const int failure = errno;
  leave_c_locale(c, before);
  if (after == text || *after != stop) return SB_NUMBER_MALFORMED;
  *end = after;
  return failure == ERANGE || !isfinite(*value) ? SB_NUMBER_BEYOND : SB_NUMBER_READ;
}

sb_number sb_read_real(const char *text, double *value)
{
  if (names_no_number(text)) return SB_NUMBER_BEYOND;
  const char *end = NULL;
  const bool  fraction = strchr(text, '/') != NULL;
  double      numerator = 0, denominator = 1;
  sb_number   result = read_decimal(text, fraction ? '/' : '\0', &numerator, &end);
  if (result != SB_NUMBER_READ) return result;
  if (fraction) result = read_decimal(end + 1, '\0', &denominator, &end);
  if (result != SB_NUMBER_READ) return result;
  const double quotient = numerator / denominator;
  const bool   lost = fabs(quotient) < DBL_MIN && numerator != 0; /* as decimals that small are refused */
  if (!isfinite(quotient) || lost) return SB_NUMBER_BEYOND;
  *value = quotient;
  return SB_NUMBER_READ;
}

sb_number sb_read_integer(const char *text, int64_t *value)
{
  const char *digits = text + (*text == '-' || *text == '+');
  if (*digits == '\0' || digits[strspn(digits, "0123456789")] != '\0') return SB_NUMBER_MALFORMED;
  errno = 0;
  const long long number = strtoll(text, NULL, 10);
  if (errno == ERANGE) return SB_NUMBER_BEYOND;
  *value = number;
  return SB_NUMBER_READ;
}

bool sb_parse_real(const char *text, double *value) { return sb_read_real(text, value) == SB_NUMBER_READ; }

bool sb_parse_integer(const char *text, int64_t *value) { return sb_read_integer(text, value) == SB_NUMBER_READ; }

bool sb_in_interval(const char *interval, double value)
{
  if (*interval == '\0') return true;
  char   low_text[32], high_text[32], last = '\0';
  double low = 0, high = 0;
  if (sscanf(interval + 1, "%31[^,],%31[^])]%c", low_text, high_text, &last) != 3) return false;
  if (!sb_parse_real(low_text, &low) || !sb_parse_real(high_text, &high)) return false;
  const bool above = interval[0] == '[' ? value >= low : value > low;
  const bool below = last == ']' ? value <= high : value < high;
  return above && below;
}

const char *sb_format_real(double value, char buffer[32])
{
  if (!isfinite(value)) {
    snprintf(buffer, 32, "%s", isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
    return buffer;
  }
  locale_t   c, before = enter_c_locale(&c);
  const bool whole = value == floor(value) && fabs(value) < 1e15;
  if (whole) snprintf(buffer, 32, "%.0f", value); /* 1000, not 1e+03 */
  for (int digits = 1; !whole && digits <= 17; ++digits) {
    snprintf(buffer, 32, "%.*g", digits, value);
    if (strtod(buffer, NULL) == value) break;
  }
  leave_c_locale(c, before);
  return buffer;
}
