/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contact of the net with itself: pairs of vertices closer than a thickness d, found in time linear in vertices and
 * pairs (neighbours.h). A pair (i, j) at x_i - x_j = r n, r < d, with w = (v_i - v_j).n < 0 gets
 *
 *   v_i -= m_j/(m_i + m_j) w n,   v_j += m_i/(m_i + m_j) w n
 *
 * A pinned vertex counts as of infinite mass. */
#include "model/contact/contact_state.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "model/maths/neighbours.h"

struct sb_self_contact {
  size_t         vertices;
  sb_neighbours *neighbours;
  int           *joined_start; /* [vertices + 1] into joined */
  int           *joined;       /* of each vertex the later ones a spring joins to it */
};

sb_self_contact *sb_self_contact_create(double thickness, size_t vertices)
{
  sb_self_contact *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->vertices = vertices;
  self->neighbours = sb_neighbours_create(thickness, vertices);
  self->joined_start = calloc(vertices + 1, sizeof *self->joined_start);
  if (!self->neighbours || !self->joined_start) sb_self_contact_destroy(&self);
  return self;
}

void sb_self_contact_destroy(sb_self_contact **self)
{
  sb_self_contact *old = *self;
  if (!old) return;
  sb_neighbours_destroy(&old->neighbours);
  free(old->joined_start);
  free(old->joined);
  free(old);
  *self = NULL;
}

bool sb_self_contact_set_springs(sb_self_contact *self, size_t springs, const int *first, const int *second)
{
  int *start = self->joined_start;
  free(self->joined);
  self->joined = malloc((springs + 1) * sizeof *self->joined);
  if (!self->joined) return false;
  memset(start, 0, (self->vertices + 1) * sizeof *start);
  for (size_t s = 0; s < springs; ++s) start[first[s] < second[s] ? first[s] : second[s]]++;
  for (size_t i = 0; i < self->vertices; ++i) start[i + 1] += start[i];
  for (size_t s = 0; s < springs; ++s) {
    const bool ascending = first[s] < second[s];
    self->joined[--start[ascending ? first[s] : second[s]]] = ascending ? second[s] : first[s];
  }
  return true;
}

static bool are_joined(const sb_self_contact *self, int i, int j)
{
  for (int s = self->joined_start[i]; s < self->joined_start[i + 1]; ++s)
    if (self->joined[s] == j) return true;
  return false;
}

/* Removes the approach of i and j; coinciding places have no direction and are not changed. */
static void part(size_t i, size_t j, const bool *pinned, const double *mass, const double *position, double *velocity)
{
  double *v = velocity + 3 * i, *w = velocity + 3 * j;
  double  d[3], relative[3];
  for (size_t c = 0; c < 3; ++c) {
    d[c] = position[3 * i + c] - position[3 * j + c];
    relative[c] = v[c] - w[c];
  }
  const double approach = sb_dot(relative, d), square = sb_dot(d, d), sum = mass[i] + mass[j];
  if (!(approach < 0.0 && square >= DBL_MIN)) return;
  const double share_i = pinned[i] ? 0.0 : pinned[j] ? 1.0 : mass[j] / sum;
  const double share_j = pinned[j] ? 0.0 : pinned[i] ? 1.0 : mass[i] / sum;
  for (int c = 0; c < 3; ++c) {
    const double change = approach / square * d[c];
    v[c] -= share_i * change;
    w[c] += share_j * change;
  }
}

int64_t sb_self_contact_filter(sb_self_contact *self, size_t count, const bool *pinned, const double *mass,
                               const double *position, double *velocity)
{
  int64_t pairs = 0;
  if (count > self->vertices) count = self->vertices;
  sb_neighbours_sort(self->neighbours, count, position);
  for (size_t i = 0; i < count; ++i) {
    const int   *near;
    const size_t found = sb_neighbours_find(self->neighbours, position + 3 * i, (int)i, &near);
    for (size_t k = 0; k < found; ++k) {
      if (are_joined(self, (int)i, near[k])) continue;
      part(i, (size_t)near[k], pinned, mass, position, velocity);
      ++pairs;
    }
  }
  return pairs;
}
