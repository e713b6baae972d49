/* Escaping and encoding for HTML; see html.h. Base64 is that of RFC 4648. */
#include "harness/common/html.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

void sb_html_put(FILE *stream, const char *text)
{
  static const char *const entities[] = {
      ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#39;"};
  for (; text && *text; ++text) {
    const unsigned char c = (unsigned char)*text;
    if (c < sizeof entities / sizeof *entities && entities[c])
      fputs(entities[c], stream);
    else
      fputc((c < 0x20 && c != '\n') || c == 0x7f ? ' ' : c, stream);
  }
}

/* What is not plain by its number, behind `escape`. */
static void put_encoded(FILE *stream, const char *text, const char *plain, char escape)
{
  for (; *text; ++text)
    if (isalnum((unsigned char)*text) || strchr(plain, *text))
      fputc(*text, stream);
    else
      fprintf(stream, "%c%02X", escape, (unsigned char)*text);
}

void sb_html_put_id(FILE *stream, const char *text) { put_encoded(stream, text, "_-", '.'); }

/* A first segment with a colon would be taken for a scheme; encoded, it is none. */
void sb_html_put_address(FILE *stream, const char *path) { put_encoded(stream, path, "_-/.+", '%'); }

void sb_html_put_base64(FILE *stream, const void *bytes, size_t size)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const uint8_t    *from = bytes;
  for (size_t i = 0; i < size; i += 3) {
    const size_t   left = size - i;
    const uint32_t three =
        (uint32_t)from[i] << 16 | (left > 1 ? (uint32_t)from[i + 1] << 8 : 0) | (left > 2 ? from[i + 2] : 0);
    const char four[4] = {digits[three >> 18], digits[three >> 12 & 63], left > 1 ? digits[three >> 6 & 63] : '=',
                          left > 2 ? digits[three & 63] : '='};
    fwrite(four, 1, sizeof four, stream);
  }
}
