/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The barrier of a net: its near pairs, sums over them, and the free part of a motion; see barrier.h. */
#include "model/contact/barrier.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/contact/pair_finder.h"

/* Fraction of dhat by which boxes of parts are widened, for rounding. */
#define MARGIN 1e-3

struct sb_barrier {
  const sb_surface *surface;
  sb_barrier_law    law;
  double           *initial; /* [vertices][3] */
  sb_pair_finder   *finder;
  double           *position; /* [vertices][3] that `near` belongs to */
  bool              known;    /* it belongs to some */
  size_t            count, room;
  sb_near_pair     *near; /* [count] */
};

sb_barrier *sb_barrier_create(const sb_surface *surface, sb_barrier_law law, const double *initial)
{
  const size_t bytes = 3 * surface->vertices * sizeof(double);
  sb_barrier  *made = calloc(1, sizeof *made);
  if (!made) return NULL;
  made->surface = surface;
  made->law = law;
  made->finder = sb_pair_finder_create(surface);
  made->initial = malloc(bytes);
  made->position = malloc(bytes);
  if (!made->finder || !made->initial || !made->position)
    sb_barrier_destroy(&made);
  else
    memcpy(made->initial, initial, bytes);
  return made;
}

void sb_barrier_destroy(sb_barrier **barrier)
{
  sb_barrier *old = *barrier;
  if (!old) return;
  sb_pair_finder_destroy(&old->finder);
  free(old->initial);
  free(old->position);
  free(old->near);
  free(old);
  *barrier = NULL;
}

static void gather(const sb_pair *pair, const double *position, double x[4][3])
{
  for (int i = 0; i < 4; ++i) memcpy(x[i], position + 3 * (size_t)pair->vertex[i], sizeof x[i]);
}

static double length_at_rest(const sb_barrier *barrier, int a, int b)
{
  const double *p = barrier->initial + 3 * (size_t)a, *q = barrier->initial + 3 * (size_t)b;
  return sqrt(pow(p[0] - q[0], 2) + pow(p[1] - q[1], 2) + pow(p[2] - q[2], 2));
}

static bool keep(sb_barrier *barrier, const sb_pair *pair, const sb_nearness *near)
{
  if (barrier->count == barrier->room) {
    const size_t  room = 2 * barrier->room + 64;
    sb_near_pair *larger = realloc(barrier->near, room * sizeof *larger);
    if (!larger) return false;
    barrier->near = larger;
    barrier->room = room;
  }
  barrier->near[barrier->count++] = (sb_near_pair){*pair, *near};
  return true;
}

/* Keeps the pair if it is nearer than dhat. */
static bool look_at(sb_barrier *barrier, const sb_pair *pair, const double *position)
{
  const double reach = barrier->law.thickness * barrier->law.thickness;
  const int   *v = pair->vertex;
  double       x[4][3];
  sb_nearness  near = {.kind = pair->kind};
  gather(pair, position, x);
  near.square = sb_pair_distance2(pair->kind, x, near.weight);
  if (!(near.square < reach)) return true;
  if (pair->kind == SB_EDGE_EDGE)
    near.parallel = sb_barrier_parallel(length_at_rest(barrier, v[0], v[1]), length_at_rest(barrier, v[2], v[3]));
  return keep(barrier, pair, &near);
}

static bool find(sb_barrier *barrier, const double *position)
{
  const size_t   bytes = 3 * barrier->surface->vertices * sizeof(double);
  const sb_pair *pair;
  size_t         count;
  if (barrier->known && memcmp(position, barrier->position, bytes) == 0) return true;
  barrier->known = false;
  barrier->count = 0;
  if (!sb_pair_finder_find(barrier->finder, position, position, barrier->law.thickness, &count, &pair)) return false;
  for (size_t k = 0; k < count; ++k)
    if (!look_at(barrier, &pair[k], position)) return false;
  memcpy(barrier->position, position, bytes);
  barrier->known = true;
  return true;
}

int64_t sb_barrier_cuts(sb_barrier *barrier, const double *position)
{
  return sb_pair_finder_intersections(barrier->finder, position);
}

bool sb_barrier_energy(sb_barrier *barrier, const double *position, double *energy)
{
  *energy = 0;
  if (!find(barrier, position)) return false;
  for (size_t k = 0; k < barrier->count; ++k) {
    double x[4][3];
    gather(&barrier->near[k].pair, position, x);
    *energy += sb_barrier_pair_energy(&barrier->law, &barrier->near[k].near, x);
  }
  return true;
}

bool sb_barrier_add_forces(sb_barrier *barrier, const double *position, double *force)
{
  if (!find(barrier, position)) return false;
  for (size_t k = 0; k < barrier->count; ++k) {
    const sb_pair *pair = &barrier->near[k].pair;
    double         x[4][3], gradient[4][3];
    gather(pair, position, x);
    sb_barrier_pair_gradient(&barrier->law, &barrier->near[k].near, x, gradient);
    for (int i = 0; i < 4; ++i)
      for (size_t c = 0; c < 3; ++c) force[3 * (size_t)pair->vertex[i] + c] -= gradient[i][c];
  }
  return true;
}

/* The motion that earlier pairs left free limits the test of each pair. */
bool sb_barrier_advance(sb_barrier *barrier, const double *from, const double *to, double kept, double *fraction)
{
  const sb_pair *pair;
  size_t         count;
  *fraction = 1;
  if (!sb_pair_finder_find(barrier->finder, from, to, MARGIN * barrier->law.thickness, &count, &pair)) return false;
  for (size_t k = 0; k<count && * fraction> 0; ++k) {
    double x[4][3], p[4][3];
    gather(&pair[k], from, x);
    gather(&pair[k], to, p);
    for (int i = 0; i < 4; ++i)
      for (int c = 0; c < 3; ++c) p[i][c] = *fraction * (p[i][c] - x[i][c]);
    *fraction *= sb_pair_advance(pair[k].kind, x, p, 0, kept);
  }
  return true;
}

bool sb_barrier_find(sb_barrier *barrier, const double *position, size_t *count, const sb_near_pair **near)
{
  const bool found = find(barrier, position);
  *count = found ? barrier->count : 0;
  *near = barrier->near;
  return found;
}

int sb_barrier_dyads(const sb_barrier *barrier, const sb_near_pair *near, const double *position,
                     double dyad[SB_BARRIER_DYADS][4][3])
{
  double x[4][3];
  gather(&near->pair, position, x);
  return sb_barrier_pair_dyads(&barrier->law, &near->near, x, dyad);
}
