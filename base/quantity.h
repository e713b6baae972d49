/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers with a unit: "1ms", "10 N/m", "5/s". Local. */
#pragma once

#include "base/number.h"

/* Reads a number as sb_read_real does, with or without a unit after it, and returns it in `unit` ("" if it has none). A
 * decimal factor only moves the decimal exponent: "1ms" gives the same bits as "0.001" in s. Units are products of g,
 * t, m, s, min, h, N, Pa, J, W, Hz and B, with the prefixes n, u, m, c, k, M, G (for B also Ki, Mi, Gi, Ti). */
sb_number sb_read_quantity(const char *text, const char *unit, double *value);
