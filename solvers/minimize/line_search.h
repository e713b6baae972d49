/* Backtracking line search (Armijo 1966; Nocedal, Wright 2006, section 3.1): the length a is halved until
 *
 *     g(z - a p) <= g(z) - 1e-4 a G^T p
 *
 * With a barrier, from the part of p that brings nothing together. */
#pragma once

#include "solvers/minimize/descent.h"

typedef struct {
  Vec    trial; /* full */
  double value; /* g(z), kept from one search to the next */
  bool   value_known;
} sb_line_search;

PetscErrorCode sb_line_search_prepare(sb_line_search *search, const sb_descent *descent);
void           sb_line_search_begin(sb_line_search *search);
/* Moves descent->z along -direction by `length` at most, and sets what of the descent a step rule sets. */
PetscErrorCode sb_line_search_take(sb_line_search *search, sb_descent *descent, double length);
/* The same without halving: z is left alone, and *descends false, where g(z - p) is not below g(z) but for rounding. */
PetscErrorCode sb_line_search_try(sb_line_search *search, sb_descent *descent, bool *descends);
PetscErrorCode sb_line_search_destroy(sb_line_search *search);
