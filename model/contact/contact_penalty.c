/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contact as a force, and its measures; see contact.h. With d = max(-phi, 0), n = grad phi:
 *
 *     E = 1/2 k_c d^2,   f = -grad E = k_c d n,   H = k_c n n^T - k_c d grad n
 *
 * The last term, times `negative`, is negative semi-definite on convex surfaces, which all of these are. */
#include "model/contact/contact_state.h"

#include <math.h>

/* A free vertex inside a collider. */
typedef struct {
  size_t collider, vertex;
  double phi, n[3];
} touch;

/* The next pair from `at` on, collider by collider; false after the last. Start with zeros, then pass the next vertex.
 */
static bool find_touch(sb_contact *contact, double t_seconds, const sb_contact_points *points, touch *at)
{
  for (; contact->pushes && at->collider < contact->colliders; ++at->collider, at->vertex = 0) {
    sb_collider *collider = &contact->collider[at->collider];
    if (at->vertex == 0) sb_collider_move(collider, t_seconds);
    for (; at->vertex < points->count; ++at->vertex) {
      at->phi = sb_collider_distance(collider, contact->margin, points->position + 3 * at->vertex, at->n);
      if (!points->pinned[at->vertex] && at->phi < 0.0) return true;
    }
  }
  return false;
}

void sb_contact_add_forces(sb_contact *contact, double t_seconds, const sb_contact_points *points, double *force)
{
  for (touch at = {0}; find_touch(contact, t_seconds, points, &at); ++at.vertex)
    for (size_t c = 0; c < 3; ++c) force[3 * at.vertex + c] -= contact->stiffness * at.phi * at.n[c];
}

double sb_contact_distance(sb_contact *contact, double t_seconds, size_t collider, const double p[3], double n[3])
{
  sb_collider_move(&contact->collider[collider], t_seconds);
  return sb_collider_distance(&contact->collider[collider], contact->margin, p, n);
}

double sb_contact_energy(sb_contact *contact, double t_seconds, const sb_contact_points *points)
{
  double sum = 0.0;
  for (touch at = {0}; find_touch(contact, t_seconds, points, &at); ++at.vertex) sum += at.phi * at.phi;
  return 0.5 * contact->stiffness * sum;
}

double sb_contact_bound(const sb_contact *contact)
{
  return contact->pushes ? contact->stiffness * (double)contact->colliders : 0;
}

/* block[6] += k_c n n^T + negative k_c phi grad n at the vertex's place p. */
static void add_block(const sb_contact *contact, const touch *at, const double p[3], double negative, double block[6])
{
  const sb_collider *collider = &contact->collider[at->collider];
  double             bend[6] = {0};
  if (negative != 0 && collider->shape->curvature)
    collider->shape->curvature(collider->value, collider->point, p, bend);
  for (int a = 0, e = 0; a < 3; ++a)
    for (int b = a; b < 3; ++b, ++e)
      block[e] += contact->stiffness * (at->n[a] * at->n[b] + negative * at->phi * bend[e]);
}

void sb_contact_add_hessian(sb_contact *contact, double t_seconds, double negative, const sb_contact_points *points,
                            double *block)
{
  for (touch at = {0}; find_touch(contact, t_seconds, points, &at); ++at.vertex)
    add_block(contact, &at, points->position + 3 * at.vertex, negative, block + 6 * at.vertex);
}

/* The depth of p in the deepest of the colliders, without margin; not above 0 if p is outside of all, or NaN. */
static double depth_at(const sb_contact *contact, const double p[3])
{
  double deepest = 0.0;
  for (size_t k = 0; k < contact->colliders; ++k) {
    double       n[3];
    const double depth = -sb_collider_distance(&contact->collider[k], 1.0, p, n);
    if (depth > deepest) deepest = depth;
  }
  return deepest;
}

void sb_contact_observe(sb_contact *contact, double t_seconds, size_t count, const double *position)
{
  sb_contact_measures *measures = &contact->measures;
  measures->vertices_inside = 0;
  for (size_t k = 0; k < contact->colliders; ++k) sb_collider_move(&contact->collider[k], t_seconds);
  for (size_t i = 0; i < count; ++i) {
    const double depth = depth_at(contact, position + 3 * i);
    measures->vertices_inside += depth > 0.0;
    if (depth > measures->penetration_max && isfinite(depth)) measures->penetration_max = depth;
  }
}

/* The depth in one collider of the point of a triangle that is deepest there. */
static double face_depth_in(const sb_collider *collider, double corner[3][3])
{
  double n[3], p[3], depth = -INFINITY;
  if (collider->shape->deepest) {
    collider->shape->deepest(collider->point, corner, p);
    return -sb_collider_distance(collider, 1.0, p, n);
  }
  for (int c = 0; c < 3; ++c) depth = fmax(depth, -sb_collider_distance(collider, 1.0, corner[c], n));
  return depth;
}

double sb_contact_face_depth(sb_contact *contact, double t_seconds, size_t triangles, const int *triangle,
                             const double *position)
{
  double deepest = 0.0;
  for (size_t k = 0; k < contact->colliders; ++k) {
    sb_collider_move(&contact->collider[k], t_seconds);
    for (size_t t = 0; t < triangles; ++t) {
      double corner[3][3];
      for (int c = 0; c < 9; ++c)
        corner[c / 3][c % 3] = position[3 * (size_t)triangle[3 * t + (size_t)c / 3] + (size_t)c % 3];
      const double depth = face_depth_in(&contact->collider[k], corner);
      if (depth > deepest && isfinite(depth)) deepest = depth;
    }
  }
  return deepest;
}
