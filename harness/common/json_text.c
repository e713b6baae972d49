/* Pieces of JSON; see json_text.h. What needs escaping, which is rare, is left to jansson. The seal is XXH3-128: it is
 * against decay, not against people. */
#include "harness/common/json_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/common/digest.h"

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

static const char mark[] = ",\"check\":\"", end[] = "\"}";
enum { MARK = sizeof mark - 1, TAIL = MARK + SB_DIGEST_LENGTH + sizeof end - 1 };

static void digest_of(const char *text, size_t length, char hex[SB_DIGEST_LENGTH + 1])
{
  sb_digest *digest = sb_digest_create();
  sb_digest_bytes(digest, length, text);
  sb_digest_hex(digest, hex);
  sb_digest_destroy(&digest);
}

char *sb_json_seal(char *json)
{
  if (!json) return NULL;
  char         hex[SB_DIGEST_LENGTH + 1];
  const size_t length = strlen(json) - 1; /* without the brace that ends it */
  digest_of(json, length, hex);
  char *sealed = sb_format("%.*s%s%s%s", (int)length, json, mark, hex, end);
  free(json);
  return sealed;
}

bool sb_json_is_intact(const char *text, size_t length)
{
  char hex[SB_DIGEST_LENGTH + 1];
  if (length <= TAIL || memcmp(text + length - TAIL, mark, MARK) != 0) return true;
  digest_of(text, length - TAIL, hex);
  return memcmp(text + length - TAIL + MARK, hex, SB_DIGEST_LENGTH) == 0;
}
