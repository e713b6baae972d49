/* Contact as a force, and what was seen of it; see contact.h. With d = max(-phi, 0), n = grad phi:
 *
 *   E = 1/2 k_c d^2,   f = -grad E = k_c d n,   H = k_c n n^T - k_c d grad n
 *
 * The last term (`exact` only) is negative semi-definite on convex surfaces, which all of these are. */
#include "model/contact_state.h"

#include <math.h>

void sb_contact_add_forces(sb_contact *contact, double t_seconds, size_t count, const bool *pinned,
                           const double *position, double *force)
{
  for (size_t k = 0; contact->pushes && k < contact->colliders; ++k) {
    sb_collider *collider = &contact->collider[k];
    sb_collider_move(collider, t_seconds);
    for (size_t i = 0; i < count; ++i) {
      double       n[3];
      const double phi = sb_collider_distance(collider, contact->margin, position + 3 * i, n);
      if (pinned[i] || !(phi < 0.0)) continue;
      for (size_t c = 0; c < 3; ++c) force[3 * i + c] -= contact->stiffness * phi * n[c];
    }
  }
}

double sb_contact_energy(sb_contact *contact, double t_seconds, size_t count, const bool *pinned,
                         const double *position)
{
  double sum = 0.0;
  for (size_t k = 0; contact->pushes && k < contact->colliders; ++k) {
    sb_collider *collider = &contact->collider[k];
    sb_collider_move(collider, t_seconds);
    for (size_t i = 0; i < count; ++i) {
      double       n[3];
      const double phi = sb_collider_distance(collider, contact->margin, position + 3 * i, n);
      if (!pinned[i] && phi < 0.0) sum += phi * phi;
    }
  }
  return 0.5 * contact->stiffness * sum;
}

/* block[6] += k_c n n^T + k_c phi grad n at p with phi < 0. */
static void add_block(const sb_contact *contact, const sb_collider *collider, double phi, const double n[3],
                      const double p[3], bool exact, double block[6])
{
  const double k = contact->stiffness;
  double       bend[6] = {0};
  if (exact && collider->shape->curvature) collider->shape->curvature(collider->value, collider->point, p, bend);
  for (int a = 0, e = 0; a < 3; ++a)
    for (int b = a; b < 3; ++b, ++e) block[e] += k * (n[a] * n[b] + phi * bend[e]);
}

void sb_contact_add_hessian(sb_contact *contact, double t_seconds, bool exact, size_t count, const bool *pinned,
                            const double *position, double *block)
{
  for (size_t k = 0; contact->pushes && k < contact->colliders; ++k) {
    sb_collider *collider = &contact->collider[k];
    sb_collider_move(collider, t_seconds);
    for (size_t i = 0; i < count; ++i) {
      double       n[3];
      const double phi = sb_collider_distance(collider, contact->margin, position + 3 * i, n);
      if (!pinned[i] && phi < 0.0) add_block(contact, collider, phi, n, position + 3 * i, exact, block + 6 * i);
    }
  }
}

/* How deep p is in the deepest of the colliders, without margin; not above 0 outside of all and where it is NaN. */
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
