/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plane: a half-space with its outward normal. */
#include "model/contact/contact.h"

#include <math.h>
#include <stdio.h>

static void points_of(const sb_composite *value, double point[SB_COLLIDER_POINTS_MAX][3])
{
  const double *n = value->number[1], length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  for (int c = 0; c < 3; ++c) {
    point[0][c] = value->number[0][c];
    point[1][c] = point[0][c] + n[c] / length;
  }
}

static double distance(const sb_composite *value, double margin, const double point[SB_COLLIDER_POINTS_MAX][3],
                       const double p[3], double n[3])
{
  double phi = 0.0;
  (void)value, (void)margin;
  for (int c = 0; c < 3; ++c) {
    n[c] = point[1][c] - point[0][c];
    phi += n[c] * (p[c] - point[0][c]);
  }
  return phi;
}

static bool check(const sb_composite *value, char *why, size_t size)
{
  const double *n = value->number[1];
  if (n[0] != 0.0 || n[1] != 0.0 || n[2] != 0.0) return true;
  snprintf(why, size, "the normal is the zero vector");
  return false;
}

const sb_collider_shape sb_collider_plane = {
    .form = {.name = "plane",
             .summary = "half-space behind a plane",
             .parts = 2,
             .part = {{"point", SB_PART_VECTOR, "m", "[0,0,0]", "[-1e6,1e6]", "a point of the plane"},
                      {"normal", SB_PART_VECTOR, "", "[0,0,1]", "[-1e6,1e6]", "outward normal, of any length"}},
             .check = check},
    .points = 2,
    .points_of = points_of,
    .distance = distance,
};
