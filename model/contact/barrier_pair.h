/* The barrier between two parts of a surface that are near each other (docs/model.md section 6): of their distance d
 *
 *     e = m kappa b(d),   b(d) = -(d - dhat)^2 ln(d/dhat) for d < dhat, else 0,
 *
 * twice differentiable at dhat. m is 1 but for two edges u and v that are nearly parallel, where the closest points
 * jump: with c = |u × v|^2 below eps, m = (2 - c/eps) c/eps, which makes the product differentiable (Li, Ferguson,
 * Schneider et al.: Incremental Potential Contact, ACM TOG 39(4), 2020, sections 3 and 5). Local. */
#pragma once

#include "model/maths/proximity.h"

typedef struct {
  double thickness, stiffness; /* dhat in m, kappa in N/m */
} sb_barrier_law;

/* Two parts nearer than dhat: what sb_pair_distance2 said of them, and from where on edges count as nearly parallel. */
typedef struct {
  sb_pair_kind kind;
  double       square, weight[4]; /* d^2 */
  double       parallel;          /* eps, m^4; 0: m is 1 */
} sb_nearness;

/* eps of two edges of these lengths at rest: 1e-3 of the largest c they can have. */
double sb_barrier_parallel(double first_length, double second_length);

/* e in J, INFINITY where the parts touch. */
double sb_barrier_pair_energy(const sb_barrier_law *law, const sb_nearness *near, double x[4][3]);
/* grad e, in N; 0 where the parts touch. */
void sb_barrier_pair_gradient(const sb_barrier_law *law, const sb_nearness *near, double x[4][3],
                              double gradient[4][3]);
/* The Hessian of e, a sum of dyads: e'' is sum_k y_k y_k^T over the answer's number of y_k, what is not positive
 * semi-definite in it left out, part by part:
 *
 *     e'' = [grad c, grad d] K [grad c, grad d]^T + m kappa b' grad grad d + m' kappa b grad grad c
 *
 * with K the 2x2 of second derivatives in c and d. Of the first only the positive part stays. grad grad d is, by the
 * implicit function of the closest points, one 2x2 for each direction in which they are free to slide, of which the
 * positive half stays, and what is negative for each in which they are not (at a corner), which goes. Of the last the
 * square of the derivative of u × v stays. */
enum { SB_BARRIER_DYADS = 7 };
int sb_barrier_pair_dyads(const sb_barrier_law *law, const sb_nearness *near, double x[4][3],
                          double dyad[SB_BARRIER_DYADS][4][3]);
