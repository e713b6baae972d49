/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The graph of a net, for methods that visit its vertices or springs one after the other: springs of each vertex,
 * orders of visits, colours. On one rank. */
#pragma once

#include "solvers/minimize/minimizer_method.h"

/* Springs by vertex, those of vertex i at [start[i], start[i + 1]), in the order of the net's list. */
typedef struct {
  PetscInt  count;                   /* vertices */
  PetscInt *start;                   /* [count + ghosts + 1] */
  PetscInt *spring, *other;          /* the spring's number, its other end */
  double   *stiffness, *rest_length; /* N/m, m */
} sb_incidence;

PetscErrorCode sb_incidence_create(const sb_system *system, sb_incidence *incidence);
PetscErrorCode sb_incidence_destroy(sb_incidence *incidence);

/* An order of visits: by numbers, or by colours and then by numbers. No two items of a colour are neighbours, so that
 * those of one could be visited at once (solvers/linear/colouring.h). */
typedef struct {
  PetscInt  count, colours; /* colours 0: by numbers */
  PetscInt *at;             /* [count] the items in order */
  PetscInt *start;          /* [colours + 1] the first of each colour; NULL: by numbers */
} sb_visits;

/* Free vertices; neighbours share a spring. */
PetscErrorCode sb_visits_of_vertices(const sb_system *system, const sb_incidence *incidence, bool by_colours,
                                     sb_visits *visits);
/* Springs with a free end; neighbours share a free end. */
PetscErrorCode sb_visits_of_springs(const sb_system *system, const sb_incidence *incidence, bool by_colours,
                                    sb_visits *visits);
PetscErrorCode sb_visits_destroy(sb_visits *visits);

/* place (full) = y + h^2 M^-1 p with the potential's load p: the place of free vertices by inertia only; pinned ones as
 * in y. *finite: all of it and all of z is finite. */
PetscErrorCode sb_potential_free_flight(const sb_potential *potential, Vec z, Vec place, bool *finite);
