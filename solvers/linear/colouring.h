/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Colours of the vertices of a graph in which neighbours differ. Greedy: vertices with most neighbours first, each with
 * the smallest colour that no neighbour has (Welsh, Powell 1967, doi:10.1093/comjnl/10.1.85). It needs at most one
 * colour more than the largest number of neighbours; the minimum is NP-hard. */
#pragma once

#include <petscsys.h>

/* The neighbours of vertex v are neighbour[start[v]] .. neighbour[start[v + 1] - 1]: both ways, without v itself; one
 * may occur more than once. */
typedef struct {
  PetscInt        vertices;
  const PetscInt *start, *neighbour; /* [vertices + 1], [start[vertices]] */
} sb_graph;

/* colour [vertices], from 0; *count: their number. Ties are broken by number, so the result is the same everywhere.
 * Local. */
PetscErrorCode sb_colour_largest_first(const sb_graph *graph, PetscInt *colour, PetscInt *count);
