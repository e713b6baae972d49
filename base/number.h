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
/* Shortest decimal that reads back to the same double, into buffer[32]; "inf", "-inf", "nan" for those. */
const char *sb_format_real(double value, char buffer[32]);
/* Reads a finite number or a fraction of two, all of the text, in the C locale's notation whatever the locale is. */
bool sb_parse_real(const char *text, double *value);
bool sb_parse_integer(const char *text, int64_t *value);
