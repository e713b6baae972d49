/* Contact as a filter on velocities; see contact.h. With w = v - u, u the collider's velocity at x, w_n = w.n:
 *
 *   where phi + h w_n < 0 and w_n < 0:   w <- w - (1 + e) w_n n,
 *                                        w_t <- w_t max(0, 1 - mu (1 + e)|w_n|/|w_t|)       (Coulomb)
 *
 * on each collider in turn, then on pairs of vertices. Comparisons are such that a NaN leaves a vertex alone. */
#include "model/contact_state.h"

#include <math.h>

/* The response of one vertex whose velocity w relative to the collider has the normal part w_n < 0. */
static void respond(const sb_contact *contact, const double n[3], double w_n, double w[3])
{
  const double change = -(1.0 + contact->restitution) * w_n;
  double       tangent[3];
  for (int c = 0; c < 3; ++c) tangent[c] = w[c] - w_n * n[c];
  const double slip = sqrt(sb_dot(tangent, tangent)), loss = contact->friction * change;
  const double kept = contact->friction == 0.0 ? 1.0 : loss < slip ? 1.0 - loss / slip : 0.0;
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

static void filter_vertex(const sb_contact *contact, const sb_collider *collider, const sb_collider_motion *motion,
                          double h_seconds, const double *p, double *v)
{
  double       n[3], u[3], w[3];
  const double phi = sb_collider_distance(collider, contact->margin, p, n);
  relative_velocity(motion, p, v, u, w);
  const double w_n = sb_dot(w, n);
  if (!(phi + h_seconds * w_n < 0.0 && w_n < 0.0)) return; /* the rare one first */
  respond(contact, n, w_n, w);
  for (int c = 0; c < 3; ++c) v[c] = w[c] + u[c];
}

void sb_contact_filter(sb_contact *contact, double t_seconds, double h_seconds, const sb_contact_points *points,
                       double *velocity)
{
  for (size_t k = 0; contact->filters && k < contact->colliders; ++k) {
    sb_collider       *collider = &contact->collider[k];
    sb_collider_motion motion;
    sb_collider_move(collider, t_seconds);
    sb_collider_motion_over(collider, t_seconds, h_seconds, &motion);
    for (size_t i = 0; i < points->count; ++i)
      if (!points->pinned[i])
        filter_vertex(contact, collider, &motion, h_seconds, points->position + 3 * i, velocity + 3 * i);
  }
  if (contact->self)
    contact->measures.self_pairs =
        sb_self_contact_filter(contact->self, points->count, points->pinned, points->mass, points->position, velocity);
}

void sb_contact_filter_accelerations(sb_contact *contact, double t_seconds, double h_seconds,
                                     const sb_contact_points *points, const double *velocity, double *acceleration)
{
  for (size_t k = 0; contact->filters && k < contact->colliders; ++k) {
    sb_collider       *collider = &contact->collider[k];
    sb_collider_motion motion;
    sb_collider_move(collider, t_seconds);
    sb_collider_motion_over(collider, t_seconds, h_seconds, &motion);
    for (size_t i = 0; i < points->count; ++i) {
      const double *p = points->position + 3 * i;
      double       *a = acceleration + 3 * i, n[3], u[3], w[3];
      const double  phi = sb_collider_distance(collider, contact->margin, p, n);
      relative_velocity(&motion, p, velocity + 3 * i, u, w);
      const double inward = sb_dot(a, n);
      if (points->pinned[i] || !(inward < 0.0 && phi + h_seconds * sb_dot(w, n) < 0.0)) continue;
      for (int c = 0; c < 3; ++c) a[c] -= inward * n[c];
    }
  }
}

/* What sb_hold (surface_contact.h) says of the colliders of a contact. */
typedef struct {
  sb_contact *contact;
  double      h_seconds;
} holding;

/* Of the thickness: what a hold leaves, so that it has an end. */
static const double hold_slack = 1e-9;

static bool hold(void *colliders, const double place[3], const double wish[3], double way[3])
{
  const holding *all = colliders;
  bool           held = false;
  for (size_t k = 0; k < all->contact->colliders; ++k) {
    double                    n[3], w[3], u[3];
    const double              phi = sb_collider_distance(&all->contact->collider[k], all->contact->margin, place, n);
    const sb_collider_motion *motion = &all->contact->motion[k];
    u[0] = u[1] = u[2] = 0.0;
    if (motion->moves) sb_collider_velocity(motion, place, u);
    for (int c = 0; c < 3; ++c) w[c] = wish[c] - all->h_seconds * u[c];
    const double least = fmin(sb_dot(w, n), -fmax(phi, 0.0));
    for (int c = 0; c < 3; ++c) w[c] = way[c] - all->h_seconds * u[c];
    const double lack = least - sb_dot(w, n);
    if (!(lack > hold_slack * all->contact->thickness)) continue;
    sb_along(way, lack, n, way);
    held = true;
  }
  return held;
}

sb_contact_verdict sb_contact_resolve(sb_contact *contact, double t_seconds, double h_seconds,
                                      const sb_contact_points *start, double *end, char *why, size_t why_size)
{
  holding               all = {contact, h_seconds};
  sb_surface_tally      tally;
  const sb_surface_step step = {start, h_seconds, contact->filters ? hold : NULL, &all};
  for (size_t k = 0; contact->filters && k < contact->colliders; ++k) {
    sb_collider_move(&contact->collider[k], t_seconds);
    sb_collider_motion_over(&contact->collider[k], t_seconds, h_seconds, &contact->motion[k]);
  }
  const sb_contact_verdict verdict = sb_surface_contact_filter(contact->surface, &step, end, &tally, why, why_size);
  contact->measures.self_pairs = tally.touching;
  contact->measures.strikes += tally.met;
  contact->measures.zones += tally.zones;
  return verdict;
}
