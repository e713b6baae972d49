/* The incremental potential of one step of implicit Euler, which every minimiser lowers:
 *
 *     y    = x + h v + h^2 M^-1 f_ext(x, v, t)
 *     g(z) = 1/(2 h^2) (z - y)^T M (z - y) + E(z)
 *
 * over free vertices; pinned ones stand at their prescribed place. f_ext: gravity, field, drag, dampers and lagged
 * contact, at the start of the step; before y is formed, contact's filter acts on v, and on f_ext/m as it acts on
 * accelerations. With contact_implicit g has the energy of penalty contact at time t + h instead; with pin_method
 * penalty, pinned vertices are free ones with y at their place, and g has the energy of the springs that hold them
 * there. With self_contact=barrier g has the energy of that barrier (model/contact/barrier.h), infinite where parts of
 * the net meet: no z does that which comes from a state without such parts by motions that sb_potential_free_part
 * allows. Vectors z are full (all vertices), gradients are over unknown vertices. Collective. */
#pragma once

#include "model/system/system.h"

typedef enum { SB_START_INERTIAL, SB_START_COAST, SB_START_PREVIOUS } sb_start;

typedef struct {
  sb_system *system; /* borrowed */
  double     h_seconds;
  double     end_seconds; /* t + h of the step at hand */
  Vec        y;           /* full: inertial target; pinned vertices at path(t + h) */
  Vec        coast;       /* full: x + h v, v filtered where contact filters */
  Vec        x;           /* full: borrowed, the start of the step */
  Vec        work;        /* full: scratch of the functions below */
  Vec        filtered;    /* full: v after contact's filter; NULL: no filter and no friction */
  Vec        load;        /* full: borrowed, a constant force p in N, so that -p.z is part of g; NULL: none */
  double     coefficient_sum, coefficient_norm; /* N/m: of the terms of g, by which rounding of z counts */
} sb_potential;

PetscErrorCode sb_potential_create(sb_system *system, double h_seconds, sb_potential **potential);
PetscErrorCode sb_potential_destroy(sb_potential **potential);
/* Forms y and x + h v of a step that starts in (x, v) at time t, and leaves both as they are; keeps x borrowed. */
PetscErrorCode sb_potential_set_state(sb_potential *potential, double t_seconds, Vec x, Vec v);
/* z = the first iterate (y, x + h v, or x), pinned vertices at their place; with a barrier as far from x towards it as
 * nothing meets, pinned vertices too. */
PetscErrorCode sb_potential_start(const sb_potential *potential, sb_start start, Vec z);
/* The part of the straight motion from z to `to` in which no two parts of the net that may touch lose more than nine
 * tenths of their distance, or a little more: 1 without a barrier. */
PetscErrorCode sb_potential_free_part(const sb_potential *potential, Vec z, Vec to, double *part);
/* Pinned vertices that a barrier held back from their place go on, but take little of what distance they have to
 * others, who are to get out of their way by g; *placed: they are there. Those that are unknowns get there by g. */
PetscErrorCode sb_potential_place_pins(const sb_potential *potential, Vec z, bool *placed);
/* *value = g(z) in J, summed over all ranks. */
PetscErrorCode sb_potential_value(const sb_potential *potential, Vec z, double *value);
/* force (full) = -grad E at x, of springs, implicit contact and a barrier, in N; values at ghosts are undefined. */
PetscErrorCode sb_potential_forces(const sb_potential *potential, Vec x, Vec force);
/* gradient (unknowns) = M (z - y)/h^2 + grad E(z), in N; on pinned vertices 0 under row_replace, and without grad E,
 * which the constraint force cancels, under constraint_force. */
PetscErrorCode sb_potential_gradient(const sb_potential *potential, Vec z, Vec gradient);
/* What rounding leaves where nothing is left, at z: *gradient of its 2-norm (N), *objective of g (J); either may be
 * NULL. */
PetscErrorCode sb_potential_rounding(const sb_potential *potential, Vec z, double *gradient, double *objective);
/* *norm = |f_ext|_2 over unknown vertices, N: M (y - x - h v)/h^2, what moves the system besides its springs. */
PetscErrorCode sb_potential_external_norm(const sb_potential *potential, double *norm);
/* What descent methods ask of the Hessian of g at z without a matrix. Negative eigenvalues of springs, and what the
 * curvature of a collider takes off, count `negative` times; `direction` and what it is multiplied to are full, 0 on
 * pinned vertices that are no unknowns or have no part in g. No barriers.
 * *curvature = p^T H p, negative eigenvalues left out; or what no H exceeds, p^T (M/h^2 + L) p, contact left out. */
typedef enum { SB_CURVATURE_PROJECTED, SB_CURVATURE_MAJORANT } sb_curvature;
PetscErrorCode sb_potential_curvature(const sb_potential *potential, sb_curvature kind, Vec z, Vec direction,
                                      double *curvature);
/* product (unknowns) = H p; 0 on replaced rows. */
PetscErrorCode sb_potential_hessian_product(const sb_potential *potential, double negative, Vec z, Vec direction,
                                            Vec product);
/* block [owned + ghosts][6]: upper triangles (xx xy xz yy yz zz) of the blocks on the diagonal, of owned vertices. */
PetscErrorCode sb_potential_hessian_blocks(const sb_potential *potential, double negative, Vec z, double *block);
/* bound [owned] = what contact adds to the Hessian at z at most, at each vertex: k_c for each collider that it is in;
 * 0 where contact is no part of g. */
PetscErrorCode sb_potential_contact_bound(const sb_potential *potential, Vec z, double *bound);
/* A = M/h^2 + sum H_s(z), their negative eigenvalues times `negative` (model/system/assembly.h). */
PetscErrorCode sb_potential_hessian(const sb_potential *potential, double negative, Vec z, Mat matrix);

/* The right-hand side of projective dynamics over unknown vertices, h^2 J d(z) + M y - (M + h^2 L) b, in the two parts
 * that change at different times: constant = M y - (M + h^2 L) b, once a step, with the pinned places b taken from z
 * (pin_method reduce; row_replace has b in those rows, constraint_force m b, penalty + h^2 pin_weight b); rhs = h^2 J
 * d(z) + constant, at every iterate. kg m. Contact is in y only. */
PetscErrorCode sb_potential_constant_right_hand_side(const sb_potential *potential, Vec z, Vec constant);
PetscErrorCode sb_potential_local_right_hand_side(const sb_potential *potential, Vec constant, Vec z, Vec rhs);
