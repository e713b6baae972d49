/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Equilibria: elastic forces, gravity, fields, penalty contact and a given load balance on every free vertex.
 *
 * A flat net has no stiffness across its plane and a slack spring has a negative one, so that Newton's method on E(x) -
 * sum m g.x - p.x fails at the start. Instead the proximal-point iteration (Rockafellar 1976)
 *
 *     x <- argmin_z 1/(2 h^2) (z - x)^T M (z - x) + E(z) - f(x).z,  f: all forces that are not elastic, at x
 *
 * is used with growing h. The case's minimiser takes each step, on its usual potential (potential.h with y = x and a
 * constant load). Every step lowers the energy; as h grows the iteration becomes Newton's method on the energy itself.
 * The criterion is |F|_2 over free vertices, F the sum of all forces, computed without the potential. Collective. */
#pragma once

#include "solvers/minimize/minimizer.h"

typedef struct {
  bool        converged;     /* gradient_norm < tolerance */
  double      gradient_norm; /* N: |F|_2 over free vertices, recomputed at the returned x */
  double      tolerance;     /* N */
  long        steps;         /* of the proximal iteration, including rejected ones */
  long        iterations, linear_iterations;
  double      residual; /* worst relative residual of the linear solves */
  sb_outcome  linear_outcome;
  const char *package; /* of the linear solver, as in sb_factor_facts */
  const char *reason;  /* static text, never NULL */
} sb_equilibrium_report;

/* Called after every step with the current x; may be NULL. `report` has sums so far, and this step's linear outcome. */
typedef PetscErrorCode (*sb_equilibrium_monitor)(void *context, const sb_equilibrium_report *report);

/* Optional inputs of a search; NULL members are absent. */
typedef struct {
  Vec                    load; /* full, N; nothing acts on pinned vertices */
  sb_equilibrium_monitor monitor;
  void                  *context; /* of the monitor */
} sb_equilibrium_request;

/* x: full, the initial pose on entry, the equilibrium on return. `request` may be NULL. Fields and contact act as at t
 * = 0, contact_implicit inside the minimiser. The tolerance is option gradient_tolerance. If that is auto or 0, it is
 * 1e-9 times the sum of the magnitudes of all forces at the first pose that are not elastic (1e-9 N if there are none).
 * max_iterations bounds each step. */
PetscErrorCode sb_equilibrium_find(sb_system *system, const sb_options *options, const sb_equilibrium_request *request,
                                   Vec x, sb_equilibrium_report *report);

/* force (full) = all forces at rest at x, t = 0; on pinned vertices the force of their springs. */
PetscErrorCode sb_equilibrium_forces(const sb_system *system, Vec load, Vec x, Vec force);
