/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A point that attracts as a mass does: a = -strength (x - x_0)/(|x - x_0|^2 + softening^2)^(3/2) (Plummer's
 * softening). It comes from the potential -strength/sqrt(|x - x_0|^2 + softening^2). Without softening it has no value
 * at x_0. */
#include <math.h>

#include "model/forces/field.h"

enum { STRENGTH, CENTRE, SOFTENING };

static void evaluate(void *state, const sb_composite *value, double t_seconds, size_t count, const double *position,
                     double *acceleration)
{
  const double  strength = value->number[STRENGTH][0], softening = value->number[SOFTENING][0];
  const double *centre = value->number[CENTRE];
  (void)state, (void)t_seconds;
  for (size_t i = 0; i < count; ++i) {
    const double x = position[3 * i] - centre[0], y = position[3 * i + 1] - centre[1];
    const double z = position[3 * i + 2] - centre[2], square = x * x + y * y + z * z + softening * softening;
    const double factor = -strength / (square * sqrt(square));
    acceleration[3 * i] = factor * x;
    acceleration[3 * i + 1] = factor * y;
    acceleration[3 * i + 2] = factor * z;
  }
}

const sb_field_kind sb_field_attractor = {
    .form = {.name = "attractor",
             .summary = "towards a point, inversely proportional to the squared distance",
             .parts = 3,
             .part = {[STRENGTH] = {"strength", SB_PART_REAL, "m^3/s^2", NULL, "[-1e15,1e15]",
                                    "acceleration times squared distance; negative: repulsion"},
                      [CENTRE] = {"centre", SB_PART_VECTOR, "m", "[0,0,0]", "[-1e9,1e9]", "the point"},
                      [SOFTENING] = {"softening", SB_PART_REAL, "m", "0", "[0,1e9]",
                                     "distance below which the attraction is weakened"}}},
    .evaluate = evaluate,
};
