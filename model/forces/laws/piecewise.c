/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hooke's up to the strain e1 = law_knee, then another stiffness: E' = k l (e1 + p (e - e1)), p = law_ratio. E'' jumps
 * at the knee, where it is k. */
#include "model/forces/law.h"

#include <math.h>

#include "base/option_ids.h"

static void evaluate(void *state, const sb_law_points *p)
{
  (void)state;
  for (int s = 0; s < p->count; ++s) {
    const double knee = p->parameter[0][s], more = p->parameter[1][s] - 1;
    const double k = p->stiffness[s], l = p->rest_length[s], stretch = p->length[s] - l, over = stretch - knee * l;
    const double excess = over > 0 ? over : 0;
    p->first[s] = k * (stretch + more * excess);
    p->second[s] = k * (over > 0 ? 1 + more : 1);
    p->energy[s] = 0.5 * k * (stretch * stretch + more * excess * excess);
  }
}

static sb_law_bounds bounds(const double *parameter)
{
  return (sb_law_bounds){fmin(1, parameter[1]), fmax(1, parameter[1]), parameter[1] < 1};
}

const sb_law_method sb_law_piecewise = {.name = "piecewise",
                                        .summary = "Hooke's up to the strain law_knee, then law_ratio times as stiff",
                                        .reads = "law_knee law_ratio",
                                        .parameter = {SB_OPT_law_knee, SB_OPT_law_ratio},
                                        .evaluate = evaluate,
                                        .bounds_by = bounds};
