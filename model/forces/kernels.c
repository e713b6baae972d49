/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The arithmetic of springs; see kernels.h. Equations of docs/model.md section 1:
 *
 *   d = x_i - x_j, r = |d|, u = d/r
 *   E   = sum 1/2 k (r - l)^2
 *   f   = -k (r - l) u on x_i, the opposite on x_j
 *
 * A length of 0 has no direction: no force. Comparisons are such that NaN positions give NaN results. */
#include "model/forces/kernels.h"

#include <math.h>
#include <stdbool.h>

/* The vector of spring s from its second to its first vertex; returns its square. */
static inline double spring_vector(const sb_springs *springs, const double *position, int s, double d[3])
{
  const double *a = position + 3 * (long)springs->first[s], *b = position + 3 * (long)springs->second[s];
  d[0] = a[0] - b[0];
  d[1] = a[1] - b[1];
  d[2] = a[2] - b[2];
  return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

/* sum on vertex `first` += factor d, on `second` the opposite. */
static inline void add_pair(const sb_springs *springs, int s, double factor, const double d[3], double *restrict sum)
{
  double *restrict a = sum + 3 * (long)springs->first[s], *restrict b = sum + 3 * (long)springs->second[s];
  for (int c = 0; c < 3; ++c) {
    const double part = factor * d[c];
    a[c] += part;
    b[c] -= part;
  }
}

void sb_kernel_add_elastic_forces(const sb_springs *springs, const double *restrict position, double *restrict force)
{
  const double *restrict k = springs->stiffness;
  const double *restrict l = springs->rest_length;
  for (int s = 0; s < springs->count; ++s) {
    double       d[3];
    const double r = sqrt(spring_vector(springs, position, s, d));
    const double factor = k[s] * (l[s] - r) / r; /* f = -k (r - l) d/r */
    add_pair(springs, s, r == 0.0 ? 0.0 : factor, d, force);
  }
}

void sb_kernel_add_local_step(const sb_springs *springs, const double *restrict position, double *restrict rhs)
{
  const double *restrict k = springs->stiffness;
  const double *restrict l = springs->rest_length;
  for (int s = 0; s < springs->count; ++s) {
    double       d[3];
    const double r = sqrt(spring_vector(springs, position, s, d));
    const double factor = k[s] * l[s] / r; /* k l u */
    add_pair(springs, s, r == 0.0 ? 0.0 : factor, d, rhs);
  }
}

void sb_kernel_add_damping(const sb_springs *springs, double damping, double beta, const double *restrict position,
                           const double *restrict velocity, double *restrict force)
{
  for (int s = 0; s < springs->count; ++s) {
    double        d[3];
    const double  square = spring_vector(springs, position, s, d);
    const double *a = velocity + 3 * (long)springs->first[s], *b = velocity + 3 * (long)springs->second[s];
    const double  approach = (a[0] - b[0]) * d[0] + (a[1] - b[1]) * d[1] + (a[2] - b[2]) * d[2];
    const double  factor = -(damping + beta * springs->stiffness[s]) * approach / square; /* -k_d (dv.d) d/r^2 */
    add_pair(springs, s, square == 0.0 ? 0.0 : factor, d, force);
  }
}

double sb_kernel_elastic_energy(const sb_springs *springs, const double *restrict position)
{
  double twice = 0.0;
  for (int s = 0; s < springs->count; ++s) {
    double       d[3];
    const double stretch = sqrt(spring_vector(springs, position, s, d)) - springs->rest_length[s];
    twice += springs->counted[s] * (springs->stiffness[s] * stretch * stretch); /* k (r - l)^2 */
  }
  return 0.5 * twice;
}

/* H_s = a I + b d d^T: a = k c, b = k (1 - c)/r^2, c = 1 - l/r, times `negative` where below 0. A spring of length
 * 0 counts k I/3, and one of rest length 0 k I. */
static inline void spring_hessian(const sb_springs *springs, int s, double negative, double square, double *a,
                                  double *b)
{
  const double k = springs->stiffness[s], l = springs->rest_length[s];
  const double c = 1 - l / sqrt(square), across = c < 0 ? negative * c : c;
  const bool   point = square == 0;
  *a = point ? (l == 0 ? k : k / 3) : k * across;
  *b = point ? 0 : k * (1 - across) / square;
}

static inline void difference(const sb_springs *springs, const double *of, int s, double q[3])
{
  const double *i = of + 3 * (long)springs->first[s], *j = of + 3 * (long)springs->second[s];
  for (int c = 0; c < 3; ++c) q[c] = i[c] - j[c];
}

double sb_kernel_curvature(const sb_springs *springs, double negative, const double *restrict position,
                           const double *restrict direction)
{
  double sum = 0.0;
  for (int s = 0; s < springs->count; ++s) {
    double d[3], q[3], a, b;
    spring_hessian(springs, s, negative, spring_vector(springs, position, s, d), &a, &b);
    difference(springs, direction, s, q);
    const double along = d[0] * q[0] + d[1] * q[1] + d[2] * q[2], square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2];
    sum += springs->counted[s] * (a * square + b * along * along);
  }
  return sum;
}

double sb_kernel_laplacian_curvature(const sb_springs *springs, const double *stiffness,
                                     const double *restrict direction)
{
  double sum = 0.0;
  for (int s = 0; s < springs->count; ++s) {
    double q[3];
    difference(springs, direction, s, q);
    sum += springs->counted[s] * stiffness[s] * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
  }
  return sum;
}

void sb_kernel_hessian_coefficients(const sb_springs *springs, double negative, const double *restrict position,
                                    double *restrict coefficient, bool *restrict minus)
{
  for (int s = 0; s < springs->count; ++s) {
    double d[3], b, *restrict own = coefficient + 4 * (long)s;
    spring_hessian(springs, s, negative, spring_vector(springs, position, s, d), own + 3, &b);
    const double root = sqrt(minus ? fabs(b) : b);
    if (minus) minus[s] = b < 0;
    for (int c = 0; c < 3; ++c) own[c] = root * d[c];
  }
}

void sb_kernel_add_hessian_product(const sb_springs *springs, const double *restrict coefficient,
                                   const bool *restrict minus, const double *restrict direction,
                                   double *restrict product)
{
  for (int s = 0; s < springs->count; ++s) {
    const double *restrict w = coefficient + 4 * (long)s;
    double q[3], pull[3];
    difference(springs, direction, s, q);
    const double sum = w[0] * q[0] + w[1] * q[1] + w[2] * q[2], along = minus && minus[s] ? -sum : sum;
    for (int c = 0; c < 3; ++c) pull[c] = w[3] * q[c] + along * w[c];
    add_pair(springs, s, 1, pull, product);
  }
}

void sb_kernel_turn(long count, const sb_cg_turn *turn)
{
  const double *restrict scaled = turn->scaled;
  double *restrict out = turn->out, *restrict p = turn->direction;
  for (long i = 0; i < count; ++i) {
    out[i] += turn->alpha * p[i];
    p[i] = scaled[i] + turn->beta * p[i];
  }
}

void sb_kernel_add_hessian_blocks(const sb_springs *springs, double negative, const double *restrict position,
                                  double *restrict block)
{
  for (int s = 0; s < springs->count; ++s) {
    double d[3], a, b;
    spring_hessian(springs, s, negative, spring_vector(springs, position, s, d), &a, &b);
    double *restrict i = block + 6 * (long)springs->first[s], *restrict j = block + 6 * (long)springs->second[s];
    const double own[6] = {a + b * d[0] * d[0], b * d[0] * d[1], b * d[0] * d[2],
                           a + b * d[1] * d[1], b * d[1] * d[2], a + b * d[2] * d[2]};
    for (int e = 0; e < 6; ++e) {
      i[e] += own[e];
      j[e] += own[e];
    }
  }
}

double sb_kernel_strain_max(const sb_springs *springs, const double *restrict position)
{
  double largest = 0.0;
  for (int s = 0; s < springs->count; ++s) {
    double       d[3];
    const double l = springs->rest_length[s], r = sqrt(spring_vector(springs, position, s, d));
    const double strain = l == 0.0 ? 0.0 : fabs(r / l - 1.0);
    if (strain > largest || isnan(strain)) largest = strain; /* a NaN stays: nothing compares with it */
  }
  return largest;
}
