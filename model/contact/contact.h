/* Contact with colliders and of the net with itself (docs/model.md section 6). Local: arrays of one rank.
 *
 * Colliders are named by option `collider` (several separated by ';'), moved by `collider_path` (as many, or one for
 * all), and act as option `contact` says: cancel_velocity is a filter on velocities, penalty a force k_c max(-phi, 0)
 * n, combined both. Everywhere n is the outward normal and phi the distance to the surface, a sphere's or capsule's
 * radius counted as margin r; of several colliders each acts. A collider's shape is one file
 * model/contact/colliders/<name>.c with one const table `sb_collider_<name>`, and one line in colliders.def.
 *
 * Arrays [count][3] of owned vertices unless said; pinned vertices are never touched. A system without contact has a
 * NULL sb_contact, and nobody calls these. */
#pragma once

#include <stdint.h>

#include "base/composite.h"
#include "base/options.h"
#include "model/forces/path.h"

/* For implementers of shapes: points that a path moves, then a signed distance. */
enum { SB_COLLIDER_POINTS_MAX = 2 };
typedef struct {
  sb_form form;
  size_t  points; /* moved by the path: a centre, two ends, a point and the tip of its normal */
  /* Reference points at rest from the value. */
  void (*points_of)(const sb_composite *value, double point[SB_COLLIDER_POINTS_MAX][3]);
  /* Signed distance of p to the surface at the points' present places, negative inside; n = its gradient, a unit vector
   * (any one where it is not defined). Radii count times margin. m. */
  double (*distance)(const sb_composite *value, double margin, const double point[SB_COLLIDER_POINTS_MAX][3],
                     const double p[3], double n[3]);
  /* Optional, NULL where it is 0: grad n, the surface's curvature, upper triangle (xx xy xz yy yz zz), 1/m. */
  void (*curvature)(const sb_composite *value, const double point[SB_COLLIDER_POINTS_MAX][3], const double p[3],
                    double bend[6]);
  /* Optional, NULL where it is a corner: the point p of a triangle that is deepest inside the surface, with or without
   * margin, or the nearest to it. `corner` is read only. */
  void (*deepest)(const double point[SB_COLLIDER_POINTS_MAX][3], double corner[3][3], double p[3]);
} sb_collider_shape;

size_t                   sb_collider_shape_count(void);
const sb_collider_shape *sb_collider_shape_at(size_t i);
const sb_form *const    *sb_collider_forms(size_t *count);

typedef struct sb_contact sb_contact;

/* The contact of a resolved set: *contact NULL and true when `contact` and `self_contact` are none; false when memory
 * is out. sb_model_check refuses invalid combinations when a system is created. */
bool sb_contact_create(const sb_options *options, sb_contact **contact);
void sb_contact_destroy(sb_contact **contact);

/* What is on, for integrators: each says whether the call of that name below does anything. */
bool sb_contact_filters(const sb_contact *contact);     /* cancel_velocity, combined, self_contact */
bool sb_contact_pushes(const sb_contact *contact);      /* penalty, combined: as a force at known positions */
bool sb_contact_is_implicit(const sb_contact *contact); /* the penalty belongs to the potential instead */
bool sb_contact_rubs(const sb_contact *contact);        /* true: colliders have friction */

bool sb_contact_resolves(const sb_contact *contact); /* self_contact surfaces */

/* The vertices that a call is about. */
typedef struct {
  size_t        count;
  const bool   *pinned;   /* [count] */
  const double *mass;     /* [count] kg: only filters read it */
  const double *position; /* [count][3] */
} sb_contact_points;

/* A penalty force: for how long it has acted, at what time and at which positions [count][3]. */
typedef struct {
  double        seconds, t_seconds;
  const double *position;
} sb_contact_push;

/* The filter on v just before the position update that uses it; positions are those at time t. If phi + h v.n < 0 and
 * v.n < 0, v <- v - (1 + e)(v.n) n, then Coulomb friction on the tangential part, at most mu times the normal change.
 * Here v is relative to the collider, whose velocity is that of its path over [t, t + h]. Several colliders act in
 * turn; if one sends a vertex into another, they act together. Then comes self-contact between vertices closer than
 * `thickness` that approach each other: their relative normal velocity is removed, shared by mass (half each if equal);
 * a pinned vertex is a wall. Only colliders have restitution and friction. `push`: the penalty force that has acted on
 * v, whose impulse friction counts like a normal change (contact combined); NULL if v has none of it, or if its
 * friction acts elsewhere. Never allocates. */
void sb_contact_filter(sb_contact *contact, double t_seconds, double h_seconds, const sb_contact_push *push,
                       const sb_contact_points *points, double *velocity);
/* The start of a step of implicit_euler; arrays [count][3]. */
typedef struct {
  sb_contact_points points;   /* with masses */
  const double     *before;   /* m/s: before sb_contact_filter */
  const double     *velocity; /* m/s: after it */
  const double     *force;    /* N: of the potential at the start; NULL without friction */
} sb_contact_start;

/* The contact filter of implicit_euler on accelerations. If phi + h v.n < 0, the inward part of a is removed (modes
 * with a filter). v is the velocity `before` sb_contact_filter: after it no vertex satisfies the condition. Then
 * Coulomb friction acts on the tangential part of velocity + h (a + force/m): a changes so that this part loses at most
 * mu h times the sum of the removed acceleration and the penalty force over the mass, lagged or in the potential. So a
 * vertex at rest under the forces of its springs stays at rest. */
void sb_contact_filter_accelerations(sb_contact *contact, double t_seconds, double h_seconds,
                                     const sb_contact_start *start, double *acceleration);
/* The filter of self_contact surfaces on a whole step: `end` [count][3], where the vertices would be at t + h, goes to
 * where no vertex and triangle, and no two edges, met on the straight ways from `start` (surface_contact.h;
 * docs/model.md section 6). Colliders that filter hold what it sets in motion. Where there is no such end, `end` is
 * left alone and `why` says so for people. Allocates where lists grow. */
typedef enum { SB_STEP_FREE, SB_STEP_REFUSED, SB_STEP_WITHOUT_MEMORY } sb_contact_verdict;
sb_contact_verdict sb_contact_resolve(sb_contact *contact, double t_seconds, double h_seconds,
                                      const sb_contact_points *start, double *end, char *why, size_t why_size);
/* force += k_c max(-phi, 0) n at time t. */
void sb_contact_add_forces(sb_contact *contact, double t_seconds, const sb_contact_points *points, double *force);
/* Sum of 1/2 k_c max(-phi, 0)^2. */
double sb_contact_energy(sb_contact *contact, double t_seconds, const sb_contact_points *points);
/* The most by which that energy's Hessian, without the curvature of surfaces, exceeds nothing at any one vertex: k_c
 * for each collider that pushes. N/m. */
double sb_contact_bound(const sb_contact *contact);
/* block[6 i …] += the upper triangle (xx xy xz yy yz zz) of vertex i's Hessian of that energy: k_c n n^T, and
 * `negative` times the curvature of the surface, which makes it indefinite where that is curved; [count][6]. */
void sb_contact_add_hessian(sb_contact *contact, double t_seconds, double negative, const sb_contact_points *points,
                            double *block);

/* Looks at the positions a step led to, at time t; the measures below are over all that was observed. */
void sb_contact_observe(sb_contact *contact, double t_seconds, size_t count, const double *position);
/* How deep the deepest point of any of the triangles [triangles][3] is in a collider at time t, without margin; 0: none
 * is inside. Between its corners a triangle may be deeper than at them: a chord of a ball by its height. */
double sb_contact_face_depth(sb_contact *contact, double t_seconds, size_t triangles, const int *triangle,
                             const double *position);
typedef struct {
  double  penetration_max; /* m: largest max(-phi, 0) without margin, over all observed */
  int64_t vertices_inside; /* with phi < 0 without margin, at the last observation */
  int64_t self_pairs;      /* pairs closer than thickness at the last filter: of vertices, springs' own ends left out;
                              or, with surfaces, of a vertex and a triangle and of two edges, without a common vertex */
  int64_t strikes, zones;  /* surfaces: impulses on pairs that would have met, bodies made where these had no end */
} sb_contact_measures;
sb_contact_measures sb_contact_measured(const sb_contact *contact);
/* Forgets the measures, for a run that starts. */
void sb_contact_reset(sb_contact *contact);
/* The colliders at time t, for pictures: *count shapes, their values and places of points [count][2][3], borrowed. */
const sb_composite *sb_contact_colliders(const sb_contact *contact, size_t *count);
void sb_contact_places(sb_contact *contact, double t_seconds, size_t collider, double point[SB_COLLIDER_POINTS_MAX][3]);

/* Springs that join two vertices keep them from being a self-contact pair. first and second [springs], local numbers;
 * copied. False when memory is out. With self_contact vertices it must be called before the filter, which takes at most
 * so many vertices and ignores self-contact until then; otherwise it does nothing. */
bool sb_contact_set_springs(sb_contact *contact, size_t vertices, size_t springs, const int *first, const int *second);
/* The surface that self_contact surfaces is about, at its initial places [vertices][3]; copied. False when memory is
 * out. With it, it must be called before sb_contact_resolve; otherwise it does nothing. */
bool sb_contact_set_surface(sb_contact *contact, size_t vertices, size_t triangles, const int32_t *triangle,
                            const double *initial);
