/* Pairs of parts of a surface that may touch, found in time near linear in the surface. Local.
 *
 * A pair is listed when the boxes of its parts over a motion, each widened by half a radius, meet, and the parts have
 * no vertex in common. The list is complete, has every pair once, and its order depends on the positions only. */
#pragma once

#include "model/maths/proximity.h"
#include "model/mesh/surface_mesh.h"

typedef struct sb_pair_finder sb_pair_finder;

/* Keeps the surface borrowed. NULL when memory is out. */
sb_pair_finder *sb_pair_finder_create(const sb_surface *surface);
void            sb_pair_finder_destroy(sb_pair_finder **finder);
/* The pairs over the straight motion from `from` to `to` (both [vertices][3]; the same array: at rest), widened so that
 * every pair that ever comes nearer than `radius` metres is there. *pair is the finder's, good until the next find.
 * False when memory is out. Vertices without a finite place take no part. */
bool sb_pair_finder_find(sb_pair_finder *finder, const double *from, const double *to, double radius, size_t *count,
                         const sb_pair **pair);
/* Triangles that cut each other: pairs of triangles without a common vertex that have a point in common, by
 * sb_triangles_meet. Triangles with a vertex that has no finite place cut none. */
int64_t sb_pair_finder_intersections(sb_pair_finder *finder, const double *position);

/* How near a surface comes to itself: of every vertex the distance to the nearest triangle beyond two rings, one none
 * of whose corners is within two edges of it. On a flat sheet, and where one is bent, that is some distance along it:
 * the median, which a fold does not move, tells the distance of layers where most of a surface lies in layers. */
typedef struct {
  size_t vertices;            /* that have one; without any the others are 0 */
  double least, mean, median; /* m */
} sb_gap;
/* False when memory is out. */
bool sb_pair_finder_gap(sb_pair_finder *finder, const double *position, sb_gap *gap);
