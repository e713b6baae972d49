/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A ball of uniform density, at whose surface the pull is strongest: a = -strength (x - x_0)/max(|x - x_0|, radius)^3.
 * Outside it attracts as a point does, within it as a spring, since only the mass nearer to its centre pulls (Newton).
 * It comes from the potential -strength/r outside, -strength (3 radius^2 - r^2)/(2 radius^3) within. */
#include <math.h>

#include "model/forces/field.h"

enum { STRENGTH, CENTRE, RADIUS };

static void evaluate(void *state, const sb_composite *value, double t_seconds, size_t count, const double *position,
                     double *acceleration)
{
  const double  strength = value->number[STRENGTH][0], radius = value->number[RADIUS][0];
  const double *centre = value->number[CENTRE];
  (void)state, (void)t_seconds;
  for (size_t i = 0; i < count; ++i) {
    const double x = position[3 * i] - centre[0], y = position[3 * i + 1] - centre[1];
    const double z = position[3 * i + 2] - centre[2], r = fmax(sqrt(x * x + y * y + z * z), radius);
    const double factor = -strength / (r * r * r);
    acceleration[3 * i] = factor * x;
    acceleration[3 * i + 1] = factor * y;
    acceleration[3 * i + 2] = factor * z;
  }
}

const sb_field_kind sb_field_ball = {
    .form = {.name = "ball",
             .summary = "towards a ball of uniform density: as a point outside, as a spring inside",
             .parts = 3,
             .part = {[STRENGTH] = {"strength", SB_PART_REAL, "m^3/s^2", NULL, "[-1e15,1e15]",
                                    "acceleration times squared distance, outside; negative: repulsion"},
                      [CENTRE] = {"centre", SB_PART_VECTOR, "m", "[0,0,0]", "[-1e9,1e9]", "its centre"},
                      [RADIUS] = {"radius", SB_PART_REAL, "m", NULL, "(0,1e9]", "its radius"}}},
    .evaluate = evaluate,
};
