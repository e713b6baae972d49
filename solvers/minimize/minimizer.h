/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Minimisers of the incremental potential, for callers.
 *
 * The front (the functions below) has the loop, the stopping rules and the monitor, so that every method stops by the
 * same rules and is observed at the same points. A loop stops after max_iterations; if |z_{k+1} - z_k|_inf <
 * step_tolerance, with the whole step even if a line search took a part of it; or if |grad g|_2 < gradient_tolerance. A
 * tolerance of 0 is off.
 *
 * gradient_tolerance auto is off if there is a step_tolerance, and for methods that neither converge quadratically nor
 * have trait SB_TESTS_GRADIENT. For the others it is 1e-6 max(|grad g(z_0)|, |f_ext|), or the rounding of the gradient
 * if that is larger. With a barrier, whose gradient has no scale, it is off; step_tolerance is then 1e-4 h diagonals
 * per second unless given. With both off, the loop makes max_iterations iterations and the step counts as converged.
 * Collective. */
#pragma once

#include "solvers/device/device.h"
#include "solvers/linear/linear_solver.h"
#include "solvers/minimize/potential.h"

typedef struct sb_minimizer sb_minimizer;

typedef struct {
  PetscInt    iterations;     /* that moved z */
  bool        converged;      /* a tolerance was met, or none was set */
  sb_outcome  linear_outcome; /* of the last linear solve; if not accepted, the minimisation stopped there */
  bool        of_method;      /* that is the outcome of the method itself: not of a linear solve */
  double      gradient_norm;  /* last one that the front computed, N; NaN if none */
  long        linear_iterations;
  bool        blocked;   /* a barrier kept pinned vertices from their place: not converged */
  bool        accurate;  /* converged, and the gradient is below gradient_tolerance if one is set */
  double      residual;  /* worst relative residual of the linear solves */
  long        projected; /* iterations in which an adaptive Hessian had to be projected */
  const char *reason;    /* valid until the next call on the minimiser; never NULL */
} sb_minimize_report;

/* Called with k = 0 for the first iterate and after each iteration k >= 1, including the last; z must not be changed.
 * All of its time counts as SB_PHASE_CHECK, including phases that it calls itself. *stop = true ends the loop. */
typedef PetscErrorCode (*sb_monitor)(void *context, PetscInt k, Vec z, bool *stop);

/* Creates the method of option `minimizer` with the linear solver of option `linear`, for one system and step size;
 * local-global factors here, Newton analyses its pattern. `prefix` is as in sb_linear_solver_create. The system is
 * borrowed; its profile, if any, must be set before. Combinations that cannot work are PETSC_ERR_USER with a message
 * for the user: hessian adaptive with a backend that does not detect indefinite matrices, or pin_method row_replace or
 * constraint_force with one that needs symmetric matrices. */
PetscErrorCode sb_minimizer_create(sb_system *system, const sb_options *options, double h_seconds, const char *prefix,
                                   sb_minimizer **minimizer);
PetscErrorCode sb_minimizer_destroy(sb_minimizer **minimizer);
/* There is one monitor at a time; NULL removes it. */
PetscErrorCode sb_minimizer_set_monitor(sb_minimizer *minimizer, sb_monitor monitor, void *context);
/* z: full; on return the last iterate. Option `start` chooses the first one. The potential must have the minimiser's
 * system and step size. */
PetscErrorCode sb_minimizer_run(sb_minimizer *minimizer, const sb_potential *potential, Vec z,
                                sb_minimize_report *report);
/* The same from the given z, ignoring option `start`. */
PetscErrorCode    sb_minimizer_continue(sb_minimizer *minimizer, const sb_potential *potential, Vec z,
                                        sb_minimize_report *report);
sb_linear_solver *sb_minimizer_linear(sb_minimizer *minimizer); /* NULL if it has none */
/* The device of its vectors; NULL: none. */
const sb_device     *sb_minimizer_device(const sb_minimizer *minimizer);
struct sb_on_device *sb_minimizer_vectors(const sb_minimizer *minimizer); /* on_device.h */

/* True if the gradient, or the step, is among the stopping criteria of a case's minimiser. */
bool sb_minimizer_tests_gradient(const sb_options *options);
bool sb_minimizer_tests_step(const sb_options *options);

/* Sets values that follow from the options, unless the user set them: the minimiser's own defaults, an unlimited number
 * of iterations if a budget ends them, step=armijo for a barrier, and the kind of Hessian. Local. */
void sb_minimizer_resolve(sb_options *options);
/* E106 for combinations that cannot work in a case with a minimiser: contact_implicit or a pin method that the
 * minimiser or the backend cannot treat, with the reason and alternatives. */
bool sb_minimizer_check(const sb_options *options, sb_diagnostics *diagnostics);
/* As above, for a minimiser that is created from these options, even if a case with them does not read `minimizer`. */
bool sb_minimizer_check_chosen(const sb_options *options, sb_diagnostics *diagnostics);
