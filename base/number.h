/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads numbers and classifies their faults. Local; always in the notation of the C locale. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum {
  SB_NUMBER_READ,
  SB_NUMBER_MALFORMED,  /* not a number, trailing junk, spaces, hexadecimal */
  SB_NUMBER_OTHER_UNIT, /* a number with a unit that does not fit; only from sb_read_quantity */
  SB_NUMBER_BEYOND      /* NaN, Inf, overflow, underflow, division by zero, more digits than the type holds */
} sb_number;

/* Reads all of the text as a decimal number or as a fraction of two of them ("1/30"). */
sb_number sb_read_real(const char *text, double *value);
sb_number sb_read_integer(const char *text, int64_t *value);
/* Tests an interval such as "(0,1e9]"; an empty text allows everything. */
bool sb_in_interval(const char *interval, double value);
/* Writes the shortest decimal that reads back to the same double into buffer[32]; or "inf", "-inf", "nan". */
const char *sb_format_real(double value, char buffer[32]);
/* Reads all of the text as a finite number or a fraction of two, always in the notation of the C locale. */
bool sb_parse_real(const char *text, double *value);
bool sb_parse_integer(const char *text, int64_t *value);
