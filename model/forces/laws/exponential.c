/* SPDX-License-Identifier: GPL-3.0-or-later */
/* E' = k l (exp(b e) - 1)/b, e = r/l - 1, b = law_exponent: tissue and knitted fabric (Fung 1967). */
#include "model/forces/law.h"

#include <math.h>

#include "base/option_ids.h"

static void evaluate(void *state, const sb_law_points *p)
{
  (void)state;
  for (int s = 0; s < p->count; ++s) {
    const double b = p->parameter[0][s];
    const double k = p->stiffness[s], l = p->rest_length[s], power = b * ((p->length[s] - l) / l), rise = expm1(power);
    p->first[s] = k * l * rise / b;
    p->second[s] = k * (1 + rise);
    p->energy[s] = k * l * l * (rise - power) / (b * b);
  }
}

const sb_law_method sb_law_exponential = {.name = "exponential",
                                          .summary = "E' = k l (exp(b e) - 1)/b, e = r/l - 1, b = law_exponent",
                                          .reads = "law_exponent",
                                          .parameter = {SB_OPT_law_exponent},
                                          .evaluate = evaluate,
                                          .bounds = {0, INFINITY, false}};
