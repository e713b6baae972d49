/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pieces of JSON; see json_text.h. Escaping, which is rarely needed, is left to jansson. The seal is XXH3-128: it
 * detects decay, not forgery. */
#include "cases/common/json_text.h"

#include <math.h>
#include <string.h>

#include "base/allocate.h"
#include "cases/common/digest.h"

void sb_json_put_text(FILE *stream, const char *text)
{
  const char *c = text;
  while ((unsigned char)*c >= 0x20 && (unsigned char)*c <= 0x7e && *c != '"' && *c != '\\') ++c;
  if (*c == '\0') {
    fputc('"', stream); /* a third of the time of fprintf, which counts for keys */
    fputs(text, stream);
    fputc('"', stream);
    return;
  }
  json_auto_t *string = json_string(text);
  if (!string || json_dumpf(string, stream, JSON_ENCODE_ANY) != 0) fputs("null", stream);
}

void sb_json_end(void *json) { json_decref(json); }

json_t *sb_json_of_real(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t *sb_json_of_number(double value)
{
  if (!isfinite(value)) return json_null();
  return value == rint(value) && fabs(value) < 0x1p53 ? json_integer((json_int_t)value) : json_real(value);
}

json_t *sb_json_of_value(sb_value value)
{
  return value.kind == SB_NUMBER  ? sb_json_of_number(value.number)
         : value.kind == SB_WORD  ? json_string(value.word)
         : value.kind == SB_TRUTH ? json_boolean(value.truth)
                                  : json_null();
}

static const char mark[] = ",\"check\":\"", end[] = "\"}";
enum { MARK = sizeof mark - 1, TAIL = MARK + SB_DIGEST_LENGTH + sizeof end - 1 };

static void digest_of(const char *text, size_t length, char hex[SB_DIGEST_LENGTH + 1])
{
  SB_ENDED_BY(sb_digest_destroy) sb_digest *digest = sb_digest_create();
  sb_digest_bytes(digest, length, text);
  sb_digest_hex(digest, hex);
}

char *sb_json_seal(char *json)
{
  if (!json) return NULL;
  SB_OWNED char *open = json;
  char           hex[SB_DIGEST_LENGTH + 1];
  const size_t   length = strlen(open) - 1; /* without the brace that ends it */
  digest_of(open, length, hex);
  return sb_format("%.*s%s%s%s", (int)length, open, mark, hex, end);
}

bool sb_json_is_intact(const char *text, size_t length)
{
  char hex[SB_DIGEST_LENGTH + 1];
  if (length <= TAIL || memcmp(text + length - TAIL, mark, MARK) != 0) return true;
  digest_of(text, length - TAIL, hex);
  return memcmp(text + length - TAIL + MARK, hex, SB_DIGEST_LENGTH) == 0;
}

json_t *sb_json_of_bytes(const void *bytes, size_t size)
{
  SB_OWNED char *text = NULL;
  size_t         length = 0;
  FILE          *stream = sb_text_stream(&text, &length);
  sb_text_put_base64(stream, bytes, size);
  return fclose(stream) == 0 ? json_stringn(text, length) : NULL;
}
