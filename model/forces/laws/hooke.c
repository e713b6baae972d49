/* SPDX-License-Identifier: GPL-3.0-or-later */
/* E = 1/2 k (r - l)^2. */
#include "model/forces/law.h"

static void evaluate(void *state, const sb_law_points *p)
{
  (void)state;
  for (int s = 0; s < p->count; ++s) {
    p->first[s] = p->stiffness[s] * (p->length[s] - p->rest_length[s]);
    p->second[s] = p->stiffness[s];
    p->energy[s] = 0.5 * p->first[s] * (p->length[s] - p->rest_length[s]);
  }
}

const sb_law_method sb_law_hooke = {
    .name = "hooke", .summary = "E = 1/2 k (r - l)^2", .evaluate = evaluate, .bounds = {1, 1, false}};
