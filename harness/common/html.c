/* Escaping and encoding for HTML; see html.h. Base64 is that of RFC 4648. */
#include "harness/common/html.h"

#include <stdint.h>
#include <string.h>

static bool is_plain(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

static void put_character(FILE *stream, char c)
{
  switch (c) {
  case '&':
    fputs("&amp;", stream);
    break;
  case '<':
    fputs("&lt;", stream);
    break;
  case '>':
    fputs("&gt;", stream);
    break;
  case '"':
    fputs("&quot;", stream);
    break;
  case '\'':
    fputs("&#39;", stream);
    break;
  default:
    fputc(((unsigned char)c < 0x20 && c != '\n') || c == 0x7f ? ' ' : c, stream);
    break;
  }
}

void sb_html_put(FILE *stream, const char *text)
{
  for (; text && *text; ++text) put_character(stream, *text);
}

void sb_html_put_id(FILE *stream, const char *text)
{
  for (; *text; ++text)
    if (is_plain(*text))
      fputc(*text, stream);
    else
      fprintf(stream, ".%02X", (unsigned char)*text);
}

void sb_html_put_address(FILE *stream, const char *path)
{
  /* A first segment with a colon would be taken for a scheme; encoded, it is none. */
  for (; *path; ++path)
    if (is_plain(*path) || *path == '/' || *path == '.' || *path == '+')
      fputc(*path, stream);
    else
      fprintf(stream, "%%%02X", (unsigned char)*path);
}

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
