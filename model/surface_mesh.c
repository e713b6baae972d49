/* The triangles of a net and their distinct edges; see surface_mesh.h. */
#include "model/surface_mesh.h"

#include <math.h>
#include <stdlib.h>

#include "model/edges.h"
#include "model/vector3.h"

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
