/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A harmonic motion through the place of rest: x(t) = x(0) + amplitude sin(2 pi frequency t). */
#include <math.h>

#include "model/forces/path.h"

enum { AMPLITUDE, FREQUENCY };

static void place(void *state, const sb_composite *value, double t_seconds, size_t count, const double *rest,
                  double *place)
{
  const double *amplitude = value->number[AMPLITUDE];
  const double  factor = sin(6.283185307179586 * value->number[FREQUENCY][0] * t_seconds);
  (void)state;
  for (size_t i = 0; i < count; ++i)
    for (size_t c = 0; c < 3; ++c) place[3 * i + c] = rest[3 * i + c] + amplitude[c] * factor;
}

const sb_path_kind sb_path_oscillation = {
    .form = {.name = "oscillation",
             .summary = "sine oscillation along a line",
             .parts = 2,
             .part = {[AMPLITUDE] = {"amplitude", SB_PART_VECTOR, "m", NULL, "[-1e6,1e6]",
                                     "largest displacement, with its direction"},
                      [FREQUENCY] = {"frequency", SB_PART_REAL, "Hz", NULL, "(0,1e9]", "cycles a second"}}},
    .place = place,
};
