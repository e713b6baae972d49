/* The inside of surface_contact.c and its parts: what is known of pairs, and the step that is being filtered. Below
 * all of them stands surface_state.c.
 *
 * Ways are displacements over the step, [vertices][3], seen from where the net as a whole goes where that is said. */
#pragma once

#include "model/contact/surface_contact.h"
#include "model/maths/vector3.h"

/* A pair that may touch while the list holds. Before the net has moved by `wake` in all it is farther away than the
 * thickness. */
typedef struct {
  sb_pair pair;
  double  wake;
} sb_listed_pair;

/* How a pair lies at the start that touches: weights and direction of its closest points, and by how much it is nearer
 * than it may be; not above 0: it does not touch. */
typedef struct {
  double weight[4], n[3], too_near;
} sb_touching;

/* A pair that may touch in this step. */
typedef struct {
  sb_pair     pair;
  double      distance, least; /* m: at the start; what it is kept apart by */
  sb_touching at;
} sb_active_pair;

struct sb_surface_contact {
  sb_surface_law  law;
  size_t          vertices;
  double          least; /* m: no step ends with a pair nearer, unless it began so */
  sb_surface     *surface;
  sb_pair_finder *finder;
  double         *initial; /* [vertices][3] */
  /* The list, good while every vertex, seen from `offset`, is within `skin` of its box. */
  size_t          listed, listed_room;
  sb_listed_pair *list;
  double         *low, *high; /* [vertices][3] */
  double          skin, offset[3], moved;
  double         *known; /* [vertices][3] where the last step ended */
  bool            knows;
  /* One step. */
  const sb_surface_step *step;
  sb_surface_tally      *tally;
  double                *wish, *way; /* [vertices][3] unfiltered, filtered */
  double                 mean[3];    /* of ways */
  double                 bound;      /* m: no way differs more from the mean, as far as active pairs go */
  size_t                 active_count, active_room;
  sb_active_pair        *active;
  int                   *changed; /* [vertices] the last pass that changed its way, 0: none */
  int                    pass;
  /* Zones: rings of vertices; a vertex alone is a ring of one. */
  int   *zone, *next; /* [vertices] a vertex that stands for all of it; the next one round */
  bool  *dirty;       /* [vertices] of such a vertex: its members' ways are not one body's yet */
  bool  *held;        /* [vertices] and this one: some of them are pinned */
  int   *member;      /* [vertices] scratch */
  char  *why;
  size_t why_size;
};

void sb_surface_places(const double *of, const sb_pair *pair, double x[4][3]);
/* The way of a free vertex has changed: colliders have their say, and the pass is noted. */
void sb_surface_note(sb_surface_contact *self, int vertex);
/* Would the pair meet on its way? Then *part is how much of it is free. */
bool sb_surface_meets(const sb_surface_contact *self, const sb_active_pair *active, double *part);
/* Has the way of one of the pair's vertices changed since the pass before this one began? */
bool sb_surface_is_news(const sb_surface_contact *self, const sb_pair *pair);

/* surface_impulse.c: pairs that touch stop approaching each other, and part gently. */
void sb_surface_repel(sb_surface_contact *self);
/* One pass over the active pairs: those that would meet get an impulse. True when there was one. */
bool sb_surface_strike(sb_surface_contact *self);

/* surface_zone.c: makes bodies of what still meets until nothing does. False and `why` where there is no way. */
bool sb_surface_freeze(sb_surface_contact *self);
