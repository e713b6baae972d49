/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stationary points: minimum or saddle, and the way out of a saddle. Collective.
 *
 * The signs of the eigenvalues of the exact Hessian H decide at a point without gradient. Symmetric starts lead to
 * saddles: no force points out of the plane of a flat sheet, also if it is compressed. H is known up to a tolerance t,
 * so two Cholesky factorisations decide. With m the mean mass of a vertex, H - t M/m is positive definite at a minimum,
 * and not even H + t M/m is at a saddle. In between the point is flat. Matrices must be symmetric. */
#pragma once

#include "base/outcome.h"
#include "solvers/minimize/potential.h"

typedef enum { SB_POINT_UNKNOWN, SB_POINT_MINIMUM, SB_POINT_FLAT, SB_POINT_SADDLE } sb_point;
/* "minimum", "flat", "saddle"; NULL if unknown. */
const char *sb_point_name(sb_point kind);

/* matrix = H + shift M; `shift` in 1/s^2. */
typedef struct {
  PetscErrorCode (*assemble)(const void *context, double shift, Mat matrix);
  const void *context;
} sb_hessian_of_point;

/* *tolerance of H in N/m: 1e-12 of the largest stiffness, and (force + rounding of forces at x) over the least rest
 * length. The stiffness across a spring is its tension over its length, and the remaining force bounds the error of
 * tensions. */
PetscErrorCode sb_point_tolerance(const sb_system *system, Vec x, double force, double *tolerance);
/* SB_POINT_UNKNOWN if a factorisation fails, or if one is predicted to need more flops than `flops_max` (0: no limit)
 * or more than option memory_limit. */
PetscErrorCode sb_point_find(sb_system *system, const sb_options *options, sb_hessian_of_point hessian,
                             double tolerance, double flops_max, sb_point *kind);
/* The same at z for g, whose gradient there has the norm `force`. Both factorisations together need at most `flops_max`
 * flops. SB_POINT_UNKNOWN also for a barrier, whose Hessian is approximated, and for pin methods that replace rows. */
PetscErrorCode sb_point_of_potential(const sb_potential *potential, const sb_options *options, Vec z, double force,
                                     double flops_max, sb_point *kind);

typedef struct sb_saddle_exit sb_saddle_exit;

/* `prefix` is as in sb_linear_solver_create; option linear must detect indefinite matrices. */
PetscErrorCode sb_saddle_exit_create(sb_system *system, const sb_options *options, double h_seconds, const char *prefix,
                                     sb_saddle_exit **way);
PetscErrorCode sb_saddle_exit_destroy(sb_saddle_exit **way);
/* *outcome of a factorisation of the exact Hessian at z: SB_NOT_SPD if it is not positive definite. */
PetscErrorCode sb_saddle_exit_factor(sb_saddle_exit *way, const sb_potential *potential, Vec z, sb_outcome *outcome);
/* If the Hessian at z is not positive definite, moves z along a direction of negative curvature, to the side where g
 * becomes lower. If both sides are equal, as on symmetric nets, the random start of that direction decides. *left: g
 * fell by more than its rounding error. */
PetscErrorCode sb_saddle_exit_take(sb_saddle_exit *way, const sb_potential *potential, Vec z, bool *left,
                                   sb_outcome *outcome);
/* *leads: Newton's step from z with the Hessian that was factored last, at the minimum `end`, ends ten times nearer to
 * `end` than z is. Then z is where Newton's method converges to `end`. `gradient` is that at z. */
PetscErrorCode sb_saddle_exit_leads_to(sb_saddle_exit *way, const sb_system *system, Vec z, Vec gradient, Vec end,
                                       bool *leads);
/* *noise = rounding error of a difference of values of g: that from the rounding of z and that of the sum. */
PetscErrorCode sb_point_noise(const sb_potential *potential, Vec z, double value, double *noise);
/* Saddles that a search leaves at most. */
enum { SB_SADDLES_MAX = 20 };
