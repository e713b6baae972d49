/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A constant velocity up to a time, then rest: x(t) = x(0) + velocity min(t, until). */
#include <math.h>

#include "model/forces/path.h"

enum { VELOCITY, UNTIL };

static void place(void *state, const sb_composite *value, double t_seconds, size_t count, const double *rest,
                  double *place)
{
  const double *velocity = value->number[VELOCITY], t = fmin(t_seconds, value->number[UNTIL][0]);
  (void)state;
  for (size_t i = 0; i < count; ++i)
    for (size_t c = 0; c < 3; ++c) place[3 * i + c] = rest[3 * i + c] + velocity[c] * t;
}

const sb_path_kind sb_path_linear = {
    .form = {.name = "linear",
             .summary = "constant velocity, up to a time",
             .parts = 2,
             .part = {[VELOCITY] = {"velocity", SB_PART_VECTOR, "m/s", NULL, "[-1e6,1e6]", "velocity"},
                      [UNTIL] = {"until", SB_PART_REAL, "s", "1e12", "[0,1e12]",
                                 "time at which it stops; the default is longer than any run"}}},
    .place = place,
};
