/* What fuzz targets share; see fuzz.h. */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *fuzz_text(const uint8_t *data, size_t size)
{
  char *text = malloc(size + 1);
  if (!text) abort();
  if (size > 0) memcpy(text, data, size);
  text[size] = '\0';
  return text;
}

void fuzz_require(int holds, const char *what)
{
  if (holds) return;
  fprintf(stderr, "does not hold: %s\n", what);
  abort();
}
