/* See csv.h. */
#include "harness/common/csv.h"

#include <string.h>

void sb_csv_put(FILE *stream, const char *text)
{
  if (!text) return;
  if (!strpbrk(text, "\",\r\n")) {
    fputs(text, stream);
    return;
  }
  fputc('"', stream);
  for (; *text; ++text) {
    if (*text == '"') fputc('"', stream);
    fputc(*text, stream);
  }
  fputc('"', stream);
}
