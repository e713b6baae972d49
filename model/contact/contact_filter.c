/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contact as a filter on velocities; see contact.h. With w = v - u, u the collider's velocity at x, w_n = w.n:
 *
 *     if phi + h w_n < 0 and w_n < 0:   w <- w - (1 + e) w_n n,
 *                                       w_t <- w_t max(0, 1 - mu (1 + e)|w_n|/|w_t|)       (Coulomb)
 *
 * If the penalty force has acted on v for a time s, its impulse s k_c max(-phi, 0)/m is added to (1 + e)|w_n|, with phi
 * where and when it acted. This impulse has friction also if phi + h w_n >= 0 or w_n >= 0.
 *
 * on each collider in turn. If a vertex still moves into one of several colliders then, it is in a corner: its velocity
 * is replaced by the nearest one that leads into none (half_spaces.h), with friction for these pushes, too. Then comes
 * contact of pairs of vertices. All comparisons are false for a NaN, so such a vertex is not changed. */
#include "model/contact/contact_state.h"

#include <math.h>
#include <string.h>

#include "model/maths/half_spaces.h"

/* Relative to the speed of a vertex before the filter: a slower approach is rounding. */
static const double approach_slack = 1e-12;

/* The fraction of a sliding velocity that is left after a loss of speed; friction does not reverse it. */
static double kept_part(double slip, double loss) { return loss < slip ? 1.0 - loss / slip : 0.0; }

/* The response of one vertex whose velocity w relative to the collider has the normal part w_n < 0, after the penalty
 * force changed this part by `pushed`. */
static void respond(const sb_contact *contact, const double n[3], double w_n, double pushed, double w[3])
{
  const double change = -(1.0 + contact->restitution) * w_n;
  double       tangent[3];
  for (int c = 0; c < 3; ++c) tangent[c] = w[c] - w_n * n[c];
  const double slip = sqrt(sb_dot(tangent, tangent));
  const double kept = contact->friction == 0.0 ? 1.0 : kept_part(slip, contact->friction * (change + pushed));
  for (int c = 0; c < 3; ++c) w[c] = kept * tangent[c] + (w_n + change) * n[c];
}

/* Velocity of a vertex relative to the collider. */
static inline void relative_velocity(const sb_collider_motion *motion, const double p[3], const double v[3],
                                     double u[3], double w[3])
{
  u[0] = u[1] = u[2] = 0.0;
  if (motion->moves) sb_collider_velocity(motion, p, u);
  for (int c = 0; c < 3; ++c) w[c] = v[c] - u[c];
}

/* Reduces the part of v - u along the surface by at most `loss`. */
static void rub(const double n[3], const double u[3], double loss, double v[3])
{
  double w[3], tangent[3];
  sb_subtract(v, u, w);
  sb_along(w, -sb_dot(w, n), n, tangent);
  const double slip = sqrt(sb_dot(tangent, tangent));
  if (loss > 0.0 && slip > 0.0) sb_along(v, kept_part(slip, loss) - 1.0, tangent, v);
}

/* `pushed`, m/s: the change of velocity by the penalty force of the collider. */
static bool filter_collider(const sb_contact *contact, size_t k, double h_seconds, double pushed, const double *p,
                            double *v)
{
  double       n[3], u[3], w[3];
  const double phi = sb_collider_distance(&contact->collider[k], contact->margin, p, n);
  relative_velocity(&contact->motion[k], p, v, u, w);
  const double w_n = sb_dot(w, n);
  if (phi + h_seconds * w_n < 0.0 && w_n < 0.0) { /* the condition that is rarely true comes first */
    respond(contact, n, w_n, pushed, w);
    for (int c = 0; c < 3; ++c) v[c] = w[c] + u[c];
    return true;
  }
  if (pushed > 0.0) rub(n, u, contact->friction * pushed, v);
  return pushed > 0.0;
}

/* The colliders that act together on one vertex. */
typedef struct {
  size_t        count;
  size_t        collider[SB_HALF_SPACES_MAX];
  sb_half_space space[SB_HALF_SPACES_MAX];
  double        u[SB_HALF_SPACES_MAX][3]; /* m/s: their velocities */
} corner;

static bool is_in(const corner *at, size_t collider)
{
  for (size_t i = 0; i < at->count; ++i)
    if (at->collider[i] == collider) return true;
  return false;
}

/* Adds a collider; false if the corner is full. */
static bool join(corner *at, size_t collider, const double n[3], const double u[3], double least)
{
  const size_t i = at->count;
  if (i == SB_HALF_SPACES_MAX) return false;
  at->collider[i] = collider;
  at->space[i] = (sb_half_space){{n[0], n[1], n[2]}, least, 0.0};
  memcpy(at->u[i], u, sizeof at->u[i]);
  at->count++;
  return true;
}

/* Adds the colliders that v leads into at more than `slack` m/s; false if there is none. */
static bool join_approached(const sb_contact *contact, double h_seconds, double slack, const double *p, const double *v,
                            corner *at)
{
  const size_t before = at->count;
  for (size_t k = 0; k < contact->colliders; ++k) {
    double       n[3], u[3], w[3];
    const double phi = sb_collider_distance(&contact->collider[k], contact->margin, p, n);
    relative_velocity(&contact->motion[k], p, v, u, w);
    const double w_n = sb_dot(w, n);
    if (phi + h_seconds * w_n < 0.0 && w_n < -slack && !is_in(at, k)) join(at, k, n, u, sb_dot(n, u));
  }
  return at->count > before;
}

/* Makes v lead into none of the colliders, with friction, after the response to one led into another. */
static void leave_corner(const sb_contact *contact, double h_seconds, double slack, const double *p, double *v)
{
  corner       at = {0};
  const double start[3] = {v[0], v[1], v[2]};
  while (join_approached(contact, h_seconds, slack, p, v, &at)) {
    memcpy(v, start, sizeof start);
    for (size_t i = 0; i < at.count; ++i) at.space[i].push = 0.0;
    if (!sb_half_spaces_project(at.count, at.space, v)) return; /* the colliders move into each other */
  }
  if (at.count == 0 || contact->friction == 0.0) return;
  for (size_t i = 0; i < at.count; ++i) rub(at.space[i].n, at.u[i], contact->friction * at.space[i].push, v);
  sb_half_spaces_project(at.count, at.space, v);
}

/* Change of velocity of a vertex by the penalty force of a collider with friction, m/s; 0 without one. */
static inline double pushed_by(const sb_contact *contact, size_t k, const sb_contact_push *push, size_t i, double mass)
{
  double n[3];
  if (!push) return 0.0;
  const double phi = sb_collider_distance(&contact->pushing[k], contact->margin, push->position + 3 * i, n);
  return phi < 0.0 ? -push->seconds * contact->stiffness * phi / mass : 0.0;
}

static void filter_vertex(const sb_contact *contact, double h_seconds, const sb_contact_push *push,
                          const sb_contact_points *points, size_t i, double *v)
{
  const double *p = points->position + 3 * i, speed = sqrt(sb_dot(v, v));
  bool          touched = false;
  for (size_t k = 0; k < contact->colliders; ++k) {
    const double pushed = pushed_by(contact, k, push, i, points->mass[i]);
    touched = filter_collider(contact, k, h_seconds, pushed, p, v) || touched;
  }
  if (touched && contact->colliders > 1) leave_corner(contact, h_seconds, approach_slack * speed, p, v);
}

/* Sets the places of the colliders at t, and their motion over the step. */
static void move_colliders(sb_contact *contact, double t_seconds, double h_seconds)
{
  for (size_t k = 0; k < contact->colliders; ++k) {
    sb_collider_move(&contact->collider[k], t_seconds);
    sb_collider_motion_over(&contact->collider[k], t_seconds, h_seconds, &contact->motion[k]);
  }
}

void sb_contact_filter(sb_contact *contact, double t_seconds, double h_seconds, const sb_contact_push *push,
                       const sb_contact_points *points, double *velocity)
{
  if (!contact->pushes || contact->friction == 0.0) push = NULL;
  if (contact->filters) {
    move_colliders(contact, t_seconds, h_seconds);
    for (size_t k = 0; push && k < contact->colliders; ++k) {
      contact->pushing[k] = contact->collider[k];
      sb_collider_move(&contact->pushing[k], push->t_seconds);
    }
    for (size_t i = 0; i < points->count; ++i)
      if (!points->pinned[i]) filter_vertex(contact, h_seconds, push, points, i, velocity + 3 * i);
  }
  if (contact->self)
    contact->measures.self_pairs =
        sb_self_contact_filter(contact->self, points->count, points->pinned, points->mass, points->position, velocity);
}

/* Removes the part of a that leads into the colliders at which the filter holds a vertex, and adds it to the pushes. */
static void hold_acceleration(corner *at, double *a)
{
  const double size = sqrt(sb_dot(a, a));
  bool         leads_in = false;
  for (size_t i = 0; i < at->count; ++i) {
    sb_half_space *space = &at->space[i];
    const double   inward = sb_dot(a, space->n);
    if (!(inward < space->least)) continue;
    sb_along(a, -inward, space->n, a);
    space->push -= inward;
  }
  for (size_t i = 0; i < at->count; ++i)
    leads_in = leads_in || sb_dot(a, at->space[i].n) < at->space[i].least - approach_slack * size;
  if (leads_in) sb_half_spaces_project(at->count, at->space, a);
}

/* Finds the colliders at a vertex that hold its acceleration or push it by a penalty force, with the push in m/s^2. A
 * penalty within the potential bears the weight itself. If the weight were removed as well, the penalty would throw out
 * the vertex, which then has no friction until it is back. */
static void find_corner(const sb_contact *contact, double h_seconds, double mass, const double *p, const double *before,
                        corner *at)
{
  for (size_t k = 0; k < contact->colliders; ++k) {
    double       n[3], u[3], w[3];
    const double phi = sb_collider_distance(&contact->collider[k], contact->margin, p, n);
    relative_velocity(&contact->motion[k], p, before, u, w);
    const bool holds = contact->filters && !contact->implicit && phi + h_seconds * sb_dot(w, n) < 0.0;
    const bool pushes = contact->pushes && phi < 0.0;
    if ((holds || pushes) && join(at, k, n, u, holds ? 0.0 : -INFINITY) && pushes)
      at->space[at->count - 1].push = -contact->stiffness * phi / mass;
  }
}

/* Coulomb's law for the velocity v + h (a + force/m): the loss of velocity is put into a. */
static void rub_acceleration(const sb_contact *contact, double h_seconds, const corner *at, const double *v,
                             const double force_per_mass[3], double *a)
{
  double end[3], rubbed[3];
  for (int c = 0; c < 3; ++c) rubbed[c] = end[c] = v[c] + h_seconds * (a[c] + force_per_mass[c]);
  for (size_t i = 0; i < at->count; ++i)
    rub(at->space[i].n, at->u[i], contact->friction * h_seconds * at->space[i].push, rubbed);
  for (int c = 0; c < 3; ++c) a[c] += (rubbed[c] - end[c]) / h_seconds;
}

void sb_contact_filter_accelerations(sb_contact *contact, double t_seconds, double h_seconds,
                                     const sb_contact_start *start, double *acceleration)
{
  const sb_contact_points *points = &start->points;
  const bool               rubs = sb_contact_rubs(contact);
  if (!contact->filters && !rubs) return;
  move_colliders(contact, t_seconds, h_seconds);
  for (size_t i = 0; i < points->count; ++i) {
    const double mass = points->mass[i];
    double      *a = acceleration + 3 * i, pull[3];
    corner       at;
    at.count = 0;
    if (points->pinned[i]) continue;
    find_corner(contact, h_seconds, mass, points->position + 3 * i, start->before + 3 * i, &at);
    hold_acceleration(&at, a);
    if (!rubs || at.count == 0) continue;
    for (size_t c = 0; c < 3; ++c) pull[c] = start->force[3 * i + c] / mass;
    rub_acceleration(contact, h_seconds, &at, start->velocity + 3 * i, pull, a);
  }
}

/* The colliders of a contact as the callback sb_hold (surface_contact.h). */
typedef struct {
  sb_contact *contact;
  double      h_seconds;
} holding;

/* Fraction of the thickness that a hold may leave, so that it ends. */
static const double hold_slack = 1e-9;

/* The bound of a collider on the way: the vertex may approach by its distance, or by as much as `wish` does if that is
 * more. */
static sb_half_space bound_of(const holding *all, size_t k, const double place[3], const double wish[3])
{
  sb_half_space space = {.push = 0.0};
  double        u[3] = {0, 0, 0}, w[3];
  const double  phi = sb_collider_distance(&all->contact->collider[k], all->contact->margin, place, space.n);
  const sb_collider_motion *motion = &all->contact->motion[k];
  if (motion->moves) sb_collider_velocity(motion, place, u);
  sb_along(wish, -all->h_seconds, u, w);
  space.least = fmin(sb_dot(w, space.n), -fmax(phi, 0.0)) + all->h_seconds * sb_dot(u, space.n);
  return space;
}

/* Replaces the way by the nearest one that all colliders allow; `wish` is one of these. */
static bool hold(void *colliders, const double place[3], const double wish[3], double way[3])
{
  const holding *all = colliders;
  const double   allowed = hold_slack * all->contact->thickness;
  sb_half_space  space[SB_HALF_SPACES_MAX];
  size_t         count = 0;
  bool           held = false;
  for (size_t k = 0; k < all->contact->colliders; ++k) {
    const sb_half_space bound = bound_of(all, k, place, wish);
    const double        lack = bound.least - sb_dot(way, bound.n);
    if (count < SB_HALF_SPACES_MAX) space[count++] = bound;
    if (!(lack > allowed)) continue;
    sb_along(way, lack, bound.n, way);
    held = true;
  }
  for (size_t k = 0; held && k < count; ++k)
    if (space[k].least - sb_dot(way, space[k].n) > allowed) {
      sb_half_spaces_project(count, space, way);
      break;
    }
  return held;
}

sb_contact_verdict sb_contact_resolve(sb_contact *contact, double t_seconds, double h_seconds,
                                      const sb_contact_points *start, double *end, char *why, size_t why_size)
{
  holding               all = {contact, h_seconds};
  sb_surface_tally      tally;
  const sb_surface_step step = {start, h_seconds, contact->filters ? hold : NULL, &all};
  if (contact->filters) move_colliders(contact, t_seconds, h_seconds);
  const sb_contact_verdict verdict = sb_surface_contact_filter(contact->surface, &step, end, &tally, why, why_size);
  contact->measures.self_pairs = tally.touching;
  contact->measures.strikes += tally.met;
  contact->measures.zones += tally.zones;
  return verdict;
}
