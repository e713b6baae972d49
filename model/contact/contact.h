/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contact with colliders and of the net with itself (docs/model.md section 6). Local: arrays of one rank.
 *
 * Option `collider` names colliders (separated by ';'), and `collider_path` moves them (one path each, or one for all).
 * Option `contact` chooses how they act: cancel_velocity is a filter on velocities, penalty a force k_c max(-phi, 0) n,
 * combined is both. The outward normal is n, and phi is the distance to the surface, with radii of spheres and capsules
 * multiplied by margin. Every collider acts. A collider's shape is one file model/contact/colliders/<name>.c with one
 * const table `sb_collider_<name>`, and one line in colliders.def.
 *
 * Arrays are [count][3] of owned vertices unless stated otherwise; pinned vertices are never touched. A system without
 * contact has a NULL sb_contact, on which these are not called. */
#pragma once

#include <stdint.h>

#include "base/composite.h"
#include "base/options.h"
#include "model/forces/path.h"

/* For authors of shapes: points that a path moves, and a signed distance. */
enum { SB_COLLIDER_POINTS_MAX = 2 };
typedef struct {
  sb_form form;   /* first: a value names its shape */
  size_t  points; /* moved by the path: a centre, two ends, a point and the tip of its normal */
  /* Computes the reference points at rest from the value. */
  void (*points_of)(const sb_composite *value, double point[SB_COLLIDER_POINTS_MAX][3]);
  /* Signed distance in m from p to the surface with the points at `point`, negative inside. n = its gradient, a unit
   * vector (any one where it is not defined). Radii are multiplied by margin. */
  double (*distance)(const sb_composite *value, double margin, const double point[SB_COLLIDER_POINTS_MAX][3],
                     const double p[3], double n[3]);
  /* Optional (NULL: 0): grad n, the curvature of the surface, upper triangle (xx xy xz yy yz zz), 1/m. */
  void (*curvature)(const sb_composite *value, const double point[SB_COLLIDER_POINTS_MAX][3], const double p[3],
                    double bend[6]);
  /* Optional (NULL: a corner): the point p of a triangle that is deepest inside the surface, with or without margin, or
   * the nearest to it. `corner` is read only. */
  void (*deepest)(const double point[SB_COLLIDER_POINTS_MAX][3], double corner[3][3], double p[3]);
} sb_collider_shape;

SB_DECLARE_LIST(sb_collider_shape, sb_colliders)

typedef struct sb_contact sb_contact;

/* Creates the contact of a resolved set. *contact is NULL, and the result true, if `contact` and `self_contact` are
 * none; false if memory is out. sb_model_check refuses invalid combinations when a system is created. */
bool sb_contact_create(const sb_options *options, sb_contact **contact);
void sb_contact_destroy(sb_contact **contact);

/* For integrators: each is true if the corresponding call below has an effect. */
bool sb_contact_filters(const sb_contact *contact);     /* cancel_velocity, combined, self_contact */
bool sb_contact_pushes(const sb_contact *contact);      /* penalty, combined: as a force at known positions */
bool sb_contact_is_implicit(const sb_contact *contact); /* the penalty belongs to the potential instead */
bool sb_contact_rubs(const sb_contact *contact);        /* colliders have friction */

bool sb_contact_resolves(const sb_contact *contact); /* self_contact surfaces */

/* The vertices of a call. */
typedef struct {
  size_t        count;
  const bool   *pinned;   /* [count] */
  const double *mass;     /* [count] kg: only filters read it */
  const double *position; /* [count][3] */
} sb_contact_points;

/* A penalty force: how long, at what time and at which positions [count][3] it has acted. */
typedef struct {
  double        seconds, t_seconds;
  const double *position;
} sb_contact_push;

/* Filters v just before the position update that uses it; positions are those at time t. If phi + h v.n < 0 and v.n <
 * 0, then v <- v - (1 + e)(v.n) n, followed by Coulomb friction on the tangential part, at most mu times the normal
 * change. Here v is relative to the collider, whose velocity is that of its path over [t, t + h]. Several colliders act
 * in turn; if one sends a vertex into another, they act together. Then follows self-contact: for vertices closer than
 * `thickness` that approach each other, the relative normal velocity is removed, shared by mass; a pinned vertex acts
 * as a wall. Only colliders have restitution and friction. `push` is the penalty force that has acted on v; friction
 * counts its impulse like a normal change (contact combined). It is NULL if no such force has acted, or if its friction
 * acts elsewhere. Never allocates. */
void sb_contact_filter(sb_contact *contact, double t_seconds, double h_seconds, const sb_contact_push *push,
                       const sb_contact_points *points, double *velocity);
/* The start of a step of implicit_euler; arrays [count][3]. */
typedef struct {
  sb_contact_points points;   /* with masses */
  const double     *before;   /* m/s: before sb_contact_filter */
  const double     *velocity; /* m/s: after it */
  const double     *force;    /* N: of the potential at the start; NULL without friction */
} sb_contact_start;

/* The contact filter of implicit_euler on accelerations, for modes with a filter. If phi + h v.n < 0, the inward part
 * of a is removed. v is the velocity `before` sb_contact_filter: after it no vertex satisfies the condition. If the
 * penalty belongs to the potential, nothing is removed, as the penalty bears the weight. Then Coulomb friction acts on
 * the tangential part of velocity + h (a + force/m). It reduces this part by at most mu h times the sum of the removed
 * acceleration and the penalty force over the mass, lagged or in the potential. So a vertex at rest under the forces of
 * its springs stays at rest. */
void sb_contact_filter_accelerations(sb_contact *contact, double t_seconds, double h_seconds,
                                     const sb_contact_start *start, double *acceleration);
/* The filter of self_contact surfaces on a whole step. It moves `end` [count][3], the positions at t + h, so that no
 * vertex meets a triangle and no edge an edge on the straight ways from `start` (surface_contact.h; docs/model.md
 * section 6). Colliders that filter also limit the motion that it causes. If there is no such end, `end` is unchanged
 * and `why` has a message for the user. Allocates if lists grow. */
typedef enum { SB_STEP_FREE, SB_STEP_REFUSED, SB_STEP_WITHOUT_MEMORY } sb_contact_verdict;
sb_contact_verdict sb_contact_resolve(sb_contact *contact, double t_seconds, double h_seconds,
                                      const sb_contact_points *start, double *end, char *why, size_t why_size);
/* force += k_c max(-phi, 0) n at time t. */
void sb_contact_add_forces(sb_contact *contact, double t_seconds, const sb_contact_points *points, double *force);
/* phi of one collider at p and time t, and its normal n there. */
double sb_contact_distance(sb_contact *contact, double t_seconds, size_t collider, const double p[3], double n[3]);
/* Sum of 1/2 k_c max(-phi, 0)^2. */
double sb_contact_energy(sb_contact *contact, double t_seconds, const sb_contact_points *points);
/* Upper bound of the Hessian of that energy at any vertex, without the curvature of surfaces: k_c per collider that
 * pushes. N/m. */
double sb_contact_bound(const sb_contact *contact);
/* block[6 i …] += the upper triangle (xx xy xz yy yz zz) of vertex i's Hessian of that energy: k_c n n^T plus
 * `negative` times the curvature of the surface, which makes it indefinite on curved surfaces; [count][6]. */
void sb_contact_add_hessian(sb_contact *contact, double t_seconds, double negative, const sb_contact_points *points,
                            double *block);

/* Updates the measures below with the positions at time t, after a step; they cover all observations. */
void sb_contact_observe(sb_contact *contact, double t_seconds, size_t count, const double *position);
/* Depth of the deepest point of any of the triangles [triangles][3] in a collider at time t, without margin; 0 if none
 * is inside. It may lie between the corners, as the middle of a chord of a ball does. */
double sb_contact_face_depth(sb_contact *contact, double t_seconds, size_t triangles, const int *triangle,
                             const double *position);
typedef struct {
  double  penetration_max; /* m: largest max(-phi, 0) without margin, over all observed */
  int64_t vertices_inside; /* with phi < 0 without margin, at the last observation */
  int64_t self_pairs;      /* pairs closer than thickness at the last filter: of vertices not joined by a spring; or,
                            * with surfaces, of a vertex and a triangle and of two edges, without a common vertex */
  int64_t strikes, zones;  /* surfaces: impulses on pairs that would have met; bodies made where impulses did not end */
} sb_contact_measures;
sb_contact_measures sb_contact_measured(const sb_contact *contact);
/* Clears the measures, for a new run; or sets them to those of a run that is continued. */
void sb_contact_reset(sb_contact *contact);
void sb_contact_restore(sb_contact *contact, const sb_contact_measures *measures);
/* For pictures: the colliders (*count, and their values), their radii, and the points of one at time t [2][3].
 * Borrowed. */
const sb_composite *sb_contact_colliders(const sb_contact *contact, size_t *count);
double              sb_collider_radius(const sb_composite *collider); /* m; 0 of a plane */
void sb_contact_places(sb_contact *contact, double t_seconds, size_t collider, double point[SB_COLLIDER_POINTS_MAX][3]);

/* Two vertices joined by a spring are not a self-contact pair. first and second [springs] are local numbers; copied.
 * False if memory is out. With self_contact vertices it must be called before the filter, which ignores self-contact
 * until then and accepts at most `vertices` vertices; otherwise it does nothing. */
bool sb_contact_set_springs(sb_contact *contact, size_t vertices, size_t springs, const int *first, const int *second);
/* Sets the surface of self_contact surfaces, with its initial places [vertices][3]; copied. False if memory is out.
 * With that option it must be called before sb_contact_resolve; otherwise it does nothing. */
bool sb_contact_set_surface(sb_contact *contact, size_t vertices, size_t triangles, const int32_t *triangle,
                            const double *initial);
