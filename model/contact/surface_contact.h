/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contact of the surface of a net with itself, as a filter on whole steps (docs/model.md section 6). From places where
 * no vertex touches a triangle and no edge an edge, it computes new places so that none meet on the straight ways
 * between. Its parts are surface_contact.c (which pairs may touch), surface_impulse.c (impulses on pairs) and
 * surface_zone.c (bodies, if impulses do not suffice). For contact*.c and surface_*.c only; other files include
 * contact.h.
 *
 * Results of earlier steps only save work: a step depends only on its start, end and options. Local. */
#pragma once

#include "model/contact/contact.h"
#include "model/contact/pair_finder.h"

typedef struct sb_surface_contact sb_surface_contact;

typedef struct {
  double thickness; /* m: pairs nearer than this, and nearer than initially, push each other */
  double stiffness; /* N/m: force per metre that they are too near */
  double friction;  /* Coulomb's coefficient */
} sb_surface_law;

/* Copies all arguments. NULL if memory is out. */
sb_surface_contact *sb_surface_contact_create(sb_surface_law law, size_t vertices, size_t triangles,
                                              const int32_t *triangle, const double *initial);
void                sb_surface_contact_destroy(sb_surface_contact **self);

/* Limits the way of the vertex at `place` so that it goes no deeper into a collider than its unfiltered way `wish`, or
 * than it already is. False if the way needs no limit. */
typedef bool sb_hold(void *colliders, const double place[3], const double wish[3], double way[3]);

typedef struct {
  const sb_contact_points *start;
  double                   h_seconds;
  sb_hold                 *hold; /* NULL: no colliders */
  void                    *colliders;
} sb_surface_step;

typedef struct {
  int64_t touching; /* pairs nearer than allowed at the start of the step */
  int64_t met;      /* impulses against pairs that would have met */
  int64_t zones;    /* bodies made where these did not end */
} sb_surface_tally;

/* Changes `end` [vertices][3] to the end of a free step; pinned vertices do not move. If there is none, `end` is
 * unchanged and `why` has a message for the user. */
sb_contact_verdict sb_surface_contact_filter(sb_surface_contact *self, const sb_surface_step *step, double *end,
                                             sb_surface_tally *tally, char *why, size_t why_size);
