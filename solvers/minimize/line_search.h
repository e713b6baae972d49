/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Backtracking line search (Armijo 1966; Nocedal, Wright 2006, section 3.1): the length a is halved until
 *
 *     g(z - a p) <= g(z) - 1e-4 a G^T p
 *
 * With a barrier the first a is one up to which nothing meets. */
#pragma once

#include "solvers/minimize/descent.h"

typedef struct {
  Vec    trial; /* full */
  double value; /* g(z), kept between searches */
  bool   value_known;
} sb_line_search;

PetscErrorCode sb_line_search_prepare(sb_line_search *search, const sb_descent *descent);
void           sb_line_search_begin(sb_line_search *search);
/* Moves descent->z along -direction by at most `length`, and sets the members that a step rule must set. */
PetscErrorCode sb_line_search_take(sb_line_search *search, sb_descent *descent, double length);
/* The same without halving. If g(z - p) is not below g(z), except for rounding, z is unchanged and *descends false. */
PetscErrorCode sb_line_search_try(sb_line_search *search, sb_descent *descent, bool *descends);
/* The parts of these, for other rules. search->value = g(z) if it is not known, with the rounding error of differences
 * of g; *value = g(z - a p), with search->trial = z - a p. */
PetscErrorCode sb_line_search_value(sb_line_search *search, const sb_descent *descent, double *rounding);
PetscErrorCode sb_line_search_trial(sb_line_search *search, const sb_descent *descent, double a, double *value);
/* Armijo's test of g(z - a p) = trial, with slope = -G^T p < 0. */
bool sb_line_search_descends(double value, double trial, double a, double slope, double rounding);
/* Halves the length until the test is passed, as sb_line_search_take. */
PetscErrorCode sb_line_search_halve(sb_line_search *search, sb_descent *descent, double length, double slope,
                                    double rounding);
PetscErrorCode sb_line_search_destroy(sb_line_search *search);
