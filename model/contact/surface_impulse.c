/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Impulses on pairs: they stop approaching, separate gently, and are separated before they meet; see surface_contact.h.
 * Bridson, Fedkiw, Anderson: Robust treatment of collisions, contact and friction for cloth animation, ACM TOG 21(3),
 * 2002, section 7.
 *
 * With weights w_i (proximity.h), n the direction between the closest points and u_i the ways, the pair approaches at u
 * = n.sum w_i u_i. An impulse j changes u_i by j w_i n/m_i, which conserves momentum, and angular momentum if n is the
 * direction at the start. If n is that of a later moment, the rigid part of w_i n/m_i is removed. A pinned vertex acts
 * as a wall.
 *
 * Pairs nearer than d (the thickness, or their distance in the initial pose if that is less) lose their approach in
 * passes over all of them, with Coulomb friction. Then each gets the impulse of a spring k (d - r) over the step, at
 * most a tenth of d - r per step. */
#include "model/contact/surface_state.h"

#include <math.h>
#include <string.h>

#include "model/maths/rigid_motion.h"

enum { REPEL_PASSES = 4 };
/* Largest part of its missing distance by which a pair is separated per step. */
static const double part_speed = 0.1;
/* Square of a direction below which it is a rigid motion, except for rounding. */
static const double rest_min = 1e-6;
/* How much farther than it approaches a vertex may go to hold a pair back that has not met. */
static const double lever_max = 2;

/* A generalised direction of four vertices: their ways change along `way`. */
typedef struct {
  const int *vertex;
  double     way[4][3]; /* 0 for pinned vertices */
  double     square;    /* change of the relative way of the pair per unit of impulse */
} push;

/* w_i n/m_i; sum m_i |way_i|^2. */
static push push_along(const sb_surface_contact *self, const sb_pair *pair, const double weight[4], const double n[3])
{
  const sb_contact_points *start = self->step->start;
  push                     made = {.vertex = pair->vertex};
  for (int k = 0; k < 4; ++k) {
    const size_t i = (size_t)pair->vertex[k];
    if (start->pinned[i]) continue;
    for (int c = 0; c < 3; ++c) made.way[k][c] = weight[k] * n[c] / start->mass[i];
    made.square += weight[k] * weight[k] / start->mass[i];
  }
  return made;
}

static bool is_held(const sb_surface_contact *self, const sb_pair *pair)
{
  bool held = false;
  for (int k = 0; k < 4; ++k) held |= self->step->start->pinned[pair->vertex[k]];
  return held;
}

/* Removes from a free pair's push the motion of a rigid body; returns the speed of its vertices along the rest. */
static double straighten(const sb_surface_contact *self, const sb_pair *pair, push *made)
{
  static const int all[4] = {0, 1, 2, 3};
  double           place[4][3], mass[4], along = 0, before = made->square;
  sb_surface_places(self->step->start->position, pair, place);
  for (int k = 0; k < 4; ++k) mass[k] = self->step->start->mass[pair->vertex[k]];
  for (int round = 0; round < 2; ++round) { /* the second pass removes the rounding of the first */
    const sb_body_way body = sb_body_way_of(4, all, mass, place[0], made->way[0]);
    for (int k = 0; k < 4; ++k) {
      double common[3];
      sb_body_way_at(&body, place[k], common);
      sb_subtract(made->way[k], common, made->way[k]);
    }
  }
  made->square = 0;
  for (int k = 0; k < 4; ++k) {
    made->square += mass[k] * sb_dot(made->way[k], made->way[k]);
    along += mass[k] * sb_dot(made->way[k], self->way + 3 * (size_t)pair->vertex[k]);
  }
  if (!(made->square > rest_min * before)) made->square = 0;
  return along;
}

static void give(sb_surface_contact *self, const push *made, double amount)
{
  for (int k = 0; k < 4; ++k) {
    const int i = made->vertex[k];
    if (self->step->start->pinned[i]) continue;
    sb_along(self->way + 3 * (size_t)i, amount, made->way[k], self->way + 3 * (size_t)i);
    sb_surface_note(self, i);
  }
}

/* sum w_i u_i */
static void relative_way(const sb_surface_contact *self, const sb_pair *pair, const double weight[4], double u[3])
{
  memset(u, 0, 3 * sizeof *u);
  for (int k = 0; k < 4; ++k) sb_along(u, weight[k], self->way + 3 * (size_t)pair->vertex[k], u);
}

/* Reduces the tangential way by at most mu times the change of the normal way. */
static void rub(sb_surface_contact *self, const sb_pair *pair, const double weight[4], const double n[3], double change)
{
  double u[3], tangent[3];
  relative_way(self, pair, weight, u);
  sb_along(u, -sb_dot(u, n), n, tangent);
  const double slip = sqrt(sb_dot(tangent, tangent));
  if (!(slip > 0)) return;
  for (int c = 0; c < 3; ++c) tangent[c] /= slip;
  push         made = push_along(self, pair, weight, tangent);
  const double along = is_held(self, pair) ? slip : straighten(self, pair, &made);
  if (made.square > 0 && along > 0) give(self, &made, -fmin(along, self->law.friction * change) / made.square);
}

/* True if a pair would be pushed almost onto a pinned point, so that its free vertices would be thrown off. Such a pair
 * may come nearer, and is separated when it is going to meet. */
static bool is_lever(const push *made)
{
  double farthest = 0;
  for (int k = 0; k < 4; ++k) farthest = fmax(farthest, sb_dot(made->way[k], made->way[k]));
  return sqrt(farthest) > lever_max * made->square;
}

static void find_touch(const sb_surface_contact *self, sb_active_pair *active)
{
  double       x[4][3], initial[4][3], weight[4];
  sb_touching *at = &active->at;
  at->too_near = 0;
  if (!(active->distance < self->law.thickness)) return;
  sb_surface_places(self->initial, &active->pair, initial);
  const double once = sqrt(sb_pair_distance2(active->pair.kind, initial, weight));
  at->too_near = fmin(self->law.thickness, once) - active->distance;
  if (!(at->too_near > 0)) return;
  sb_surface_places(self->step->start->position, &active->pair, x);
  sb_pair_distance2(active->pair.kind, x, at->weight);
  memset(at->n, 0, sizeof at->n);
  for (int k = 0; k < 4; ++k) sb_along(at->n, at->weight[k] / active->distance, x[k], at->n);
}

/* Takes the approach off the pair, and the friction that belongs to it. True when there was one. */
static bool stop(sb_surface_contact *self, const sb_pair *pair, const sb_touching *at)
{
  double     u[3];
  const push made = push_along(self, pair, at->weight, at->n);
  relative_way(self, pair, at->weight, u);
  const double approach = sb_dot(u, at->n);
  if (!(approach < 0 && made.square > 0) || is_lever(&made)) return false;
  give(self, &made, -approach / made.square);
  if (self->law.friction > 0) rub(self, pair, at->weight, at->n, -approach);
  return true;
}

static void part(sb_surface_contact *self, const sb_pair *pair, const sb_touching *at)
{
  const double h = self->step->h_seconds, goal = part_speed * at->too_near;
  double       u[3];
  const push   made = push_along(self, pair, at->weight, at->n);
  relative_way(self, pair, at->weight, u);
  const double lack = goal - sb_dot(u, at->n), spring = h * h * self->law.stiffness * at->too_near;
  if (lack > 0 && made.square > 0 && !is_lever(&made)) give(self, &made, fmin(spring, lack / made.square));
}

void sb_surface_repel(sb_surface_contact *self)
{
  bool moving = true;
  for (size_t k = 0; k < self->active_count; ++k) {
    find_touch(self, &self->active[k]);
    self->tally->touching += self->active[k].at.too_near > 0;
  }
  for (int pass = 0; pass < REPEL_PASSES && moving; ++pass) {
    moving = false;
    for (size_t k = 0; k < self->active_count; ++k) {
      const sb_active_pair *active = &self->active[k];
      if (active->at.too_near > 0) moving = stop(self, &active->pair, &active->at) || moving;
    }
  }
  for (size_t k = 0; k < self->active_count; ++k)
    if (self->active[k].at.too_near > 0) part(self, &self->active[k].pair, &self->active[k].at);
}

/* The impulse that ends the approach of a pair at the moment it would meet. */
static void strike(sb_surface_contact *self, const sb_active_pair *active, double moment)
{
  const sb_pair *pair = &active->pair;
  double         x[4][3], p[4][3], weight[4], n[3] = {0}, u[3];
  sb_surface_places(self->step->start->position, pair, x);
  sb_surface_places(self->way, pair, p);
  for (int k = 0; k < 4; ++k) sb_along(x[k], moment, p[k], x[k]);
  const double distance = sqrt(sb_pair_distance2(pair->kind, x, weight));
  for (int k = 0; k < 4; ++k) sb_along(n, weight[k] / distance, x[k], n);
  push made = push_along(self, pair, weight, n);
  relative_way(self, pair, weight, u);
  const double approach = is_held(self, pair) ? sb_dot(u, n) : straighten(self, pair, &made);
  if (approach < 0 && made.square > 0) give(self, &made, -approach / made.square);
}

bool sb_surface_strike(sb_surface_contact *self)
{
  bool met = false;
  for (size_t k = 0; k < self->active_count; ++k) {
    const sb_active_pair *active = &self->active[k];
    double                moment;
    if (!sb_surface_is_news(self, &active->pair) || !sb_surface_meets(self, active, &moment)) continue;
    strike(self, active, moment);
    for (int v = 0; v < 4; ++v) self->changed[active->pair.vertex[v]] = self->pass; /* look again, struck or not */
    self->tally->met++;
    met = true;
  }
  return met;
}
