/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Linear backends, for authors: one file <name>.c with one const table `sb_linear_<name>`, one line in backends.def.
 *
 * A backend never times, prints or records. The conformance suite measures the claims (traits) of every entry. */
#pragma once

#include <float.h>

#include "solvers/linear/linear_solver.h"

enum {
  SB_DIRECT = 1,             /* no iterations; scaled residual 1e-13 */
  SB_SERIAL_ONLY = 2,        /* refuses several ranks */
  SB_NEEDS_SPD = 4,          /* may fail on matrices that are not symmetric positive definite */
  SB_DETECTS_INDEFINITE = 8, /* returns SB_NOT_SPD for a symmetric matrix that is not positive definite */
  SB_UNSYMMETRIC = 16,       /* accepts matrices that are not symmetric */
  SB_COUNTED = 32,           /* PETSc's log, or the facts of a factorisation, have all its operations */
  SB_RELAXES = 64            /* its iterations need only products with A and the inverse diagonal: has `relaxation` */
};

/* Smallest allowed ratio of two pivots of a matrix scaled by rows, or of a pivot to its row's diagonal entry. Below it
 * a matrix counts as singular to working precision. */
#define SB_PIVOT_RATIO_MIN (8.0 * DBL_EPSILON)

/* The stopping rule of a solve. */
typedef struct {
  double   relative_tolerance; /* |b - A x| <= this |b|; 0: exactly iterations_max iterations */
  PetscInt iterations_max;
  bool     guess; /* x is a guess */
} sb_goal;

typedef struct {
  SB_ENTRY_HEAD;
  const char *digest;  /* SHA-256 of the plug-in that it is from; NULL: it is part of the program */
  unsigned    claims;  /* of that plug-in's method: SB_PLUGIN_DIRECT | … of springbench_plugin.h */
  const char *missing; /* how to get the library if it is absent, else NULL */
  unsigned    traits;
  size_t      state_bytes; /* the front allocates it, zeroed */
  /* Optional. Reads options once; `prefix` is for PETSc options; columns as in sb_linear_solver_create. */
  PetscErrorCode (*configure)(void *state, MPI_Comm comm, const sb_options *options, const char *prefix, int columns);
  /* Optional. If the backend's own options have a stopping rule, changes the goal made of linear_tolerance and
   * linear_max_iterations. Called once, after configure. */
  void (*adjust_goal)(const void *state, sb_goal *goal);
  /* Optional. A new pattern. `definite` is as in sb_linear_solver_set_matrix, but only for these values: later values
   * of the pattern may be indefinite, and a backend that claims to detect that must. */
  PetscErrorCode (*analyze)(void *state, Mat A, bool definite);
  /* Optional. The factorisation, after analyze. Collective: every rank gets the sum over all. */
  PetscErrorCode (*predict)(const void *state, sb_factor_forecast *price);
  /* Optional. New values. */
  PetscErrorCode (*factor)(void *state, Mat A, sb_outcome *outcome, sb_factor_facts *facts);
  PetscErrorCode (*solve)(void *state, Vec b, Vec x, const sb_goal *goal, sb_solve_report *report);
  /* Optional: scalar matrix, three columns interleaved. Without it the front calls solve column by column. */
  PetscErrorCode (*solve_columns)(void *state, Vec b, Vec x, const sb_goal *goal, sb_solve_report *report);
  /* Optional: the numbers of its iterations, for callers that make them elsewhere, after factor. */
  sb_relaxation (*relaxation)(const void *state);
  PetscErrorCode (*destroy)(void *state);
} sb_linear_backend;

#define SB_ENTRY(name) extern const sb_linear_backend sb_linear_##name;
#include "solvers/linear/backends.def"
#undef SB_ENTRY

SB_DECLARE_LIST(sb_linear_backend, sb_linear_backends)
/* The backend of option `linear` among those that the options know, plug-ins included; NULL if there is none. */
static inline const sb_linear_backend *sb_linear_backend_of(const sb_options *options)
{
  const sb_list *known = sb_option_list(SB_ID(linear), sb_options_vocabulary(options));
  const bool     extended = known && known->describe == sb_linear_backends.describe; /* tests have other lists */
  return (const void *)sb_list_find(extended ? known : &sb_linear_backends, SB_TEXT(options, linear));
}
