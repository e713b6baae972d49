/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The triangles of a net and their distinct edges; see surface_mesh.h. */
#include "model/mesh/surface_mesh.h"

#include <math.h>
#include <stdlib.h>

#include "model/maths/vector3.h"
#include "model/mesh/edges.h"

sb_surface *sb_surface_create(size_t vertices, size_t triangles, const int32_t *triangle)
{
  sb_surface *surface = calloc(1, sizeof *surface);
  if (!surface) return NULL;
  *surface = (sb_surface){.vertices = vertices, .triangles = triangles};
  surface->triangle = malloc((triangles ? triangles : 1) * sizeof(int[3]));
  const sb_cells cells = {SB_TRIANGLES, triangles, triangle};
  if (!surface->triangle || !sb_edges_of_cells(vertices, 1, &cells, &surface->edges, &surface->edge)) {
    sb_surface_destroy(&surface);
    return NULL;
  }
  for (size_t i = 0; i < 3 * triangles; ++i) surface->triangle[i] = triangle[i];
  return surface;
}

void sb_surface_destroy(sb_surface **surface)
{
  if (!*surface) return;
  free((*surface)->triangle);
  free((*surface)->edge);
  free(*surface);
  *surface = NULL;
}

void sb_surface_edge_range(const sb_surface *surface, const double *position, double *shortest, double *longest)
{
  double least = INFINITY, most = 0;
  for (size_t e = 0; e < surface->edges; ++e) {
    double along[3];
    sb_subtract(position + 3 * (size_t)surface->edge[2 * e], position + 3 * (size_t)surface->edge[2 * e + 1], along);
    const double square = sb_dot(along, along);
    least = fmin(least, square);
    most = fmax(most, square);
  }
  *shortest = surface->edges > 0 ? sqrt(least) : 0;
  *longest = sqrt(most);
}

/* With c the longest side: the circumradius a b c / 4 A. If its angle is obtuse, the point farthest from all corners is
 * on c, across the middle of a or b: a/(2 cos B) or b/(2 cos A). */
static double cover_of(const double p[3], const double q[3], const double r[3])
{
  double side[3][3], square[3], normal[3];
  sb_subtract(q, p, side[0]);
  sb_subtract(r, q, side[1]);
  sb_subtract(p, r, side[2]);
  int longest = 0;
  for (int i = 0; i < 3; ++i) {
    square[i] = sb_dot(side[i], side[i]);
    if (square[i] > square[longest]) longest = i;
  }
  const int    a = (longest + 1) % 3, b = (longest + 2) % 3;
  const double a2 = square[a], b2 = square[b], c2 = square[longest];
  if (!(c2 > 0)) return 0;
  if (a2 + b2 <= c2) /* c.(-a) = c a cos B; a side without length does not count */
    return 0.5 * sqrt(c2) * fmax(a2 / -sb_dot(side[longest], side[a]), b2 / -sb_dot(side[longest], side[b]));
  sb_cross(side[0], side[1], normal);
  return 0.5 * sqrt(a2 * b2 * c2 / sb_dot(normal, normal));
}

double sb_triangles_cover(size_t triangles, const int *triangle, const double *position)
{
  double most = 0;
  for (size_t t = 0; t < triangles; ++t) {
    const double *corner[3];
    for (size_t c = 0; c < 3; ++c) corner[c] = position + 3 * (size_t)triangle[3 * t + c];
    most = fmax(most, cover_of(corner[0], corner[1], corner[2]));
  }
  return most;
}
