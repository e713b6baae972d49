/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Duffing's spring: E' = k l (e + c e^3), e = r/l - 1, c = law_cubic. It hardens with c > 0 and softens with c < 0,
 * where E'' = k (1 + 3 c e^2) is negative beyond |e| = 1/sqrt(-3 c). */
#include "model/forces/law.h"

#include <math.h>

#include "base/option_ids.h"

static void evaluate(void *state, const sb_law_points *p)
{
  (void)state;
  for (int s = 0; s < p->count; ++s) {
    const double k = p->stiffness[s], l = p->rest_length[s], e = (p->length[s] - l) / l, square = e * e;
    const double c = p->parameter[0][s];
    p->first[s] = k * l * e * (1 + c * square);
    p->second[s] = k * (1 + 3 * c * square);
    p->energy[s] = k * l * l * square * (0.5 + 0.25 * c * square);
  }
}

static sb_law_bounds bounds(const double *parameter)
{
  return (sb_law_bounds){parameter[0] < 0 ? -INFINITY : 1, parameter[0] > 0 ? INFINITY : 1, parameter[0] < 0};
}

const sb_law_method sb_law_cubic = {.name = "cubic",
                                    .summary = "E' = k l (e + c e^3), e = r/l - 1, c = law_cubic",
                                    .reads = "law_cubic",
                                    .parameter = {SB_OPT_law_cubic},
                                    .evaluate = evaluate,
                                    .bounds_by = bounds};
