/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Backtracking; see line_search.h. */
#include "solvers/minimize/line_search.h"

#include <math.h>

#define ARMIJO 1e-4
/* Differences of g below this part of g are rounding of a sum over all springs: Armijo's test cannot see them. */
#define ROUNDING 1e-13
enum { HALVINGS_MAX = 50 };

PetscErrorCode sb_line_search_prepare(sb_line_search *search, const sb_descent *descent)
{
  PetscFunctionBeginUser;
  PetscCall(sb_system_create_full(descent->system, &search->trial));
  PetscFunctionReturn(0);
}

void sb_line_search_begin(sb_line_search *search) { search->value_known = false; }

/* Armijo's rule, and a substitute if the decrease is too small to be seen in g. */
bool sb_line_search_descends(double value, double trial, double a, double slope, double rounding)
{
  if (fabs(slope) <= rounding) return trial <= value + rounding;
  return slope < 0 && trial <= value + ARMIJO * a * slope;
}

/* The part of p that is free of contact by the barrier's count. */
static PetscErrorCode shorten(sb_line_search *search, const sb_descent *d, double *length)
{
  double part;

  PetscFunctionBeginUser;
  if (!d->system->barrier) PetscFunctionReturn(0);
  PetscCall(VecCopy(d->z, search->trial));
  PetscCall(sb_system_add_unknowns(d->system, -*length, d->direction, search->trial));
  PetscCall(sb_potential_free_part(d->potential, d->z, search->trial, &part));
  *length *= part;
  PetscFunctionReturn(0);
}

/* g(z), kept between searches except with a barrier, as pinned vertices may move in between. g is a sum of squares 1/2
 * k e^2 with errors d of e. By Cauchy's inequality its error is at most sqrt(2 g d^2 sum k) + d^2 sum k, even if g is
 * small compared with the terms whose difference is e: *rounding. */
PetscErrorCode sb_line_search_value(sb_line_search *search, const sb_descent *d, double *rounding)
{
  double noise;

  PetscFunctionBeginUser;
  if (!search->value_known || d->system->barrier) PetscCall(sb_potential_value(d->potential, d->z, &search->value));
  search->value_known = true;
  PetscCall(sb_potential_rounding(d->potential, d->z, NULL, &noise));
  *rounding = fmax(ROUNDING * fabs(search->value), sqrt(2 * fabs(search->value) * noise) + noise);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_line_search_trial(sb_line_search *search, const sb_descent *d, double a, double *value)
{
  PetscFunctionBeginUser;
  PetscCall(VecCopy(d->z, search->trial));
  PetscCall(sb_system_add_unknowns(d->system, -a, d->direction, search->trial));
  PetscCall(sb_potential_value(d->potential, search->trial, value));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_line_search_halve(sb_line_search *search, sb_descent *d, double length, double slope, double rounding)
{
  double trial = NAN, a = length, taken = 0;
  bool   found = false;

  PetscFunctionBeginUser;
  for (int halvings = 0; halvings <= HALVINGS_MAX && !found; ++halvings, a /= 2) {
    PetscCall(sb_line_search_trial(search, d, a, &trial));
    found = a > 0 && sb_line_search_descends(search->value, trial, a, slope, rounding); /* 0: no part is free */
    taken = a;
  }
  d->iteration->stuck = !found;
  d->length = found ? taken : 0;
  if (!found) PetscFunctionReturn(0);
  search->value = trial;
  PetscCall(VecCopy(search->trial, d->z));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_line_search_take(sb_line_search *search, sb_descent *d, double length)
{
  double slope, rounding, a = length;

  PetscFunctionBeginUser;
  PetscCall(shorten(search, d, &a));
  PetscCall(sb_line_search_value(search, d, &rounding));
  PetscCall(VecDot(d->gradient, d->direction, &slope));
  PetscCall(sb_line_search_halve(search, d, a, -slope, rounding));
  if (d->length == length) PetscFunctionReturn(0);
  PetscCall(VecNorm(d->direction, NORM_INFINITY, &d->iteration->step));
  d->iteration->step *= length;
  PetscFunctionReturn(0);
}

PetscErrorCode sb_line_search_try(sb_line_search *search, sb_descent *d, bool *descends)
{
  double trial, rounding;

  PetscFunctionBeginUser;
  PetscCall(sb_line_search_value(search, d, &rounding));
  PetscCall(sb_line_search_trial(search, d, 1, &trial));
  *descends = trial <= search->value + rounding;
  if (!*descends) PetscFunctionReturn(0);
  search->value = trial;
  PetscCall(VecCopy(search->trial, d->z));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_line_search_destroy(sb_line_search *search)
{
  PetscFunctionBeginUser;
  PetscCall(VecDestroy(&search->trial));
  PetscFunctionReturn(0);
}
