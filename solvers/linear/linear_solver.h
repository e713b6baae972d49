/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Linear solvers, for callers: A x = b with the backend of option `linear`.
 *
 * The front (the functions below) owns the backend's state, checks shapes and times the phases (analyze, factor, solve)
 * into a profile. It recomputes the true residual of every solution by one routine and never trusts a backend. Not
 * converged, not positive definite and singular are outcomes in the report, not errors. Collective on the matrix's
 * communicator. */
#pragma once

#include <math.h>

#include <petscmat.h>

#include "base/options.h"
#include "base/outcome.h"
#include "base/profile.h"

typedef struct sb_linear_solver sb_linear_solver;

/* The result of one solve. */
typedef struct {
  sb_outcome  outcome;
  PetscInt    iterations; /* 0 for direct backends; for columns solved one by one, the maximum */
  double      residual;   /* |b - A x|_inf / (|A|_inf |x|_inf + |b|_inf), recomputed by the front */
  double      relative;   /* |b - A x|_2 / |b|_2, recomputed by the front; compared with linear_tolerance */
  const char *reason;     /* such as PETSc's converged reason; valid until the next call on the solver; never NULL */
} sb_solve_report;

/* Facts of a factorisation or setup, 0 if the backend has none. flops: floating-point operations. */
typedef struct {
  double      nonzeros_factor; /* nnz(L), for lu nnz(L + U) */
  double      flops_factor;
  const char *package;   /* the library that solves, if it is not the one that option `linear` names, or if it is one
                          * behind PETSc; its messages are not counted. NULL: none */
  const char *uncounted; /* a part whose operations are not counted; NULL: all are counted */
  double flops_solve; /* of one right-hand side, if a factor solves; these and flops_factor, of all ranks, then replace
                         those that PETSc logs. 0: its log counts */
  const char *reason; /* why the factorisation was refused, valid likewise; NULL if it was not, or if unknown */
} sb_factor_facts;

/* A prediction of a factorisation from its pattern; 0: unknown. */
typedef struct {
  double bytes; /* a lower bound */
  double flops;
} sb_factor_forecast;

/* SB_PATTERN_ALONE: the values are positive definite but belong to no system. Direct backends allocate by factoring
 * them; preconditioners are not made from them. */
typedef enum { SB_NEW_PATTERN, SB_NEW_VALUES, SB_PATTERN_ALONE } sb_matrix_change;

/* Raised by sb_linear_solver_set_matrix instead of a factorisation that would need more than option memory_limit. Only
 * the command `case` handles it and makes a result of it. */
#define SB_ERR_OVER_MEMORY_LIMIT 9001

/* Refuses options that no backend can work with, E106 (E104 and E111 in PETSc's options): a backend that this build
 * lacks or that runs on one rank only, PETSc's options that are not allowed, limits that are given twice. Local. */
bool sb_linear_check(const sb_options *options, sb_diagnostics *diagnostics);

/* `columns` is 3 if one scalar matrix has three right-hand sides (local-global), else 1. `profile` may be NULL.
 * `prefix` ("method0_") distinguishes this solver's PETSc options; it is copied. Invalid backend options are
 * PETSC_ERR_USER with a message for the user. */
PetscErrorCode sb_linear_solver_create(MPI_Comm comm, const sb_options *options, const char *prefix, int columns,
                                       sb_profile *profile, sb_linear_solver **solver);
PetscErrorCode sb_linear_solver_destroy(sb_linear_solver **solver);

/* Takes a matrix (borrowed until the next call or destroy) and analyses and factors it as the backend needs.
 * `definite`: A is symmetric positive definite by construction. */
PetscErrorCode sb_linear_solver_set_matrix(sb_linear_solver *solver, Mat A, sb_matrix_change change, bool definite,
                                           sb_outcome *outcome);
/* From here on a factorisation that is predicted to need more flops, or more than option memory_limit, is not started
 * (SB_SKIPPED). */
void sb_linear_solver_limit_work(sb_linear_solver *solver, double flops);
/* x = A^-1 b; with columns 3, b and x have block size 3 and each component is a column. If `guess`, x is the initial
 * guess of iterative backends, else it is zeroed first. x is finite unless the outcome is not accepted. */
PetscErrorCode sb_linear_solver_solve(sb_linear_solver *solver, Vec b, Vec x, bool guess, sb_solve_report *report);

/* For a NULL solver (a minimiser without linear systems): all 0. */
/* The larger of two residuals; NaN if one is not known. */
static inline double sb_worse_residual(double a, double b) { return a >= b ? a : b >= a ? b : NAN; }

/* x+ = x + omega D^-1 r, or with delta > 0 the Chebyshev semi-iteration over D^-1 A for a spectrum in theta -+ delta
 * (chebyshev.c); `iterations` of it. */
typedef struct {
  double   omega, theta, delta;
  PetscInt iterations;
} sb_relaxation;
/* For a backend with SB_RELAXES, after a matrix was set. */
sb_relaxation sb_linear_solver_relaxation(const sb_linear_solver *solver);

const sb_factor_facts *sb_linear_solver_facts(const sb_linear_solver *solver);
/* Totals since creation: solves, their iterations, the worst relative residual, and whether each met its tolerance. */
typedef struct {
  long   solves, iterations, factorizations;
  double residual_worst, relative_worst;
  bool   all_accepted;
} sb_linear_totals;
const sb_linear_totals *sb_linear_solver_totals(const sb_linear_solver *solver);
