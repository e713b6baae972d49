/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The incremental potential of one step of implicit Euler, which every minimiser lowers:
 *
 *     y    = x + h v + h^2 M^-1 f_ext(x, v, t)
 *     g(z) = 1/(2 h^2) (z - y)^T M (z - y) + E(z)
 *
 * over free vertices; pinned ones are at their prescribed place. f_ext is gravity, field, drag, dampers and lagged
 * contact, at the start of the step. Before y is formed, contact's filter acts on v, and on f_ext/m with its rule for
 * accelerations. With contact_implicit the energy of penalty contact at time t + h is in g instead of in f_ext. With
 * pin_method penalty, pinned vertices are free ones with y at their place, and the energy of the springs that hold them
 * is in g. With self_contact=barrier the energy of that barrier (model/contact/barrier.h) is in g; it is infinite where
 * parts of the net meet. No z has such parts if it comes from a state without them by motions that
 * sb_potential_free_part allows. Vectors z are full (all vertices), gradients are over unknown vertices. Collective. */
#pragma once

#include "model/system/system.h"

typedef enum { SB_START_INERTIAL, SB_START_COAST, SB_START_PREVIOUS } sb_start;

typedef struct {
  sb_system *system; /* borrowed */
  double     h_seconds;
  double     end_seconds; /* t + h of the current step */
  int64_t    step;        /* its number, 0 for the first of a motion; set by whoever makes several */
  double     beta;        /* s: of damping inside the step, the system's; 0: none */
  Vec        y;           /* full: inertial target; pinned vertices at path(t + h) */
  Vec        coast;       /* full: x + h v; v is filtered if contact filters */
  Vec        x;           /* full: borrowed, the start of the step */
  Vec        work;        /* full: scratch of the functions below */
  Vec        filtered;    /* full: v after contact's filter; NULL: no filter and no friction */
  Vec        load;        /* full: borrowed, a constant force p in N, which adds -p.z to g; NULL: none */
  double     coefficient_sum, coefficient_norm; /* N/m: coefficients of the terms of g, by which rounding of z is
                                                 * amplified */
} sb_potential;

PetscErrorCode sb_potential_create(sb_system *system, double h_seconds, sb_potential **potential);
PetscErrorCode sb_potential_destroy(sb_potential **potential);
/* Computes y and x + h v of a step that starts in (x, v) at time t; x and v are unchanged. Keeps x borrowed. */
PetscErrorCode sb_potential_set_state(sb_potential *potential, double t_seconds, Vec x, Vec v);
/* The same for a stage of another method (solvers/integrate/stages.h), of length h, from (x, v) at time t: with
 * y = x + h v + h^2 a, where a has all forces that are not in g, and without contact's filter. */
PetscErrorCode sb_potential_set_stage(sb_potential *potential, double t_seconds, Vec x, Vec v, Vec acceleration);
/* z = the first iterate (y, x + h v, or x), pinned vertices at their place. With a barrier all vertices go from x
 * towards it only until the first parts would meet. */
PetscErrorCode sb_potential_start(const sb_potential *potential, sb_start start, Vec z);
/* The part of the straight motion from z to `to` in which no two parts of the net that may touch lose more than nine
 * tenths of their distance, or slightly more: 1 without a barrier. */
PetscErrorCode sb_potential_free_part(const sb_potential *potential, Vec z, Vec to, double *part);
/* Moves pinned vertices that a barrier held back towards their place. They take only a small part of their distance
 * from other vertices, which g then moves out of the way. *placed: they are there. Those that are unknowns are moved by
 * g. */
PetscErrorCode sb_potential_place_pins(const sb_potential *potential, Vec z, bool *placed);
/* *value = g(z) in J, summed over all ranks. */
PetscErrorCode sb_potential_value(const sb_potential *potential, Vec z, double *value);
/* force (full) = -grad E at x, of springs, implicit contact and a barrier, in N; undefined at ghosts. */
PetscErrorCode sb_potential_forces(const sb_potential *potential, Vec x, Vec force);
/* gradient (unknowns) = M (z - y)/h^2 + grad E(z), in N. On pinned vertices: 0 with row_replace; without grad E, which
 * the constraint force cancels, with constraint_force. */
PetscErrorCode sb_potential_gradient(const sb_potential *potential, Vec z, Vec gradient);
/* The effect of rounding at z: on the 2-norm of the gradient (N) and on g (J); either may be NULL. */
PetscErrorCode sb_potential_rounding(const sb_potential *potential, Vec z, double *gradient, double *objective);
/* *norm = |f_ext|_2 over unknown vertices, N: M (y - x - h v)/h^2, all forces other than the springs'. */
PetscErrorCode sb_potential_external_norm(const sb_potential *potential, double *norm);
/* Curvature of g at z for descent methods, without a matrix. Negative eigenvalues of springs, and the negative
 * curvature of colliders, are multiplied by `negative`. `direction` and the product are full, 0 on pinned vertices that
 * are not unknowns or not part of g. No barriers. *curvature = p^T H p without negative eigenvalues; or its upper bound
 * p^T (M/h^2 + L) p, without contact. */
typedef enum { SB_CURVATURE_PROJECTED, SB_CURVATURE_MAJORANT } sb_curvature;
PetscErrorCode sb_potential_curvature(const sb_potential *potential, sb_curvature kind, Vec z, Vec direction,
                                      double *curvature);
/* Keeps H at z for many products; 0 <= negative. *contact, NULL or malloc'ed by PETSc before, is contact's part of it;
 * NULL: contact is not part of g. */
PetscErrorCode sb_potential_keep_hessian(const sb_potential *potential, double negative, Vec z, sb_kept_hessian *kept,
                                         double **contact);
/* sb_kept_hessian_advance with contact; *curvature is summed over all ranks. */
PetscErrorCode sb_potential_advance(const sb_potential *potential, const sb_kept_hessian *kept, const double *contact,
                                    sb_cg_turn turn, const sb_cg_vectors *cg, double *curvature);
/* block [owned][6] = the part of inertia, penalties of pins and contact in the diagonal blocks of H at z. */
PetscErrorCode sb_potential_diagonal_blocks(const sb_potential *potential, double negative, Vec z, double *block);
/* block [6][stride]: the diagonal blocks of H, with contact, as by sb_system_hessian_blocks. */
PetscErrorCode sb_potential_hessian_blocks(const sb_potential *potential, double negative, Vec z, PetscInt stride,
                                           double *block);
/* bound [owned] = upper bound of contact's part of the Hessian at z, per vertex: k_c per collider that it is in; 0 if
 * contact is not part of g. *changed, the same on all ranks: it differs from the previous one. Collective. */
PetscErrorCode sb_potential_renew_contact_bound(const sb_potential *potential, Vec z, double *bound, bool *changed);
/* A = M/h^2 + sum H_s(z), their negative eigenvalues times `negative` (model/system/assembly.h). */
PetscErrorCode sb_potential_hessian(const sb_potential *potential, double negative, Vec z, Mat matrix);
/* The same + shift M, `shift` in 1/s^2. */
PetscErrorCode sb_potential_shifted_hessian(const sb_potential *potential, double negative, double shift, Vec z,
                                            Mat matrix);

/* The right-hand side of projective dynamics over unknown vertices, h^2 J d(z) + M y - (M + h^2 L) b, in two parts that
 * change at different times, kg m. Once per step: constant = M y - (M + h^2 L) b, with the pinned places b from z
 * (pin_method reduce; row_replace has b in those rows, constraint_force m b, penalty + h^2 pin_weight b). At every
 * iterate: rhs = h^2 J d(z) + constant. Contact is only in y. */
PetscErrorCode sb_potential_constant_right_hand_side(const sb_potential *potential, Vec z, Vec constant);
PetscErrorCode sb_potential_local_right_hand_side(const sb_potential *potential, Vec constant, Vec z, Vec rhs);
