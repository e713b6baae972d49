/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formulas in a few variables, over whole arrays at once (muParser).
 *
 * They have muParser's arithmetic, functions and constants (_pi, _e); no assignment. Local; no diagnostics: the caller
 * adds the location. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct sb_formula sb_formula;

enum { SB_FORMULA_VARIABLES_MAX = 4 };

/* `variables` [count] are names such as "x", "y", "z", "t". NULL, with the reason in why[size], if the text is not a
 * formula in them. */
sb_formula *sb_formula_create(const char *text, const char *const *variables, size_t count, char *why, size_t size);
void        sb_formula_destroy(sb_formula **formula);
/* result[i] = formula(argument[0][i], argument[1][i], …) for i < count <= INT_MAX; result overlaps no argument. Many
 * points are one call of the library, which shares them among OpenMP threads; few are evaluated one by one without
 * threads. The bits are the same. Arrays may differ from call to call. */
void sb_formula_evaluate(sb_formula *formula, const double *const *argument, size_t count, double *result);
