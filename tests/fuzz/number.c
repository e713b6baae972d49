/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers, durations and sizes: what is read is finite and, written, read back to the bit;
 * intervals contain their closed ends and nothing that is not a number. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "cases/common/text.h"
#include "tests/fuzz/fuzz.h"

static void check_real(const char *text)
{
  char   buffer[32];
  double value = 0, again = 0;
  if (sb_read_real(text, &value) != SB_NUMBER_READ) return;
  fuzz_require(isfinite(value), "a number that is read is finite");
  fuzz_require(sb_read_real(sb_format_real(value, buffer), &again) == SB_NUMBER_READ, "a written number is read");
  fuzz_require(memcmp(&value, &again, sizeof value) == 0, "a number is read back to the bit");
  /* The largest numbers may be rounded to one that no double holds. */
  for (int digits = 1; digits <= 17 && fabs(value) < 1e308; digits += 4) {
    char rounded[SB_NUMBER_TEXT];
    sb_text_rounded(value, digits, rounded);
    fuzz_require(fabs(strtod(rounded, NULL) - value) <= fabs(value) * pow(10, 1 - digits), "rounding is close");
  }
}

static void check_integer(const char *text)
{
  char    buffer[32];
  int64_t value = 0, again = 0;
  if (sb_read_integer(text, &value) != SB_NUMBER_READ) return;
  snprintf(buffer, sizeof buffer, "%lld", (long long)value);
  fuzz_require(sb_read_integer(buffer, &again) == SB_NUMBER_READ && again == value, "an integer is read back");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char  *text = fuzz_text(data, size);
  double value = 0;
  check_real(text);
  check_integer(text);
  if (sb_parse_duration(text, &value)) fuzz_require(isfinite(value) && value > 0, "a duration is finite");
  if (sb_parse_bytes(text, &value)) fuzz_require(isfinite(value) && value > 0, "a size is finite");
  (void)sb_text_is_number_format(text);
  free(text);
  return 0;
}
