/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Methods for bound-constrained quadratic programmes, for authors: one file <name>.c with one const table
 * `sb_bounded_<name>`, one line in bounded.def. */
#pragma once

#include "solvers/bounded/bounded.h"

enum {
  SB_BOUNDED_ROWS = 1,        /* reads the rows of A: does not accept a shell */
  SB_BOUNDED_IGNORES = 2,     /* has no bounds: solves A q = b */
  SB_BOUNDED_APPROXIMATE = 4, /* does not converge to a solution: only its residual is reported */
  SB_BOUNDED_UNCOUNTED = 8    /* PETSc's log lacks operations of it, besides products with A and those of `linear` */
};

/* A solve in progress. */
typedef struct {
  const sb_options *options;
  sb_profile       *profile;
  Mat               A;
  Vec               b, diagonal, q, r; /* r: scratch for A q - b */
  PetscInt          rows, iterations_max;
  double            omega; /* NAN: the method's own */
  sb_bounded_goal   goal;
  double            scale; /* |max(b, 0)|_2, or |b|_2 without bounds */
  bool              clamps;
  sb_bounded_watch  watch;
} sb_bounded_problem;

typedef struct {
  SB_ENTRY_HEAD;
  unsigned traits;
  PetscErrorCode (*solve)(const sb_bounded_problem *problem, sb_bounded_report *report);
} sb_bounded_method;

SB_DECLARE_LIST(sb_bounded_method, sb_bounded_methods)

/* Computes r = A q - b and reports it to the watch as this iteration's. *done if it is within the goal, or not finite.
 */
PetscErrorCode sb_bounded_look(const sb_bounded_problem *problem, PetscInt iteration, bool *done);

/* For methods that update q only from r and the diagonal, all rows at once. */
typedef double (*sb_bounded_update)(double q, double r, double diagonal, double omega);
PetscErrorCode sb_bounded_iterate(const sb_bounded_problem *problem, sb_bounded_update update, double omega,
                                  sb_bounded_report *report);
