/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Units of length, time and velocity, as texts of H5MD files. Local. */
#pragma once

#include <stdbool.h>

/* factor m^length s^time */
typedef struct {
  double factor;
  int    length, time;
} sb_si_unit;

/* Reads factors separated by blanks, each a whole number or a symbol with a power: "nm ps-1", as H5MD's module `units`
 * has them. Also "m/s", "m s^-1" and "m s**-1". False if a symbol is unknown; `ms` is a millisecond. */
bool sb_si_unit_read(const char *text, sb_si_unit *unit);
