/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Energy, gradient and Hessian of a pair's barrier; see barrier_pair.h.
 *
 * With delta = sum w_i x_i, n = delta/d and free parameters a of the closest points: grad d = w ⊗ n, and
 *
 *     grad grad d = -sum_a [ (w ⊗ t_a)(q_a ⊗ n)^T + (q_a ⊗ n)(w ⊗ t_a)^T + d (q_a ⊗ n)(q_a ⊗ n)^T ]
 *                   + 1/d sum over directions o across n and every t_a of (w ⊗ o)(w ⊗ o)^T
 *
 * The t_a are orthonormal directions along which delta changes with the parameters. The q_a are the changes of w that
 * go with them, made orthogonal. b' < 0: the sum in brackets counts positively, the last one negatively. */
#include "model/contact/barrier_pair.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define PARALLEL_PART 1e-3 /* of |u|^2 |v|^2 at rest, as in the paper */

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const double a[3], const double b[3], double out[3])
{
  for (int c = 0; c < 3; ++c) out[c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
}

double sb_barrier_parallel(double first_length, double second_length)
{
  return PARALLEL_PART * first_length * first_length * second_length * second_length;
}

/* A function of one variable with its first and second derivative. */
typedef struct {
  double value, first, second;
} jet;

/* kappa b */
static jet barrier(const sb_barrier_law *law, double d)
{
  const double below = d - law->thickness, logarithm = log(d / law->thickness), part = below / d;
  return (jet){-law->stiffness * below * below * logarithm, -law->stiffness * below * (2 * logarithm + part),
               -law->stiffness * (2 * logarithm + 4 * part - part * part)};
}

/* m(c), and u and v of the edges with u × v. */
typedef struct {
  jet    m;
  double u[3], v[3], s[3];
} alignment;

static alignment align(const sb_nearness *near, double x[4][3])
{
  alignment a = {.m = {.value = 1}};
  if (near->kind != SB_EDGE_EDGE || near->parallel <= 0) return a;
  for (int c = 0; c < 3; ++c) {
    a.u[c] = x[1][c] - x[0][c];
    a.v[c] = x[3][c] - x[2][c];
  }
  cross(a.u, a.v, a.s);
  const double part = dot(a.s, a.s) / near->parallel;
  if (part < 1) a.m = (jet){(2 - part) * part, 2 * (1 - part) / near->parallel, -2 / (near->parallel * near->parallel)};
  return a;
}

/* grad c: of u it is 2 v × s, of v 2 s × u, and x_0 and x_2 have the opposite. */
static void gradient_of_cross(const alignment *a, double gradient[4][3])
{
  cross(a->v, a->s, gradient[1]);
  cross(a->s, a->u, gradient[3]);
  for (int c = 0; c < 3; ++c) {
    gradient[0][c] = -(gradient[1][c] *= 2);
    gradient[2][c] = -(gradient[3][c] *= 2);
  }
}

/* n, and d */
static double direction(const sb_nearness *near, double x[4][3], double n[3])
{
  const double d = sqrt(near->square);
  for (int c = 0; c < 3; ++c) {
    n[c] = 0;
    for (int i = 0; i < 4; ++i) n[c] += near->weight[i] * x[i][c] / d;
  }
  return d;
}

double sb_barrier_pair_energy(const sb_barrier_law *law, const sb_nearness *near, double x[4][3])
{
  const double d = sqrt(near->square);
  if (!(d > 0)) return INFINITY;
  return d < law->thickness ? align(near, x).m.value * barrier(law, d).value : 0;
}

void sb_barrier_pair_gradient(const sb_barrier_law *law, const sb_nearness *near, double x[4][3], double gradient[4][3])
{
  double       n[3], of_cross[4][3];
  const double d = direction(near, x, n);
  memset(gradient, 0, 12 * sizeof(double));
  if (!(d > 0 && d < law->thickness)) return;
  const alignment a = align(near, x);
  const jet       b = barrier(law, d);
  for (int i = 0; i < 4; ++i)
    for (int c = 0; c < 3; ++c) gradient[i][c] = a.m.value * b.first * near->weight[i] * n[c];
  if (a.m.first == 0) return;
  gradient_of_cross(&a, of_cross);
  for (int i = 0; i < 4; ++i)
    for (int c = 0; c < 3; ++c) gradient[i][c] += a.m.first * b.value * of_cross[i][c];
}

/* The directions in which closest points slide: t, orthonormal, and q, orthogonal. */
typedef struct {
  int    count;
  double t[2][3], q[2][4];
} slides;

/* The raw ones: delta changes by t and w by q as a parameter grows by 1. */
static void list_slides(const sb_nearness *near, double x[4][3], slides *free)
{
  const double *w = near->weight;
  int           base = 0;
  *free = (slides){0};
  if (near->kind == SB_EDGE_EDGE) {
    for (int edge = 0; edge < 2; ++edge) {
      const int from = 2 * edge, to = from + 1;
      if (w[from] == 0 || w[to] == 0) continue;
      for (int c = 0; c < 3; ++c) free->t[free->count][c] = x[to][c] - x[from][c];
      free->q[free->count][from] = -1;
      free->q[free->count++][to] = 1;
    }
    return;
  }
  for (int corner = 1; corner < 4; ++corner) {
    if (w[corner] == 0) continue;
    if (base == 0) {
      base = corner;
      continue;
    }
    if (free->count == 2) return;
    for (int c = 0; c < 3; ++c) free->t[free->count][c] = x[corner][c] - x[base][c];
    free->q[free->count][base] = -1;
    free->q[free->count++][corner] = 1;
  }
}

/* t[k], q[k] *= scale */
static void stretch(slides *free, int k, double scale)
{
  for (int c = 0; c < 3; ++c) free->t[k][c] *= scale;
  for (int i = 0; i < 4; ++i) free->q[k][i] *= scale;
}

static double dot4(const double a[4], const double b[4])
{
  double sum = 0;
  for (int i = 0; i < 4; ++i) sum += a[i] * b[i];
  return sum;
}

/* Gram and Schmidt on t, with q changed likewise; the second slide has the direction of the first, except for rounding.
 */
static void make_orthonormal(slides *free)
{
  for (int k = 0; k < free->count; ++k) {
    const double before = dot(free->t[k], free->t[k]), along = k > 0 ? dot(free->t[0], free->t[k]) : 0;
    for (int c = 0; c < 3; ++c) free->t[k][c] -= along * free->t[0][c] * (k > 0);
    for (int i = 0; i < 4; ++i) free->q[k][i] -= along * free->q[0][i] * (k > 0);
    const double square = dot(free->t[k], free->t[k]);
    if (square > 16 * DBL_EPSILON * before)
      stretch(free, k, 1 / sqrt(square));
    else
      free->count = k;
  }
}

/* Turns both slides together until the q are orthogonal too. */
static void make_diagonal(slides *free)
{
  if (free->count < 2) return;
  const double angle =
      0.5 * atan2(2 * dot4(free->q[0], free->q[1]), dot4(free->q[0], free->q[0]) - dot4(free->q[1], free->q[1]));
  const double cosine = cos(angle), sine = sin(angle);
  const slides old = *free;
  for (int c = 0; c < 3; ++c) {
    free->t[0][c] = cosine * old.t[0][c] + sine * old.t[1][c];
    free->t[1][c] = cosine * old.t[1][c] - sine * old.t[0][c];
  }
  for (int i = 0; i < 4; ++i) {
    free->q[0][i] = cosine * old.q[0][i] + sine * old.q[1][i];
    free->q[1][i] = cosine * old.q[1][i] - sine * old.q[0][i];
  }
}

/* The positive part of [[a, b], [b, c]]: y y^T for one positive eigenvalue, two dyads for two. */
static int positive_part(double a, double b, double c, double y[2][2])
{
  const double mean = 0.5 * (a + c), half = 0.5 * (a - c), radius = hypot(half, b), angle = 0.5 * atan2(b, half);
  const double value[2] = {mean + radius, mean - radius};
  int          count = 0;
  for (int k = 0; k < 2; ++k) {
    if (!(value[k] > 0)) continue;
    const double root = sqrt(value[k]);
    y[count][0] = root * (k == 0 ? cos(angle) : -sin(angle));
    y[count++][1] = root * (k == 0 ? sin(angle) : cos(angle));
  }
  return count;
}

/* factor times -(grad grad d), the parts that slide: factor [[0, |w| |q|], [|w| |q|, d |q|^2]] in the unit vectors of
 * w ⊗ t and q ⊗ n, which are orthogonal. */
static int slide_dyads(const sb_nearness *near, double x[4][3], double d, const double n[3], double factor,
                       double dyad[][4][3])
{
  slides       free;
  const double w_length = sqrt(dot4(near->weight, near->weight));
  int          count = 0;
  list_slides(near, x, &free);
  make_orthonormal(&free);
  make_diagonal(&free);
  for (int k = 0; k < free.count; ++k) {
    const double q_length = sqrt(dot4(free.q[k], free.q[k]));
    double       y[2][2]; /* one at most: the determinant is negative */
    if (positive_part(0, factor * w_length * q_length, factor * d * q_length * q_length, y) == 0) continue;
    for (int i = 0; i < 4; ++i)
      for (int c = 0; c < 3; ++c)
        dyad[count][i][c] =
            y[0][0] * near->weight[i] / w_length * free.t[k][c] + y[0][1] * free.q[k][i] / q_length * n[c];
    ++count;
  }
  return count;
}

/* Dyads of F K F^T, F = [grad c, grad d] and K = [[m'' b, m' b'], [m' b', m b'']]: with F = Q R, the positive part of R
 * K R^T. */
static int core_dyads(const jet *m, const jet *b, const double *restrict of_cross, const double *restrict of_distance,
                      double dyad[][4][3])
{
  double second = 0, along = 0, square = 0, y[2][2];
  for (int k = 0; k < 12; ++k) {
    second += of_distance[k] * of_distance[k];
    along += of_distance[k] * of_cross[k];
  }
  const double length = sqrt(second); /* R = [[along/length, length], [rest, 0]], the first row of grad d */
  for (int k = 0; k < 12; ++k) square += pow(of_cross[k] - along / second * of_distance[k], 2);
  const double rest = sqrt(square), r = along / length;
  const double kcc = m->second * b->value, kcd = m->first * b->first, kdd = m->value * b->second;
  const int    count = positive_part(kcc * r * r + 2 * kcd * r * length + kdd * second, rest * (kcc * r + kcd * length),
                                     kcc * square, y);
  for (int p = 0; p < count; ++p)
    for (int k = 0; k < 12; ++k) {
      const double across = rest > 0 ? (of_cross[k] - along / second * of_distance[k]) / rest : 0;
      dyad[p][k / 3][k % 3] = y[p][0] * of_distance[k] / length + y[p][1] * across;
    }
  return count;
}

/* 2 factor S^T S of S = d(u × v): row e of S is, of u, v × e and, of v, e × u. */
static void cross_dyads(const alignment *a, double factor, double dyad[][4][3])
{
  const double scale = sqrt(2 * factor);
  for (int e = 0; e < 3; ++e) {
    const double unit[3] = {e == 0, e == 1, e == 2};
    cross(a->v, unit, dyad[e][1]);
    cross(unit, a->u, dyad[e][3]);
    for (int c = 0; c < 3; ++c) {
      dyad[e][0][c] = -(dyad[e][1][c] *= scale);
      dyad[e][2][c] = -(dyad[e][3][c] *= scale);
    }
  }
}

int sb_barrier_pair_dyads(const sb_barrier_law *law, const sb_nearness *near, double x[4][3],
                          double dyad[SB_BARRIER_DYADS][4][3])
{
  double       n[3], of_distance[4][3], of_cross[4][3];
  const double d = direction(near, x, n);
  int          count = 0;
  if (!(d > 0 && d < law->thickness)) return 0;
  const alignment a = align(near, x);
  const jet       b = barrier(law, d);
  if (a.m.first == 0) {
    for (int i = 0; i < 4; ++i)
      for (int c = 0; c < 3; ++c) dyad[0][i][c] = sqrt(b.second) * near->weight[i] * n[c];
    return 1 + slide_dyads(near, x, d, n, -b.first, dyad + 1);
  }
  for (int i = 0; i < 4; ++i)
    for (int c = 0; c < 3; ++c) of_distance[i][c] = near->weight[i] * n[c];
  gradient_of_cross(&a, of_cross);
  count = core_dyads(&a.m, &b, of_cross[0], of_distance[0], dyad);
  if (a.m.value > 0) count += slide_dyads(near, x, d, n, -a.m.value * b.first, dyad + count);
  cross_dyads(&a, a.m.first * b.value, dyad + count);
  return count + 3;
}
