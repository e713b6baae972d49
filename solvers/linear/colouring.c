/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Greedy colouring, vertices of most neighbours first; see colouring.h. */
#include "solvers/linear/colouring.h"

static PetscInt degree(const sb_graph *graph, PetscInt v) { return graph->start[v + 1] - graph->start[v]; }

/* order [vertices]: by falling degree, then by number. place [most + 2] is room for as many counts. */
static void sort_by_degree(const sb_graph *graph, PetscInt most, PetscInt *place, PetscInt *order)
{
  for (PetscInt d = 0; d <= most + 1; ++d) place[d] = 0;
  for (PetscInt v = 0; v < graph->vertices; ++v) place[most - degree(graph, v) + 1]++;
  for (PetscInt d = 0; d <= most; ++d) place[d + 1] += place[d];
  for (PetscInt v = 0; v < graph->vertices; ++v) order[place[most - degree(graph, v)]++] = v;
}

PetscErrorCode sb_colour_largest_first(const sb_graph *graph, PetscInt *colour, PetscInt *count)
{
  PetscInt  most = 0;
  PetscInt *order, *taken; /* taken [colour]: 1 + the last vertex that saw it at a neighbour */

  PetscFunctionBeginUser;
  for (PetscInt v = 0; v < graph->vertices; ++v) most = PetscMax(most, degree(graph, v));
  PetscCall(PetscMalloc2(graph->vertices, &order, most + 2, &taken));
  sort_by_degree(graph, most, taken, order);
  for (PetscInt c = 0; c <= most; ++c) taken[c] = 0;
  for (PetscInt v = 0; v < graph->vertices; ++v) colour[v] = -1;
  *count = 0;
  for (PetscInt i = 0; i < graph->vertices; ++i) {
    const PetscInt v = order[i];
    PetscInt       c = 0;
    for (PetscInt k = graph->start[v]; k < graph->start[v + 1]; ++k) {
      const PetscInt other = colour[graph->neighbour[k]];
      if (other >= 0) taken[other] = v + 1;
    }
    while (taken[c] == v + 1) ++c;
    colour[v] = c;
    *count = PetscMax(*count, c + 1);
  }
  PetscCall(PetscFree2(order, taken));
  PetscFunctionReturn(0);
}
