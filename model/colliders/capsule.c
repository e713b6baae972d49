/* A capsule: all points within a radius of a segment from q_0 to q_1. With a = q_1 - q_0,
 *
 *   s = (p - q_0).a/a.a held to [0, 1],  d = p - q_0 - s a,  phi = |d| - margin r,  n = d/|d|,
 *   grad n = (I - n n^T - a a^T/a.a)/|d| beside the segment, (I - n n^T)/|d| beyond its ends. */
#include "model/contact.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

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
  const double square = dot(a, a), along = square > 0.0 ? dot(q, a) / square : 0.0;
  const double s = along < 0.0 ? 0.0 : along > 1.0 ? 1.0 : along;
  const bool   beside = along > 0.0 && along < 1.0;
  for (int c = 0; c < 3; ++c) {
    d[c] = q[c] - s * a[c];
    axis[c] = beside ? a[c] / sqrt(square) : 0.0;
  }
  return sqrt(dot(d, d));
}

/* A unit vector across the axis, for points on it; any one where there is no axis. */
static void across(const double axis[3], double n[3])
{
  int least = 0;
  for (int c = 1; c < 3; ++c)
    if (fabs(axis[c]) < fabs(axis[least])) least = c;
  for (int c = 0; c < 3; ++c) n[c] = (c == least) - axis[least] * axis[c];
  const double length = sqrt(dot(n, n));
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
             .part = {{"start", SB_PART_VECTOR, "m", NULL, "[-1e6,1e6]", "one end of its axis"},
                      {"end", SB_PART_VECTOR, "m", NULL, "[-1e6,1e6]", "the other end"},
                      {"radius", SB_PART_REAL, "m", NULL, "(0,1e6]", "its radius; contact counts margin times it"}},
             .check = check},
    .points = 2,
    .points_of = points_of,
    .distance = distance,
    .curvature = curvature,
};
