/* Colours of the vertices of a graph, neighbours never of one colour: greedy, vertices of most neighbours first, each
 * with the least colour that no neighbour has (Welsh, Powell 1967, doi:10.1093/comjnl/10.1.85). At most one colour more
 * than the most neighbours of a vertex; the fewest are NP-hard to find. */
#pragma once

#include <petscsys.h>

/* Of each vertex v the neighbours neighbour[start[v]] .. neighbour[start[v + 1] - 1]: both ways, without v itself; one
 * may be named more than once. */
typedef struct {
  PetscInt        vertices;
  const PetscInt *start, *neighbour; /* [vertices + 1], [start[vertices]] */
} sb_graph;

/* colour [vertices], from 0; *count: how many. Ties by number, so it is the same wherever it runs. Local. */
PetscErrorCode sb_colour_largest_first(const sb_graph *graph, PetscInt *colour, PetscInt *count);
