/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sphere: phi = |p - c| - margin r, n = (p - c)/|p - c|, grad n = (I - n n^T)/|p - c|. */
#include "model/contact/contact.h"

#include <math.h>
#include <string.h>

#include "model/maths/proximity.h"

static void points_of(const sb_composite *value, double point[SB_COLLIDER_POINTS_MAX][3])
{
  memcpy(point[0], value->number[0], sizeof point[0]);
}

static double distance(const sb_composite *value, double margin, const double point[SB_COLLIDER_POINTS_MAX][3],
                       const double p[3], double n[3])
{
  const double d[3] = {p[0] - point[0][0], p[1] - point[0][1], p[2] - point[0][2]};
  const double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), inverse = 1.0 / r;
  n[0] = d[0] * inverse;
  n[1] = d[1] * inverse;
  n[2] = r == 0.0 ? 1.0 : d[2] * inverse;
  if (r == 0.0) n[0] = n[1] = 0.0;
  return r - margin * value->number[1][0];
}

static void curvature(const sb_composite *value, const double point[SB_COLLIDER_POINTS_MAX][3], const double p[3],
                      double bend[6])
{
  const double d[3] = {p[0] - point[0][0], p[1] - point[0][1], p[2] - point[0][2]};
  const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], r = sqrt(square);
  (void)value;
  for (int a = 0, e = 0; a < 3; ++a)
    for (int b = a; b < 3; ++b, ++e) bend[e] = r == 0.0 ? 0.0 : ((a == b) - d[a] * d[b] / square) / r;
}

static void deepest(const double point[SB_COLLIDER_POINTS_MAX][3], double corner[3][3], double p[3])
{
  double x[4][3], weight[4];
  memcpy(x[0], point[0], sizeof x[0]);
  memcpy(x[1], corner, 3 * sizeof x[0]);
  sb_pair_distance2(SB_VERTEX_TRIANGLE, x, weight);
  for (int c = 0; c < 3; ++c) p[c] = -weight[1] * x[1][c] - weight[2] * x[2][c] - weight[3] * x[3][c];
}

const sb_collider_shape sb_collider_sphere = {
    .form = {.name = "sphere",
             .summary = "ball",
             .parts = 2,
             .part = {{"centre", SB_PART_VECTOR, "m", "[0,0,0]", "[-1e6,1e6]", "its centre"},
                      {"radius", SB_PART_REAL, "m", NULL, "(0,1e6]", "radius; contact uses margin times this"}}},
    .points = 1,
    .points_of = points_of,
    .distance = distance,
    .curvature = curvature,
    .deepest = deepest,
};
