/* Text to value for one option, inside base: see options.c. */
#pragma once

#include "base/options.h"

/* A value of any kind with its canonical text. */
typedef struct {
  bool     flag;
  int64_t  integer;
  double   real;
  double   vector[3];
  size_t   count;   /* of a SELECTION that is a list */
  int64_t *numbers; /* owned */
  char    *text;    /* owned, canonical */

  sb_composite *composites; /* owned */
  size_t        composite_count;
} sb_option_value;

void sb_option_value_clear(sb_option_value *value);
/* False and a diagnostic; `value` is then untouched. */
bool sb_option_parse(const sb_option *option, const sb_vocabulary *vocabulary, const char *text, sb_location where,
                     sb_diagnostics *diagnostics, sb_option_value *value);
