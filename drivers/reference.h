/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reference minimiser of the convergence experiments, as exact as double precision allows. Collective.
 *
 * g may have several minima. Two searches start from x + h v, independently of option `start` of the case. The first
 * makes 200 local-global iterations, which are robust, and then Newton iterations, which are accurate; the second only
 * Newton iterations. Newton has the exact Hessian (blended with the projected one if it is not positive definite),
 * Armijo's line search, and ends at |grad g| < 1e-9 N. If the exact Hessian at the end of a search is not positive
 * definite, the search leaves along a direction of negative curvature and continues. If the two searches met a saddle
 * or ended in different places, Newton starts once more, on the other side of x + h v. z* is the lowest end. All solves
 * are direct. */
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
/* Flops of an iteration of local-global with a sparse factor: a pass over the springs and three solves. It is the unit
 * of work for every method. */
double sb_reference_unit(const sb_reference *reference, const sb_system *system);
typedef struct {
  double     gradient_norm;   /* N: |grad g(z)|_2 reached */
  double     allowed;         /* N: 1e-9, or the rounding error of forces of the size that the net's stiffness gives */
  double     objective;       /* J: g(z) */
  double     objective_noise; /* J: differences of g below it are rounding */
  sb_outcome outcome;         /* not accepted: a linear solve was refused */
  PetscInt   saddles;         /* left by all searches together */
  bool       at_saddle;       /* the search that ended at z could not leave another one */
} sb_reference_report;

/* z = argmin g. A minimum is found if outcome is accepted, gradient_norm <= allowed and z is not at a saddle. */
PetscErrorCode sb_reference_minimize(sb_reference *reference, const sb_potential *potential, Vec z,
                                     sb_reference_report *report);
