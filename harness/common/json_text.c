/* Writing JSON strings; see json_text.h. What needs escaping, which is rare, is left to jansson. */
#include "harness/common/json_text.h"

#include <math.h>
#include <jansson.h>
#include <stdbool.h>

static bool is_plain(const char *text)
{
  for (; *text; ++text)
    if ((unsigned char)*text < 0x20 || (unsigned char)*text > 0x7e || *text == '"' || *text == '\\') return false;
  return true;
}

void sb_json_put_text(FILE *stream, const char *text)
{
  json_t *string = NULL;
  if (is_plain(text)) {
    fputc('"', stream);
    fputs(text, stream);
    fputc('"', stream);
  } else if ((string = json_string(text))) {
    (void)json_dumpf(string, stream, JSON_ENCODE_ANY);
  } else {
    fputs("null", stream);
  }
  json_decref(string);
}

json_t *sb_json_of_number(double value)
{
  if (!isfinite(value)) return json_null();
  return value == rint(value) && fabs(value) < 0x1p53 ? json_integer((json_int_t)value) : json_real(value);
}

json_t *sb_json_of_value(sb_value value)
{
  switch (value.kind) {
  case SB_NUMBER:
    return sb_json_of_number(value.number);
  case SB_WORD:
    return json_string(value.word);
  case SB_TRUTH:
    return json_boolean(value.truth);
  default:
    return json_null();
  }
}
