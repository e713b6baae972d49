/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A capsule: all points within a radius of a segment from q_0 to q_1. With a = q_1 - q_0,
 *
 *   s = (p - q_0).a/a.a held to [0, 1],  d = p - q_0 - s a,  phi = |d| - margin r,  n = d/|d|,
 *   grad n = (I - n n^T - a a^T/a.a)/|d| beside the segment, (I - n n^T)/|d| beyond its ends. */
#include "model/contact/contact.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/maths/proximity.h"
#include "model/maths/vector3.h"

static void points_of(const sb_composite *value, double point[SB_COLLIDER_POINTS_MAX][3])
{
  memcpy(point[0], value->number[0], sizeof point[0]);
  memcpy(point[1], value->number[1], sizeof point[1]);
}

/* The vector d from the nearest point of the segment to p; the segment's direction in `axis`, or zeros where p is
 * beyond an end. Returns |d|. */
static double from_segment(const double point[SB_COLLIDER_POINTS_MAX][3], const double p[3], double axis[3],
                           double d[3])
{
  double a[3], q[3];
  for (int c = 0; c < 3; ++c) {
    a[c] = point[1][c] - point[0][c];
    q[c] = p[c] - point[0][c];
  }
  const double square = sb_dot(a, a), along = square > 0.0 ? sb_dot(q, a) / square : 0.0;
  const double s = along < 0.0 ? 0.0 : along > 1.0 ? 1.0 : along;
  const bool   beside = along > 0.0 && along < 1.0;
  for (int c = 0; c < 3; ++c) {
    d[c] = q[c] - s * a[c];
    axis[c] = beside ? a[c] / sqrt(square) : 0.0;
  }
  return sqrt(sb_dot(d, d));
}

/* A unit vector across the axis, for points on it; any one if there is no axis. */
static void across(const double axis[3], double n[3])
{
  int least = 0;
  for (int c = 1; c < 3; ++c)
    if (fabs(axis[c]) < fabs(axis[least])) least = c;
  for (int c = 0; c < 3; ++c) n[c] = (c == least) - axis[least] * axis[c];
  const double length = sqrt(sb_dot(n, n));
  for (int c = 0; c < 3; ++c) n[c] /= length;
}

static double distance(const sb_composite *value, double margin, const double point[SB_COLLIDER_POINTS_MAX][3],
                       const double p[3], double n[3])
{
  double       axis[3], d[3];
  const double r = from_segment(point, p, axis, d);
  for (int c = 0; c < 3; ++c) n[c] = d[c] / r;
  if (r == 0.0) across(axis, n);
  return r - margin * value->number[2][0];
}

static void curvature(const sb_composite *value, const double point[SB_COLLIDER_POINTS_MAX][3], const double p[3],
                      double bend[6])
{
  double       axis[3], d[3];
  const double r = from_segment(point, p, axis, d);
  (void)value;
  for (int a = 0, e = 0; a < 3; ++a)
    for (int b = a; b < 3; ++b, ++e)
      bend[e] = r == 0.0 ? 0.0 : ((a == b) - d[a] * d[b] / (r * r) - axis[a] * axis[b]) / r;
}

/* The point of a triangle nearest to q. */
static void nearest_to(const double q[3], double corner[3][3], double p[3])
{
  double x[4][3], weight[4];
  memcpy(x[0], q, sizeof x[0]);
  memcpy(x[1], corner, 3 * sizeof x[0]);
  sb_pair_distance2(SB_VERTEX_TRIANGLE, x, weight);
  for (int c = 0; c < 3; ++c) p[c] = -weight[1] * x[1][c] - weight[2] * x[2][c] - weight[3] * x[3][c];
}

/* The point of a side nearest to the segment. */
static void nearest_on_side(const double point[SB_COLLIDER_POINTS_MAX][3], const double first[3],
                            const double second[3], double p[3])
{
  double x[4][3], weight[4];
  memcpy(x[0], first, sizeof x[0]);
  memcpy(x[1], second, sizeof x[1]);
  memcpy(x[2], point, 2 * sizeof x[2]);
  sb_pair_distance2(SB_EDGE_EDGE, x, weight);
  for (int c = 0; c < 3; ++c) p[c] = weight[0] * x[0][c] + weight[1] * x[1][c];
}

/* The point where the segment's line crosses the triangle's plane, limited to the segment; an end if they are parallel.
 */
static void through_plane(const double point[SB_COLLIDER_POINTS_MAX][3], double corner[3][3], double q[3])
{
  double a[3], b[3], n[3], axis[3], from[3];
  sb_subtract(corner[1], corner[0], a);
  sb_subtract(corner[2], corner[0], b);
  sb_cross(a, b, n);
  sb_subtract(point[1], point[0], axis);
  sb_subtract(corner[0], point[0], from);
  const double s = sb_dot(from, n) / sb_dot(axis, n);
  sb_along(point[0], s > 0 ? fmin(s, 1) : 0, axis, q);
}

/* The nearest of these points of the triangle: those next to the segment's ends, to the crossing, and on each side. */
static void deepest(const double point[SB_COLLIDER_POINTS_MAX][3], double corner[3][3], double p[3])
{
  double candidate[6][3], through[3], least = INFINITY;
  through_plane(point, corner, through);
  nearest_to(point[0], corner, candidate[0]);
  nearest_to(point[1], corner, candidate[1]);
  nearest_to(through, corner, candidate[2]);
  for (int side = 0; side < 3; ++side)
    nearest_on_side(point, corner[side], corner[(side + 1) % 3], candidate[3 + side]);
  for (int i = 0; i < 6; ++i) {
    double       axis[3], d[3];
    const double r = from_segment(point, candidate[i], axis, d);
    if (i > 0 && !(r < least)) continue;
    least = r;
    memcpy(p, candidate[i], sizeof candidate[i]);
  }
}

static bool check(const sb_composite *value, char *why, size_t size)
{
  for (int c = 0; c < 3; ++c)
    if (value->number[0][c] != value->number[1][c]) return true;
  snprintf(why, size, "start and end are one point; a sphere has one centre");
  return false;
}

const sb_collider_shape sb_collider_capsule = {
    .form = {.name = "capsule",
             .summary = "cylinder with rounded ends",
             .parts = 3,
             .part = {{"start", SB_PART_VECTOR, "m", NULL, "[-1e6,1e6]", "one end of the axis"},
                      {"end", SB_PART_VECTOR, "m", NULL, "[-1e6,1e6]", "the other end"},
                      {"radius", SB_PART_REAL, "m", NULL, "(0,1e6]", "radius; contact uses margin times this"}},
             .check = check},
    .points = 2,
    .points_of = points_of,
    .distance = distance,
    .curvature = curvature,
    .deepest = deepest,
};
