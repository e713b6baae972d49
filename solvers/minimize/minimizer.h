/* Minimisers of the incremental potential, for callers.
 *
 * The front owns the loop, the stopping rules and the monitor, so every method stops by the same rule and is observed
 * at the same points: after max_iterations; when |z_{k+1} - z_k|_inf < step_tolerance, where a line search took a part
 * of a step the whole of it; when |grad g|_2 <
 * gradient_tolerance (a tolerance of 0 is off). gradient_tolerance auto is, where there is no step_tolerance, for
 * methods that converge quadratically 1e-6 max(|grad g(z_0)|, |f_ext|), or the gradient's rounding where that is more,
 * and off for others. With a barrier, whose gradient knows no scale, it is off, and step_tolerance, unless it was
 * given, 1e-4 h diagonals a second. With both off, max_iterations iterations are what was asked for and the step counts
 * as converged. Collective. */
#pragma once

#include "solvers/linear/linear_solver.h"
#include "solvers/minimize/potential.h"

typedef struct sb_minimizer sb_minimizer;

typedef struct {
  PetscInt    iterations;     /* that moved z */
  bool        converged;      /* a tolerance was met, or none was set */
  sb_outcome  linear_outcome; /* of the last linear solve; not accepted: the minimisation stopped there */
  double      gradient_norm;  /* last one the front computed, N; NaN when it never did */
  long        linear_iterations;
  bool        blocked;   /* a barrier kept pinned vertices from their place: not converged */
  bool        accurate;  /* converged, and the gradient is below gradient_tolerance where one is set */
  double      residual;  /* worst relative residual of the linear solves */
  long        projected; /* iterations in which an adaptive Hessian had to be projected */
  const char *reason;    /* valid until the next call on the minimiser; never NULL */
} sb_minimize_report;

/* Called with k = 0 for the first iterate and after each iteration k >= 1, the last one too; z must not be changed. Its
 * time is not the method's: all of it goes to SB_PHASE_CHECK, whatever phases it runs through itself. Return
 * *stop = true to end the loop. */
typedef PetscErrorCode (*sb_monitor)(void *context, PetscInt k, Vec z, bool *stop);

/* Creates the method named by option `minimizer` with the linear solver of option `linear` inside, for one system and
 * step size; local-global factors here, Newton analyses its pattern. `prefix` as in sb_linear_solver_create. The system
 * is borrowed; its profile, where there is one, must be set before. A combination that cannot work (hessian adaptive
 * with a backend that does not detect indefinite matrices, pin_method row_replace or constraint_force with one that
 * needs symmetric ones) is PETSC_ERR_USER with a message for the user. */
PetscErrorCode sb_minimizer_create(sb_system *system, const sb_options *options, double h_seconds, const char *prefix,
                                   sb_minimizer **minimizer);
PetscErrorCode sb_minimizer_destroy(sb_minimizer **minimizer);
/* One monitor at a time; NULL: none. */
PetscErrorCode sb_minimizer_set_monitor(sb_minimizer *minimizer, sb_monitor monitor, void *context);
/* z: full; on return the last iterate. The first one is chosen by option `start`. The potential must be of the
 * minimiser's system and step size. */
PetscErrorCode sb_minimizer_run(sb_minimizer *minimizer, const sb_potential *potential, Vec z,
                                sb_minimize_report *report);
/* The same from the z given, option `start` notwithstanding. */
PetscErrorCode    sb_minimizer_continue(sb_minimizer *minimizer, const sb_potential *potential, Vec z,
                                        sb_minimize_report *report);
sb_linear_solver *sb_minimizer_linear(sb_minimizer *minimizer); /* NULL: it has none */

/* Whether the minimiser of a case is stopped by its gradient, or by its steps, whatever else may stop it. */
bool sb_minimizer_tests_gradient(const sb_options *options);
bool sb_minimizer_tests_step(const sb_options *options);

/* Sets what follows from the options, where the user did not: the minimiser's own defaults, an unlimited number of
 * iterations if a budget ends them, step=armijo for a barrier, and the kind of Hessian. Local. */
void sb_minimizer_resolve(sb_options *options);
/* E106 for combinations that cannot work where a case has a minimiser: contact_implicit or a pin method that the
 * minimiser or the backend cannot treat, with the reason and what can. */
bool sb_minimizer_check(const sb_options *options, sb_diagnostics *diagnostics);
/* As above, for a minimiser that is created from these options, even if a case with them does not read `minimizer`. */
bool sb_minimizer_check_chosen(const sb_options *options, sb_diagnostics *diagnostics);
