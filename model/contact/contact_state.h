/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private state of contact.c and its parts: colliders with their places and motion, and self-contact.
 *
 * For contact*.c and self_contact.c only; other files include contact.h. Local. */
#pragma once

#include "model/contact/contact.h"
#include "model/contact/surface_contact.h"
#include "model/maths/vector3.h"

/* A collider has a frame of three unit vectors besides its points, from which the rotation of its path is computed. */
enum { SB_COLLIDER_FRAME = 3, SB_COLLIDER_MARKS = SB_COLLIDER_POINTS_MAX + SB_COLLIDER_FRAME };

typedef struct {
  const sb_collider_shape *shape;
  const sb_composite      *value;                            /* one of the contact's copies */
  sb_path                 *path;                             /* NULL: it does not move */
  double                   rest[SB_COLLIDER_MARKS][3];       /* points, then tips of the frame at the first point */
  double                   point[SB_COLLIDER_POINTS_MAX][3]; /* at the time of the last sb_collider_move */
} sb_collider;

/* Velocity of a collider's material at p: linear + turn (p - centre). */
typedef struct {
  bool   moves;
  double linear[3], turn[3][3], centre[3];
} sb_collider_motion;

/* Moves the collider's points to their places at time t. */
void sb_collider_move(sb_collider *collider, double t_seconds);
/* Mean motion over [t, t + h], as a rigid body. */
void sb_collider_motion_over(sb_collider *collider, double t_seconds, double h_seconds, sb_collider_motion *motion);
void sb_collider_velocity(const sb_collider_motion *motion, const double p[3], double velocity[3]);

static inline double sb_collider_distance(const sb_collider *collider, double margin, const double p[3], double n[3])
{
  return collider->shape->distance(collider->value, margin, collider->point, p, n);
}

typedef struct sb_self_contact sb_self_contact;

/* For `vertices` vertices without springs. NULL if memory is out. */
sb_self_contact *sb_self_contact_create(double thickness, size_t vertices);
void             sb_self_contact_destroy(sb_self_contact **self);
/* As sb_contact_set_springs; the ends are vertices the list was made for. */
bool sb_self_contact_set_springs(sb_self_contact *self, size_t springs, const int *first, const int *second);
/* Removes the approach of every pair in turn, by ascending first, then second vertex. Returns the number of pairs
 * closer than thickness. Vertices without a finite place are ignored. count is at most the `vertices` of create. */
int64_t sb_self_contact_filter(sb_self_contact *self, size_t count, const bool *pinned, const double *mass,
                               const double *position, double *velocity);

struct sb_contact {
  bool                filters, pushes, implicit; /* colliders act on velocities, as a force, within the potential */
  double              margin, stiffness, restitution, friction;
  size_t              colliders;
  sb_collider        *collider;
  sb_collider        *pushing; /* [colliders] the same at the time of a push (contact.h) */
  sb_composite       *values;  /* [colliders] owned copies */
  bool                touches_itself;
  double              thickness;
  sb_self_contact    *self; /* NULL until springs are set */
  bool                resolves;
  sb_surface_contact *surface; /* NULL until it is set */
  sb_collider_motion *motion;  /* [colliders] over the step of the filter */
  sb_contact_measures measures;
};
