/* Bound-constrained quadratic programmes, for callers: min q.A q/2 - b.q over q >= 0, A symmetric positive
 * semi-definite, by the method named by option `pressure_solver`. Its solutions are those of the complementarity
 * problem
 *
 *     q >= 0,  A q - b >= 0,  q.(A q - b) = 0
 *
 * which the pressures of an incompressible fluid obey that cannot be pulled. Nothing here knows what a particle is.
 *
 * The front measures every answer by one routine and believes no method: with d the diagonal of A,
 *
 *     residual = |min(d q, A q - b)|_2/|max(b, 0)|_2     (componentwise: 0 where the three conditions hold)
 *     excess   = mean of max(0, b - A q)                 what is left too much
 *
 * so that the residual of q = 0 is 1. The part of b below 0 does not count: under a free surface, where half of the
 * neighbours are missing, it is as large as the density itself, and no pressure answers it. Of methods that know no
 * bounds the residual is |A q - b|_2/|b|_2. Not converging is an outcome. Local. */
#pragma once

#include <petscmat.h>

#include "base/options.h"
#include "base/outcome.h"
#include "base/profile.h"

typedef struct sb_bounded sb_bounded;

typedef struct {
  double relative; /* residual at which a solve ends */
  double excess;   /* in units of b: at which it ends as well, whatever pressures are too large; 0: none */
  double rounding; /* in units of b: root mean square of min(d q, A q - b) at which it ends as well */
} sb_bounded_goal;

typedef struct {
  sb_outcome  outcome;
  PetscInt    iterations;
  long        linear_iterations; /* inside them */
  double      residual, excess;  /* recomputed by the front */
  const char *reason;            /* borrowed from the program; never NULL */
} sb_bounded_report;

/* Called with every iterate of a solve, the start too: for who draws its convergence. */
typedef struct {
  PetscErrorCode (*call)(void *context, PetscInt iteration, double residual, double excess, const double *q);
  void *context; /* call NULL: nobody watches */
} sb_bounded_watch;

PetscErrorCode sb_bounded_create(const sb_options *options, sb_profile *profile, sb_bounded **solver);
PetscErrorCode sb_bounded_destroy(sb_bounded **solver);
void           sb_bounded_set_watch(sb_bounded *solver, sb_bounded_watch watch);

/* q is the start, made feasible, and the answer. A as rows (AIJ), or as a shell where the method takes one. q is finite
 * unless the outcome is not accepted. */
PetscErrorCode sb_bounded_solve(sb_bounded *solver, Mat A, Vec b, const sb_bounded_goal *goal, Vec q,
                                sb_bounded_report *report);
/* Does the method keep q >= 0? */
bool sb_bounded_clamps(const sb_bounded *solver);

/* E106 for methods and matrices that do not go together. */
bool sb_bounded_check(const sb_options *options, sb_diagnostics *diagnostics);
