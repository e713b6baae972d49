/* Sealing JSON by XXH3-128; see sealed_json.h. A seal against decay, not against people. */
#include "harness/common/json_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/common/digest.h"

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
