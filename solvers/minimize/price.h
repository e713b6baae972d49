/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The price of a factorisation of the Hessian of g, in products with it: how often conjugate gradients may iterate for
 * the work of one factorisation. Work is in floating-point operations. Local. */
#pragma once

#include "model/system/system.h"
#include "solvers/linear/linear_solver.h"

typedef struct {
  double product; /* flops of an iteration of CG with 3x3 blocks: H p over the springs, and its vectors */
  double factor;  /* flops of assembling and factoring H; 0: the backend has no factor, or none that it counts */
} sb_price;

/* `linear` has the pattern of H; its values do not matter. NULL: the backend has no factor. */
sb_price sb_factor_price(const sb_system *system, const sb_linear_solver *linear);
/* factor/product; NaN if there is no factor. */
double sb_price_ratio(sb_price price);
