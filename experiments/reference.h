/* The reference minimiser of the convergence experiments: as exact as double precision lets it be. Collective.
 *
 * 200 local-global iterations, which are robust, then Newton with the exact Hessian (projected where it is not positive
 * definite) and Armijo's line search to |grad g| < 1e-9 N, which is accurate. Direct solves throughout. */
#pragma once

#include "solvers/minimize/minimizer.h"

typedef struct sb_reference sb_reference;

PetscErrorCode sb_reference_create(sb_system *system, const sb_options *options, double h_seconds,
                                   sb_reference **reference);
PetscErrorCode sb_reference_destroy(sb_reference **reference);
/* z = argmin g; *gradient_norm = |grad g(z)|_2 reached, N. *outcome tells whether a linear solve was refused. */
PetscErrorCode sb_reference_minimize(sb_reference *reference, const sb_potential *potential, Vec z,
                                     double *gradient_norm, sb_outcome *outcome);
