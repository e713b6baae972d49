/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A uniform acceleration, as a wagon that brakes. */
#include "model/forces/field.h"

static void evaluate(void *state, const sb_composite *value, double t_seconds, size_t count, const double *position,
                     double *acceleration)
{
  const double *a = value->number[0];
  (void)state, (void)t_seconds, (void)position;
  for (size_t i = 0; i < count; ++i)
    for (size_t c = 0; c < 3; ++c) acceleration[3 * i + c] = a[c];
}

const sb_field_kind sb_field_uniform = {
    .form = {.name = "uniform",
             .summary = "the same acceleration everywhere",
             .parts = 1,
             .part = {{"acceleration", SB_PART_VECTOR, "m/s^2", NULL, "[-1e6,1e6]", "acceleration"}}},
    .evaluate = evaluate,
};
