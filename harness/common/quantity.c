/* Durations and sizes as people write them; see quantity.h. */
#include "harness/common/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/options.h"

static bool parse_with_unit(const char *text, const char *units, const double *factors, double *value)
{
  const size_t length = strlen(text);
  const char  *unit = length > 0 ? strchr(units, text[length - 1]) : NULL;
  char        *digits = sb_copy_span(text, unit ? length - 1 : length);
  double       number = 0;
  const bool   good = length > 0 && !strchr(digits, '/') && sb_parse_real(digits, &number) && number > 0;
  free(digits);
  if (good && unit) number *= factors[unit - units];
  if (!good || !isfinite(number)) return false;
  *value = number;
  return true;
}

bool sb_parse_duration(const char *text, double *seconds)
{
  static const double factors[] = {1, 60, 3600, 86400};
  return parse_with_unit(text, "smhd", factors, seconds);
}

bool sb_parse_bytes(const char *text, double *bytes)
{
  static const double factors[] = {0x1p10, 0x1p20, 0x1p30, 0x1p40};
  return parse_with_unit(text, "KMGT", factors, bytes);
}
