/* Reading numbers and saying what is wrong with them. Local; the notation is the C locale's whatever the locale is. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum {
  SB_NUMBER_READ,
  SB_NUMBER_MALFORMED, /* not a number, trailing junk, spaces, hexadecimal */
  SB_NUMBER_BEYOND     /* NaN, Inf, overflow, underflow, division by zero, more digits than the type holds */
} sb_number;

/* All of the text, as a decimal number or as a fraction of two of them ("1/30"). */
sb_number sb_read_real(const char *text, double *value);
sb_number sb_read_integer(const char *text, int64_t *value);
/* Intervals as in "(0,1e9]"; an empty text allows everything. */
bool sb_in_interval(const char *interval, double value);
