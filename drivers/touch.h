/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Geometry of a net's triangles relative to each other and to colliders, per frame: intersections, distances of layers,
 * depths of faces. Nets without triangles have no measures. Collective; rank 0 measures. */
#pragma once

#include "cases/store/checkpoint.h"
#include "drivers/setup.h"
#include "model/contact/pair_finder.h"

typedef struct {
  const sb_case    *c;
  const sb_surface *surface; /* NULL: no triangles */
  sb_pair_finder   *finder;  /* rank 0 */
  VecScatter        scatter; /* with several ranks, onto rank 0 */
  Vec               gathered;
  int64_t           seen, stride;   /* frames; every stride-th of them is measured, and the last */
  int64_t           cuts, cuts_max; /* in the last frame, in all frames */
  double            face_depth_max; /* m */
  double            margin;         /* least over frames; INFINITY: not measured */
  sb_gap            gap;            /* in the last frame */
} sb_touch;

/* The columns that sb_touch_record fills: for the tables of drivers. */
#define SB_TOUCH_COLUMNS                                                                                               \
  {"face_penetration_max", "m",                                                                                        \
   "largest depth of a triangle's deepest point in a collider, over all frames, or without self-contact "              \
   "over at most a hundred; blank without contact",                                                                    \
   .timing = false},                                                                                                   \
      {"intersecting_pairs", "",                                                                                       \
       "pairs of triangles without a common vertex that intersect in the last frame; blank without triangles",         \
       .timing = false},                                                                                               \
      {"intersecting_pairs_max", "", "largest number of such pairs in those frames", .timing = false},                 \
      {"gap_min", "m",                                                                                                 \
       "least distance of a vertex to a triangle beyond two rings of edges, last frame; blank: none is that far",      \
       .timing = false},                                                                                               \
      {"thickness_margin", "",                                                                                         \
       "least, over frames, of thickness / the thickness with which balls around vertices let nothing "                \
       "through in a step; contact of vertices is reliable only above 1; blank without self_contact=vertices",         \
       .timing = false},                                                                                               \
      {"gap_median", "m",                                                                                              \
       "median over vertices of the distance of gap_mean: the distance of layers if most of a net lies in layers",     \
       .timing = false},                                                                                               \
  {                                                                                                                    \
    "gap_mean", "m", "mean over vertices of the distance to the nearest triangle beyond two rings, last frame",        \
        .timing = false                                                                                                \
  }

PetscErrorCode sb_touch_create(const sb_setup *setup, const sb_case *c, sb_touch *touch);
/* A frame at positions x with velocities v; the last one has additional measures. */
typedef struct {
  double seconds;
  Vec    x, v;
  bool   last;
} sb_touch_state;
PetscErrorCode sb_touch_frame(sb_touch *touch, const sb_system *system, const sb_touch_state *state);
/* Passes the measures so far through a checkpoint. */
void           sb_touch_keep(sb_touch *touch, sb_checkpoint *checkpoint);
PetscErrorCode sb_touch_record(const sb_touch *touch, const sb_system *system, sb_recorder *recorder);
PetscErrorCode sb_touch_clear(sb_touch *touch);
