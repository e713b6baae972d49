/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A rotation at a constant rate about an axis, by Rodrigues. Let k be the unit axis, r = x(0) - centre and a = rate t
 * the angle. Then x(t) = x(0) + sin a (k x r) + 2 sin^2(a/2) k x (k x r), which is x(0) to the bit at t = 0. */
#include <math.h>
#include <stdio.h>

#include "model/forces/path.h"

enum { CENTRE, AXIS, RATE };

static void cross(const double a[3], const double b[3], double product[3])
{
  for (int c = 0; c < 3; ++c) {
    const int d = (c + 1) % 3, e = (c + 2) % 3;
    product[c] = a[d] * b[e] - a[e] * b[d];
  }
}

static void place(void *state, const sb_composite *value, double t_seconds, size_t count, const double *rest,
                  double *place)
{
  const double *centre = value->number[CENTRE], *axis = value->number[AXIS];
  const double  length = hypot(hypot(axis[0], axis[1]), axis[2]), angle = value->number[RATE][0] * t_seconds;
  const double  k[3] = {axis[0] / length, axis[1] / length, axis[2] / length};
  const double  sine = sin(angle), versine = 2.0 * sin(0.5 * angle) * sin(0.5 * angle);
  (void)state;
  for (size_t i = 0; i < count; ++i) {
    double       once[3], twice[3];
    const double r[3] = {rest[3 * i] - centre[0], rest[3 * i + 1] - centre[1], rest[3 * i + 2] - centre[2]};
    cross(k, r, once);
    cross(k, once, twice);
    for (size_t c = 0; c < 3; ++c) place[3 * i + c] = rest[3 * i + c] + sine * once[c] + versine * twice[c];
  }
}

static bool check(const sb_composite *value, char *why, size_t size)
{
  const double *axis = value->number[AXIS];
  if (axis[0] != 0.0 || axis[1] != 0.0 || axis[2] != 0.0) return true;
  snprintf(why, size, "the axis is the zero vector");
  return false;
}

const sb_path_kind sb_path_rotation = {
    .form = {.name = "rotation",
             .summary = "rotation about an axis at a constant rate",
             .parts = 3,
             .part = {[CENTRE] = {"centre", SB_PART_VECTOR, "m", "[0,0,0]", "[-1e9,1e9]", "a point of the axis"},
                      [AXIS] = {"axis", SB_PART_VECTOR, "", "[0,0,1]", "[-1e6,1e6]", "direction, of any length"},
                      [RATE] = {"rate", SB_PART_REAL, "rad/s", NULL, "[-1e9,1e9]",
                                "angular velocity, anticlockwise when the axis points at the viewer"}},
             .check = check},
    .place = place,
};
