/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Closest points of two parts of a surface, and conservative advancement; see proximity.h.
 *
 * For two directions a and b that span a plane, b is replaced by its part across a before anything is divided by it,
 * and its factor changes accordingly. If they are nearly parallel, the error of the weights then does not affect the
 * distance: the error of the distance is the length of that part times the error of the weight, some epsilon times the
 * size.
 *
 * The speed of approach is bounded by the motions of every vertex of one part relative to every vertex of the other.
 * The relative motion of any two points is a mean of these, and a common motion cancels. With n from one part to the
 * other, their distance at t is at least the minimum of n.(x_ij + t p_ij), for any n, so that near parts that slide
 * along each other are free at once. It decreases by at most the largest |p_ij|. */
#include "model/maths/proximity.h"

#include <float.h>
#include <math.h>

#include "model/maths/vector3.h"

/* Reached only by parts that turn about each other nearer than some 10^-3 of their motion. */
enum { ADVANCES_MAX = 1000 };
/* Roundings of a distance, in epsilons of the largest coordinate seen from the first vertex: some twenty operations. */
static const double roundings = 32;

/* A triangle whose width is below 10^-4 of its length. */
static const double thin_square = 1e-8;

static double clamp(double s) { return s < 0 ? 0 : s > 1 ? 1 : s; }

/* The point of the segment a + s along nearest to p. */
static double nearest_on_segment(const double p[3], const double a[3], const double along[3])
{
  double       r[3];
  const double square = sb_dot(along, along);
  sb_subtract(p, a, r);
  return square > 0 ? clamp(sb_dot(r, along) / square) : 0;
}

/* delta = sum w_i x_i, its square: from differences, since the sum of the weights is 0. */
static double connect(double x[4][3], const double weight[4], double delta[3])
{
  for (int c = 0; c < 3; ++c) {
    delta[c] = 0;
    for (int i = 1; i < 4; ++i) delta[c] += weight[i] * (x[i][c] - x[0][c]);
  }
  return sb_dot(delta, delta);
}

static double length2(double x[4][3], const double weight[4])
{
  double delta[3];
  return connect(x, weight, delta);
}

/* Takes these weights when the parts are nearer by them, or nowhere. */
static void take_nearer(double x[4][3], const double w[4], double *least, double weight[4])
{
  const double square = length2(x, w);
  if (!(square < *least || isnan(square))) return;
  *least = square;
  for (int i = 0; i < 4; ++i) weight[i] = w[i];
}

/* Within the triangle if the vertex is above it, else on one of the sides that face it: those with a negative
 * barycentric coordinate. All three are tried if a triangle is too thin to decide. */
static double vertex_triangle(double x[4][3], double weight[4])
{
  double a[3], b[3], r[3], across[3], beside[3], least = INFINITY;
  sb_subtract(x[2], x[1], a);
  sb_subtract(x[3], x[1], b);
  sb_subtract(x[0], x[1], r);
  const double aa = sb_dot(a, a), ab = sb_dot(a, b);
  const double ra = sb_dot(r, a);
  sb_along(b, -ab / aa, a, across);
  sb_along(r, -ra / aa, a, beside);
  const double width2 = sb_dot(across, across), v = sb_dot(beside, across) / width2, u = (ra - v * ab) / aa;
  const double inside[3] = {1 - u - v, u, v};
  const bool   thin = !(width2 > thin_square * sb_dot(b, b));
  const bool   above = inside[0] >= 0 && u >= 0 && v >= 0;
  if (above) take_nearer(x, (double[4]){1, -inside[0], -u, -v}, &least, weight);
  for (int opposite = 0; opposite < 3 && (thin || !above); ++opposite) {
    if (inside[opposite] >= 0 && !thin) continue;
    const int first = 1 + (opposite + 1) % 3, second = 1 + (opposite + 2) % 3;
    double    along[3], w[4] = {1, 0, 0, 0};
    sb_subtract(x[second], x[first], along);
    const double s = nearest_on_segment(x[0], x[first], along);
    w[first] = s - 1;
    w[second] = -s;
    take_nearer(x, w, &least, weight);
  }
  return least;
}

static double edge_edge(double x[4][3], double weight[4])
{
  double a[3], b[3], r[3], across[3], beside[3], p[3];
  sb_subtract(x[1], x[0], a);
  sb_subtract(x[3], x[2], b);
  sb_subtract(x[0], x[2], r);
  const double aa = sb_dot(a, a), ab = sb_dot(a, b), ra = sb_dot(r, a);
  sb_along(b, aa > 0 ? -ab / aa : 0, a, across);
  sb_along(r, aa > 0 ? -ra / aa : 0, a, beside);
  const double square = sb_dot(across, across);
  /* Lines: t of the second, then s of the first; from there to within both edges. Parallel ones begin at the first. */
  double t = square > 0 ? sb_dot(beside, across) / square : 0;
  double s = aa > 0 ? clamp((t * ab - ra) / aa) : 0;
  sb_along(x[0], s, a, p);
  t = nearest_on_segment(p, x[2], b);
  sb_along(x[2], t, b, p);
  s = nearest_on_segment(p, x[0], a);
  weight[0] = 1 - s;
  weight[1] = s;
  weight[2] = t - 1;
  weight[3] = -t;
  return length2(x, weight);
}

double sb_pair_distance2(sb_pair_kind kind, double x[4][3], double weight[4])
{
  return kind == SB_VERTEX_TRIANGLE ? vertex_triangle(x, weight) : edge_edge(x, weight);
}

/* How the ends of the one part lie to those of the other: every pair of a vertex here and one there. */
typedef struct {
  int    pairs;
  double place[4][3], motion[4][3]; /* [pairs] of the first part seen from the second, at the beginning; in all */
  double noise;                     /* m: the rounding of a distance */
} relation;

static void add_relation(relation *all, double x[4][3], double p[4][3], int first, int second)
{
  sb_subtract(x[first], x[second], all->place[all->pairs]);
  sb_subtract(p[first], p[second], all->motion[all->pairs]);
  for (int c = 0; c < 3; ++c) {
    const double reach = fabs(x[first][c]) + fabs(x[second][c]) + fabs(p[first][c]) + fabs(p[second][c]);
    all->noise = fmax(all->noise, roundings * DBL_EPSILON * reach);
  }
  ++all->pairs;
}

static relation relate(sb_pair_kind kind, double x[4][3], double p[4][3])
{
  relation all = {0};
  if (kind == SB_VERTEX_TRIANGLE)
    for (int corner = 1; corner < 4; ++corner) add_relation(&all, x, p, 0, corner);
  else
    for (int pair = 0; pair < 4; ++pair) add_relation(&all, x, p, pair / 2, 2 + pair % 2);
  return all;
}

/* The greatest speed, per unit of t, at which any point of the one part moves seen from any of the other. */
static double speed_of(const relation *all)
{
  double square = 0;
  for (int i = 0; i < all->pairs; ++i) square = fmax(square, sb_dot(all->motion[i], all->motion[i]));
  return sqrt(square);
}

/* From t on, the time until which the parts stay beyond the planes across n that are `least` apart. */
static double free_along(const relation *all, const double n[3], double t, double least)
{
  double until = 1;
  for (int i = 0; i < all->pairs; ++i) {
    const double apart = sb_dot(n, all->place[i]), rate = sb_dot(n, all->motion[i]);
    if (!(apart + t * rate > least)) return 0;
    if (rate < 0) until = fmin(until, (least - apart) / rate);
  }
  return until - t;
}

double sb_pair_advance(sb_pair_kind kind, double x[4][3], double p[4][3], double least, double slack)
{
  const relation all = relate(kind, x, p);
  const double   speed = speed_of(&all);
  double         t = 0, enough = 0;
  if (!isfinite(speed)) return 0;
  for (int advance = 0; advance < ADVANCES_MAX; ++advance) {
    double at[4][3], weight[4], n[3];
    for (int i = 0; i < 4; ++i) sb_along(x[i], t, p[i], at[i]);
    sb_pair_distance2(kind, at, weight);
    const double distance = sqrt(connect(at, weight, n)), left = distance - least - all.noise;
    if (!(distance > least) || !isfinite(distance)) return t;
    for (int c = 0; c < 3; ++c) n[c] /= distance;
    if (advance == 0) enough = slack * left;
    if (left <= 0) return free_along(&all, n, t, 0.5 * (least + distance)) < 1 - t ? t : 1;
    if (left <= enough) return t;
    const double target = least + all.noise + 0.5 * enough;
    t += fmax((distance - target) / speed, free_along(&all, n, t, target));
    if (!(t < 1)) return 1;
  }
  return t;
}

/* Two triangles, with places relative to the first corner of one, so that cancellation is exact. */
typedef struct {
  double place[2][3][3], side[2][3][3];
  double reach; /* the largest |coordinate| of a place */
} two_triangles;

static two_triangles from_first_corner(double a[3][3], double b[3][3])
{
  two_triangles both = {.reach = 0};
  for (int corner = 0; corner < 3; ++corner) {
    sb_subtract(a[corner], a[0], both.place[0][corner]);
    sb_subtract(b[corner], a[0], both.place[1][corner]);
  }
  for (int which = 0; which < 2; ++which)
    for (int corner = 0; corner < 3; ++corner) {
      double(*place)[3] = both.place[which];
      sb_subtract(place[(corner + 1) % 3], place[corner], both.side[which][corner]);
      for (int c = 0; c < 3; ++c) both.reach = fmax(both.reach, fabs(place[corner][c]));
    }
  return both;
}

/* True if there is more room between them along this axis than rounding could make. Any axis proves it. */
static bool are_apart_along(const two_triangles *both, const double axis[3])
{
  double       low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  const double rounding = 8 * DBL_EPSILON * both->reach * (fabs(axis[0]) + fabs(axis[1]) + fabs(axis[2]));
  for (int which = 0; which < 2; ++which)
    for (int corner = 0; corner < 3; ++corner) {
      const double along = sb_dot(axis, both->place[which][corner]);
      low[which] = fmin(low[which], along);
      high[which] = fmax(high[which], along);
    }
  return low[1] - high[0] > rounding || low[0] - high[1] > rounding;
}

static bool are_apart_along_product(const two_triangles *both, const double p[3], const double q[3])
{
  double axis[3];
  sb_cross(p, q, axis);
  return are_apart_along(both, axis);
}

/* The axes that decide for triangles with area: across a plane, across two sides, across a side within a plane. */
static bool are_apart_along_any(const two_triangles *both)
{
  double normal[2][3];
  for (int which = 0; which < 2; ++which) {
    sb_cross(both->side[which][0], both->side[which][1], normal[which]);
    if (are_apart_along(both, normal[which])) return true;
  }
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k)
      if (are_apart_along_product(both, both->side[0][i], both->side[1][k])) return true;
  for (int which = 0; which < 2; ++which)
    for (int i = 0; i < 3; ++i)
      if (are_apart_along_product(both, normal[which], both->side[which][i])) return true;
  return false;
}

/* The shortest connection decides of those without area, too. */
static bool are_apart_by_distance(const two_triangles *both)
{
  double least = INFINITY, axis[3] = {0, 0, 0};
  for (int trial = 0; trial < 15; ++trial) {
    const sb_pair_kind kind = trial < 6 ? SB_VERTEX_TRIANGLE : SB_EDGE_EDGE;
    const int          which = trial < 3, i = trial < 6 ? trial % 3 : trial / 3 - 2, k = trial % 3;
    double             x[4][3], weight[4], delta[3];
    for (int c = 0; c < 3; ++c) {
      x[0][c] = both->place[which][i][c];
      x[1][c] = trial < 6 ? both->place[!which][0][c] : both->place[0][(i + 1) % 3][c];
      x[2][c] = both->place[!which][trial < 6 ? 1 : k][c];
      x[3][c] = both->place[!which][trial < 6 ? 2 : (k + 1) % 3][c];
    }
    const double square = sb_pair_distance2(kind, x, weight);
    if (!(square < least)) continue;
    least = square;
    connect(x, weight, delta);
    for (int c = 0; c < 3; ++c) axis[c] = delta[c];
  }
  return are_apart_along(both, axis);
}

bool sb_triangles_meet(double a[3][3], double b[3][3])
{
  const two_triangles both = from_first_corner(a, b);
  return !are_apart_along_any(&both) && !are_apart_by_distance(&both);
}
