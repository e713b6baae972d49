/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reference minimiser of the convergence experiments, as exact as double precision allows. Collective.
 *
 * g may have several minima. One search advances a motion, independently of the measurements on it. It makes Newton
 * iterations from x + h v to |grad g| < 1e-9 N, with Armijo's line search and the exact Hessian, blended with the
 * projected one if it is not positive definite. If 1e-9 N is below the rounding of the gradient, it ends after 5e9
 * flops of factorisations within that rounding. If the exact Hessian at the end is not positive definite, the search
 * leaves along a direction of negative curvature and continues. At a measured step four more searches look for a
 * deeper minimum, independently of option `start` of the case. Newton starts after 200 iterations of local-global from
 * x + h v, and from y: directly, after exact truncated Newton, and after L-BFGS from a scaled identity. If a search
 * met a saddle or they ended in different places, Newton starts once more, on the other side of x + h v. z* is the
 * lowest end. A search stops once it is where Newton's method converges to the end of the last one. All solves are
 * direct. Option reference_searches leaves searches of a measured step out, and with them the one on the other side. A
 * law without a bound of E'' has the descent of local-global under a line search in its place, with the same matrix. */
#pragma once

#include "solvers/minimize/minimizer.h"

typedef struct sb_reference sb_reference;

PetscErrorCode sb_reference_create(sb_system *system, const sb_options *options, double h_seconds,
                                   sb_reference **reference);
/* Options of the second stage, for whole motions with any implicit integrator: the case's options with these set. The
 * caller destroys them. */
sb_options *sb_reference_options(const sb_options *options);
/* All that a motion of the reference depends on: the options that its stages read, as text (malloc'ed). */
char          *sb_reference_meaning(const sb_options *options);
PetscErrorCode sb_reference_destroy(sb_reference **reference);
/* Flops of an iteration of local-global with a sparse factor: a pass over the springs and three solves, which depend on
 * the pattern of the net alone and not on its law. It is the unit of work for every method. */
double sb_reference_unit(const sb_reference *reference, const sb_system *system);
/* Flops of a factorisation of the Hessian. */
double sb_reference_factor_flops(const sb_reference *reference);
/* Its price (solvers/minimize/price.h), by linear=panel. It belongs to the net, not to the case's method. */
double sb_reference_price(const sb_reference *reference, const sb_system *system);
typedef struct {
  double     gradient_norm;   /* N: |grad g(z)|_2 reached */
  double     allowed;         /* N: 1e-9, or the rounding error of forces of the size that the net's stiffness gives */
  double     objective;       /* J: g(z) */
  double     objective_noise; /* J: differences of g below it are rounding */
  sb_outcome outcome;         /* not accepted: a linear solve was refused */
  PetscInt   saddles;         /* left by all searches together */
  bool       at_saddle;       /* the search that ended at z could not leave another saddle */
} sb_reference_report;

/* z = the end of the search that advances motions; of all searches if that is not a minimum. A minimum is found if
 * outcome is accepted, gradient_norm <= allowed and z is not at a saddle. */
PetscErrorCode sb_reference_minimize(sb_reference *reference, const sb_potential *potential, Vec z,
                                     sb_reference_report *report);
/* Then: z = the lowest minimum that all searches find. */
PetscErrorCode sb_reference_deepen(sb_reference *reference, const sb_potential *potential, Vec z,
                                   sb_reference_report *report);
/* *definite: the exact Hessian at z is positive definite. */
PetscErrorCode sb_reference_is_definite(sb_reference *reference, const sb_potential *potential, Vec z, bool *definite);
