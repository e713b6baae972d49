/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The centrifugal acceleration about an axis along z: a = rate (x - x_0, y - y_0, 0), rate the square of an angular
 * velocity. It comes from the potential -rate ((x - x_0)^2 + (y - y_0)^2)/2, so an unloaded net leaves the axis. */
#include "model/forces/field.h"

enum { RATE, CENTRE };

static void evaluate(void *state, const sb_composite *value, double t_seconds, size_t count, const double *position,
                     double *acceleration)
{
  const double rate = value->number[RATE][0], *centre = value->number[CENTRE];
  (void)state, (void)t_seconds;
  for (size_t i = 0; i < count; ++i) {
    acceleration[3 * i] = rate * (position[3 * i] - centre[0]);
    acceleration[3 * i + 1] = rate * (position[3 * i + 1] - centre[1]);
    acceleration[3 * i + 2] = 0.0;
  }
}

const sb_field_kind sb_field_centrifugal = {
    .form = {.name = "centrifugal",
             .summary = "away from an axis along z, as on a turntable: rate (x, y, 0)",
             .parts = 2,
             .part = {[RATE] = {"rate", SB_PART_REAL, "1/s^2", NULL, "[-1e9,1e9]", "angular velocity squared"},
                      [CENTRE] = {"centre", SB_PART_VECTOR, "m", "[0,0,0]", "[-1e9,1e9]", "a point of the axis"}}},
    .evaluate = evaluate,
};
