/* SPDX-License-Identifier: GPL-3.0-or-later */
/* E = 1/2 k max(r - l, 0)^2: threads, which buckle instead of being compressed. E'' jumps at r = l, where it is k. */
#include "model/forces/law.h"

static void evaluate(void *state, const sb_law_points *p)
{
  (void)state;
  for (int s = 0; s < p->count; ++s) {
    const double stretch = p->length[s] - p->rest_length[s];
    const bool   slack = stretch < 0; /* NaN is not */
    p->first[s] = slack ? 0 : p->stiffness[s] * stretch;
    p->second[s] = slack ? 0 : p->stiffness[s];
    p->energy[s] = 0.5 * p->first[s] * stretch;
  }
}

const sb_law_method sb_law_tension = {.name = "tension",
                                      .summary = "Hooke's in tension, no force in compression",
                                      .evaluate = evaluate,
                                      .bounds = {0, 1, false}};
