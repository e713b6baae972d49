/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Three formulas in x, y, z, t as one map of points, for the expressions of fields and paths.
 *
 * Points are evaluated in blocks, so that evaluation needs no memory beyond the triple. Local. */
#pragma once

#include "base/composite.h"
#include "model/maths/formula.h"

enum { SB_TRIPLE_BLOCK = 8192 }; /* points per block: enough to hide the cost of a call, few enough for a cache */

typedef struct {
  sb_formula *formula[3];
  double     *argument[SB_FORMULA_VARIABLES_MAX]; /* [SB_TRIPLE_BLOCK] x, y, z, t */
  double     *result;                             /* [SB_TRIPLE_BLOCK] */
} sb_formula_triple;

/* Parses the parts 0, 1, 2 of a value into a zeroed triple. False with a reason; clear it in either case. */
bool sb_formula_triple_prepare(sb_formula_triple *triple, const sb_composite *value, char *why, size_t size);
void sb_formula_triple_clear(sb_formula_triple *triple);
/* result[3 i + c] = formula c at point i and time t; [count][3] both, which do not overlap. */
void sb_formula_triple_evaluate(sb_formula_triple *triple, double t_seconds, size_t count, const double *point,
                                double *result);
/* For checks of forms: true if all three parse. */
bool sb_formula_triple_check(const sb_composite *value, char *why, size_t size);
