/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private state of surface_contact.c and its parts: the pairs, and the step that is being filtered. All parts use
 * surface_state.c.
 *
 * Ways are displacements over the step, [vertices][3]; where stated, relative to the mean way of the net. */
#pragma once

#include "model/contact/surface_contact.h"
#include "model/maths/vector3.h"

/* A pair that may touch while the list is valid. Until the net has moved by `wake` in total, it is farther apart than
 * the thickness. */
typedef struct {
  sb_pair pair;
  double  wake;
} sb_listed_pair;

/* A pair at the start of the step: weights and direction of its closest points, and the distance that it lacks; at most
 * 0: it does not touch. */
typedef struct {
  double weight[4], n[3], too_near;
} sb_touching;

/* A pair that may touch in this step. */
typedef struct {
  sb_pair     pair;
  double      distance, least; /* m: at the start; distance that it must keep */
  sb_touching at;
} sb_active_pair;

struct sb_surface_contact {
  sb_surface_law  law;
  size_t          vertices;
  double          least; /* m: no step ends with a pair nearer than this, unless it began so */
  sb_surface     *surface;
  sb_pair_finder *finder;
  double         *initial; /* [vertices][3] */
  /* The list is valid while every vertex, relative to `offset`, is within `skin` of its box. */
  size_t          listed, listed_room;
  sb_listed_pair *list;
  double         *low, *high; /* [vertices][3] */
  double          skin, offset[3], moved;
  double         *known; /* [vertices][3] places at the end of the last step */
  bool            knows;
  /* One step. */
  const sb_surface_step *step;
  sb_surface_tally      *tally;
  double                *wish, *way; /* [vertices][3] unfiltered, filtered */
  double                 mean[3];    /* mean of the ways */
  double                 bound;      /* m: upper bound of the distance of ways of active pairs from the mean */
  size_t                 active_count, active_room;
  sb_active_pair        *active;
  int                   *changed; /* [vertices] the last pass that changed its way, 0: none */
  int                    pass;
  /* Zones: rings of vertices; a single vertex is a ring of one. */
  int   *zone, *next; /* [vertices] the representative of its zone; the next vertex in the ring */
  bool  *dirty;       /* [vertices] for a representative: the ways of its members are not yet those of one body */
  bool  *held;        /* [vertices] for a representative: some members are pinned */
  int   *member;      /* [vertices] scratch */
  char  *why;
  size_t why_size;
};

void sb_surface_places(const double *of, const sb_pair *pair, double x[4][3]);
/* To be called after a change of a free vertex's way: applies colliders and notes the pass. */
void sb_surface_note(sb_surface_contact *self, int vertex);
/* True if the pair meets on its way; *part is then the free fraction of it. */
bool sb_surface_meets(const sb_surface_contact *self, const sb_active_pair *active, double *part);
/* True if the way of a vertex of the pair has changed since the previous pass began. */
bool sb_surface_is_news(const sb_surface_contact *self, const sb_pair *pair);

/* surface_impulse.c: pairs that touch stop approaching each other and separate gently. */
void sb_surface_repel(sb_surface_contact *self);
/* One pass over the active pairs: those that would meet get an impulse. True if there was one. */
bool sb_surface_strike(sb_surface_contact *self);

/* surface_zone.c: makes bodies of pairs that still meet until none do. False, with `why`, if that is impossible. */
bool sb_surface_freeze(sb_surface_contact *self);
