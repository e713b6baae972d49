/* Contact of the surface of a net with itself, as a filter on whole steps (docs/model.md section 6): from places at
 * which no vertex touches a triangle and no edge an edge, to others, so that none meets another on the straight ways
 * between. Parts are surface_contact.c (which pairs may touch), surface_impulse.c (what pairs do to each other) and
 * surface_zone.c (what helps where that has no end). For contact*.c and surface_*.c only; everyone else reads
 * contact.h.
 *
 * Whatever was found in earlier steps only saves work: a step depends on its start, end and options alone. Local. */
#pragma once

#include "model/contact/contact.h"
#include "model/contact/pair_finder.h"

typedef struct sb_surface_contact sb_surface_contact;

typedef struct {
  double thickness; /* m: pairs nearer than this, and than they were initially, push each other */
  double stiffness; /* N/m: by so much for each metre that they are too near */
  double friction;  /* Coulomb's coefficient */
} sb_surface_law;

/* Copies all. NULL when memory is out. */
sb_surface_contact *sb_surface_contact_create(sb_surface_law law, size_t vertices, size_t triangles,
                                              const int32_t *triangle, const double *initial);
void                sb_surface_contact_destroy(sb_surface_contact **self);

/* Contact's colliders as the filter meets them: takes the way of the vertex at `place` back to where it does not go
 * deeper into one than its unfiltered way did, or than it is. False when it already does not. */
typedef bool sb_hold(void *colliders, const double place[3], const double wish[3], double way[3]);

typedef struct {
  const sb_contact_points *start;
  double                   h_seconds;
  sb_hold                 *hold; /* NULL: nothing holds */
  void                    *colliders;
} sb_surface_step;

typedef struct {
  int64_t touching; /* pairs nearer than they may be, at the start of the step */
  int64_t met;      /* impulses against pairs that would have met */
  int64_t zones;    /* bodies that helped where these had no end */
} sb_surface_tally;

/* Takes `end` [vertices][3] to where a free step leads; pinned vertices stay as they are. Where there is none, `end` is
 * left alone, and `why` says so for people. */
sb_contact_verdict sb_surface_contact_filter(sb_surface_contact *self, const sb_surface_step *step, double *end,
                                             sb_surface_tally *tally, char *why, size_t why_size);
