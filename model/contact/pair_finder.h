/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds pairs of parts of a surface that may touch, in time near linear in the surface. Local.
 *
 * A pair is listed if the boxes of its parts over a motion, each widened by half a radius, meet, and the parts have no
 * common vertex. The list is complete and has every pair once; its order depends only on the positions. */
#pragma once

#include "model/maths/proximity.h"
#include "model/mesh/surface_mesh.h"

typedef struct sb_pair_finder sb_pair_finder;

/* Borrows the surface. NULL if memory is out. */
sb_pair_finder *sb_pair_finder_create(const sb_surface *surface);
void            sb_pair_finder_destroy(sb_pair_finder **finder);
/* Finds the pairs over the straight motion from `from` to `to` (both [vertices][3]; the same array: at rest). The list
 * has every pair that comes nearer than `radius` metres. The finder owns *pair; it is valid until the next find. False
 * if memory is out. Vertices without a finite place are ignored. */
bool sb_pair_finder_find(sb_pair_finder *finder, const double *from, const double *to, double radius, size_t *count,
                         const sb_pair **pair);
/* Returns the number of pairs of triangles without a common vertex that intersect, by sb_triangles_meet. A triangle
 * with a vertex without a finite place does not count. */
int64_t sb_pair_finder_intersections(sb_pair_finder *finder, const double *position);

/* The gap between layers of a surface: for every vertex, the distance to the nearest triangle beyond two rings, that
 * is, without a corner within two edges of it. On a flat or bent sheet it is a distance along the sheet. The median,
 * which one fold does not change, is the distance of layers if most of the surface lies in layers. */
typedef struct {
  size_t vertices;            /* with such a triangle; if there are none, the others are 0 */
  double least, mean, median; /* m */
} sb_gap;
/* False if memory is out. */
bool sb_pair_finder_gap(sb_pair_finder *finder, const double *position, sb_gap *gap);
