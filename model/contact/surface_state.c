/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions on the step that is being filtered, for impulses and zones; see surface_state.h. */
#include "model/contact/surface_state.h"

#include <string.h>

/* Fraction of its free distance at which a pair counts as meeting. */
static const double slack = 0.1;

void sb_surface_places(const double *of, const sb_pair *pair, double x[4][3])
{
  for (int k = 0; k < 4; ++k) memcpy(x[k], of + 3 * (size_t)pair->vertex[k], sizeof x[k]);
}

void sb_surface_note(sb_surface_contact *self, int vertex)
{
  const sb_surface_step *step = self->step;
  const size_t           k = 3 * (size_t)vertex;
  self->changed[vertex] = self->pass;
  if (step->hold) step->hold(step->colliders, step->start->position + k, self->wish + k, self->way + k);
}

bool sb_surface_meets(const sb_surface_contact *self, const sb_active_pair *active, double *part)
{
  double x[4][3], p[4][3];
  sb_surface_places(self->step->start->position, &active->pair, x);
  sb_surface_places(self->way, &active->pair, p);
  *part = sb_pair_advance(active->pair.kind, x, p, active->least, slack);
  return *part < 1;
}

bool sb_surface_is_news(const sb_surface_contact *self, const sb_pair *pair)
{
  if (self->pass == 1) return true;
  for (int k = 0; k < 4; ++k)
    if (self->changed[pair->vertex[k]] >= self->pass - 1) return true;
  return false;
}
