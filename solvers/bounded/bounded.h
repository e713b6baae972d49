/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bound-constrained quadratic programmes, for callers: min q.A q/2 - b.q over q >= 0, A symmetric positive
 * semi-definite, by the method of option `pressure_solver`. Their solutions are those of the complementarity problem
 *
 *     q >= 0, A q - b >= 0, q.(A q - b) = 0,
 *
 * which the pressures of an incompressible fluid satisfy if they cannot pull. Nothing here depends on particles.
 *
 * The front (the functions below) measures every answer by one routine, and trusts no method. With d the diagonal of A,
 *
 *     residual = |min(d q, A q - b)|_2/|max(b, 0)|_2   (componentwise: 0 where the three conditions hold)
 *     excess   = mean of max(0, b - A q)               the part that is left uncorrected
 *
 * so that the residual of q = 0 is 1. Negative b do not count: below a free surface, where half of the neighbours are
 * missing, they are as large as the density itself, and no pressure corrects them. For methods without bounds the
 * residual is |A q - b|_2/|b|_2. Not converging is an outcome. Local. */
#pragma once

#include <petscmat.h>

#include "base/options.h"
#include "base/outcome.h"
#include "base/profile.h"

typedef struct sb_bounded sb_bounded;

typedef struct {
  double relative; /* residual at which a solve ends */
  double excess;   /* in units of b: a solve also ends at this excess, even if some pressures are too large; 0: off */
  double rounding; /* in units of b: a solve also ends at this root mean square of min(d q, A q - b) */
} sb_bounded_goal;

typedef struct {
  sb_outcome  outcome;
  PetscInt    iterations;
  long        linear_iterations; /* of the linear solvers inside */
  double      residual, excess;  /* recomputed by the front */
  const char *reason;            /* borrowed from the program; never NULL */
} sb_bounded_report;

/* Called with every iterate of a solve, including the start: for convergence curves. */
typedef struct {
  PetscErrorCode (*call)(void *context, PetscInt iteration, double residual, double excess, const double *q);
  void *context; /* call NULL: no watch */
} sb_bounded_watch;

PetscErrorCode sb_bounded_create(const sb_options *options, sb_profile *profile, sb_bounded **solver);
PetscErrorCode sb_bounded_destroy(sb_bounded **solver);
void           sb_bounded_set_watch(sb_bounded *solver, sb_bounded_watch watch);

/* q is the start, made feasible, and the answer. A has rows (AIJ), or is a shell if the method accepts one. q is finite
 * unless the outcome is not accepted. */
PetscErrorCode sb_bounded_solve(sb_bounded *solver, Mat A, Vec b, const sb_bounded_goal *goal, Vec q,
                                sb_bounded_report *report);
/* True if the method keeps q >= 0. */
bool sb_bounded_clamps(const sb_bounded *solver);

/* E106 for combinations of method and matrix that cannot work. */
bool sb_bounded_check(const sb_options *options, sb_diagnostics *diagnostics);
