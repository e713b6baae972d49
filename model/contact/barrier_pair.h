/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The barrier between two near parts of a surface (docs/model.md section 6), a function of their distance d,
 *
 *     e = m kappa b(d), b(d) = -(d - dhat)^2 ln(d/dhat) for d < dhat, else 0,
 *
 * which is twice differentiable at dhat. m is 1, except for two nearly parallel edges u and v, whose closest points
 * jump: with c = |u × v|^2 below eps, m = (2 - c/eps) c/eps. This makes the product differentiable (Li, Ferguson,
 * Schneider et al.: Incremental Potential Contact, ACM TOG 39(4), 2020, sections 3 and 5). Local. */
#pragma once

#include "model/maths/proximity.h"

typedef struct {
  double thickness, stiffness; /* dhat in m, kappa in N/m */
} sb_barrier_law;

/* Two parts nearer than dhat: the result of sb_pair_distance2, and the threshold below which edges count as nearly
 * parallel. */
typedef struct {
  sb_pair_kind kind;
  double       square, weight[4]; /* d^2 */
  double       parallel;          /* eps, m^4; 0: m is 1 */
} sb_nearness;

/* eps for two edges with these rest lengths: 1e-3 of their largest possible c. */
double sb_barrier_parallel(double first_length, double second_length);

/* e in J, INFINITY if the parts touch. */
double sb_barrier_pair_energy(const sb_barrier_law *law, const sb_nearness *near, double x[4][3]);
/* grad e, in N; 0 if the parts touch. */
void sb_barrier_pair_gradient(const sb_barrier_law *law, const sb_nearness *near, double x[4][3],
                              double gradient[4][3]);
/* The Hessian of e, projected to be positive semi-definite, as a sum of dyads: e'' = sum_k y_k y_k^T. Returns the
 * number of y_k. The projection is term by term in
 *
 *     e'' = [grad c, grad d] K [grad c, grad d]^T + m kappa b' grad grad d + m' kappa b grad grad c
 *
 * with K the 2x2 matrix of second derivatives in c and d. The first term keeps the positive part of K. By the implicit
 * function of the closest points, grad grad d is a 2x2 block for each direction in which they can slide, which keeps
 * its positive half. For each direction in which they cannot (at a corner) it is a negative number, which is dropped.
 * The last term keeps the square of the derivative of u × v. */
enum { SB_BARRIER_DYADS = 7 };
int sb_barrier_pair_dyads(const sb_barrier_law *law, const sb_nearness *near, double x[4][3],
                          double dyad[SB_BARRIER_DYADS][4][3]);
