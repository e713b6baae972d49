/* SPDX-License-Identifier: GPL-3.0-or-later */
/* If impulses do not end, vertices of pairs that still meet move as one body; see surface_contact.h. Provot: Collision
 * and self-collision handling in cloth model dedicated to design garments, 1997; Bridson et al. 2002, section 7.4.
 *
 * A zone of free vertices gets the rigid motion that has its momentum and angular momentum. In it no two points come
 * nearer (rigid_motion.h), so that its own pairs need no test. A zone with pinned vertices follows them if they move as
 * one body. A pair that meets unites the zones of its vertices, so that this ends: everything moves as one body, or
 * there is no way. Colliders push zones out as a whole. */
#include "model/contact/surface_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/maths/rigid_motion.h"

enum { HOLDS_MAX = 16 };
/* Fraction of the least distance: pins within it of a rigid motion move as one body. */
static const double pin_slack = 1e-2;

static bool refuse(sb_surface_contact *self, const sb_pair *pair, const char *because)
{
  const int *v = pair->vertex;
  if (pair->kind == SB_VERTEX_TRIANGLE)
    snprintf(self->why, self->why_size, "vertex %d cannot be kept from triangle %d-%d-%d: %s", v[0], v[1], v[2], v[3],
             because);
  else
    snprintf(self->why, self->why_size, "edge %d-%d cannot be kept from edge %d-%d: %s", v[0], v[1], v[2], v[3],
             because);
  return false;
}

static int zone_of(const sb_surface_contact *self, int vertex)
{
  while (self->zone[vertex] != vertex) vertex = self->zone[vertex] = self->zone[self->zone[vertex]];
  return vertex;
}

static void unite(sb_surface_contact *self, int a, int b)
{
  a = zone_of(self, a);
  b = zone_of(self, b);
  self->dirty[a] = true;
  if (a == b) return;
  const int after = self->next[a];
  self->next[a] = self->next[b];
  self->next[b] = after;
  self->zone[b] = a;
  self->held[a] |= self->held[b];
}

static bool is_one_zone(const sb_surface_contact *self, const sb_pair *pair)
{
  const int zone = zone_of(self, pair->vertex[0]);
  for (int k = 1; k < 4; ++k)
    if (zone_of(self, pair->vertex[k]) != zone) return false;
  return true;
}

static bool is_pinned(const sb_surface_contact *self, const sb_pair *pair)
{
  int count = 0;
  for (int k = 0; k < 4; ++k) count += self->step->start->pinned[pair->vertex[k]];
  return count == 4;
}

/* True if the motion of the zones keeps the pair apart. */
static bool is_settled(const sb_surface_contact *self, const sb_pair *pair)
{
  const int zone = zone_of(self, pair->vertex[0]);
  return !sb_surface_is_news(self, pair) || (is_one_zone(self, pair) && (self->dirty[zone] || !self->held[zone]));
}

/* Makes new zones of the pairs that meet and whose ways have changed. False if there is no free way. */
static bool find_zones(sb_surface_contact *self, bool *found)
{
  *found = false;
  for (size_t k = 0; k < self->active_count; ++k) {
    const sb_pair *pair = &self->active[k].pair;
    double         moment;
    if (is_settled(self, pair) || !sb_surface_meets(self, &self->active[k], &moment)) continue;
    if (is_pinned(self, pair)) return refuse(self, pair, "all of them are pinned and meet on their paths");
    if (is_one_zone(self, pair)) return refuse(self, pair, "pinned vertices of their zone block every motion");
    for (int v = 1; v < 4; ++v) unite(self, pair->vertex[0], pair->vertex[v]);
    *found = true;
  }
  return true;
}

/* member[0 … count): the vertices of the zone, pinned ones first; *pinned of them. */
static size_t list_members(sb_surface_contact *self, int zone, size_t *pinned)
{
  size_t count = 0;
  int    i = zone;
  *pinned = 0;
  do {
    self->member[count] = i;
    if (self->step->start->pinned[i]) {
      self->member[count] = self->member[*pinned];
      self->member[(*pinned)++] = i;
    }
    ++count;
    i = self->next[i];
  } while (i != zone);
  return count;
}

/* The ways of free members are those of the body; false where pins do not move as one. */
static bool move_zone(sb_surface_contact *self, size_t count, size_t pinned)
{
  const sb_contact_points *start = self->step->start;
  sb_body_turn             held;
  sb_body_way              body;
  if (pinned == 0)
    body = sb_body_way_of(count, self->member, start->mass, start->position, self->way);
  else if (!sb_body_turn_of(pinned, self->member, start->position, self->way, pin_slack * self->least, &held))
    return false;
  for (size_t k = pinned; k < count; ++k) {
    const size_t i = (size_t)self->member[k];
    if (pinned == 0)
      sb_body_way_at(&body, start->position + 3 * i, self->way + 3 * i);
    else
      sb_body_turn_at(&held, start->position + 3 * i, self->way + 3 * i);
    self->changed[i] = self->pass;
  }
  return true;
}

/* Moves the zone as a whole out of colliders, by the largest of the required pushes, until none is required. */
static bool hold_zone(sb_surface_contact *self, size_t count, size_t pinned)
{
  const sb_surface_step *step = self->step;
  if (!step->hold) return true;
  for (int round = 0; round < HOLDS_MAX; ++round) {
    double shift[3] = {0};
    for (size_t k = pinned; k < count; ++k) {
      const size_t i = 3 * (size_t)self->member[k];
      double       way[3], off[3];
      memcpy(way, self->way + i, sizeof way);
      if (!step->hold(step->colliders, step->start->position + i, self->wish + i, way)) continue;
      sb_subtract(way, self->way + i, off);
      if (sb_dot(off, off) > sb_dot(shift, shift)) memcpy(shift, off, sizeof shift);
    }
    if (sb_dot(shift, shift) == 0) return true;
    if (pinned > 0) return false;
    for (size_t k = 0; k < count; ++k) {
      double *way = self->way + 3 * (size_t)self->member[k];
      sb_along(way, 1, shift, way);
    }
  }
  return false;
}

/* Every zone that has changed moves as one. */
static bool move_zones(sb_surface_contact *self)
{
  for (size_t k = 0; k < self->active_count; ++k) {
    const sb_pair *pair = &self->active[k].pair;
    const int      zone = zone_of(self, pair->vertex[0]);
    size_t         pinned;
    if (!self->dirty[zone]) continue;
    const size_t count = list_members(self, zone, &pinned);
    self->dirty[zone] = false;
    self->tally->zones++;
    if (!move_zone(self, count, pinned))
      return refuse(self, pair, "the pinned vertices of their zone do not move as one body");
    if (!hold_zone(self, count, pinned)) return refuse(self, pair, "colliders block every motion of their zone");
  }
  return true;
}

bool sb_surface_freeze(sb_surface_contact *self)
{
  bool found = true;
  for (size_t i = 0; i < self->vertices; ++i) {
    self->zone[i] = self->next[i] = (int)i;
    self->dirty[i] = false;
    self->held[i] = self->step->start->pinned[i];
  }
  while (true) {
    ++self->pass;
    if (!find_zones(self, &found)) return false;
    if (!found) return true;
    if (!move_zones(self)) return false;
  }
}
