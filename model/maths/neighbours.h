/* Points closer to a place than a radius, found in time linear in the points and in what is found. Local.
 *
 * Of vertices of a net that touches itself, and of particles. */
#pragma once

#include <stddef.h>

typedef struct sb_neighbours sb_neighbours;

/* Radius in m, above 0; room for so many points. NULL when memory is out. */
sb_neighbours *sb_neighbours_create(double radius, size_t points);
void           sb_neighbours_destroy(sb_neighbours **neighbours);
/* Takes these places, [count][3] in m, count at most the room; they stay borrowed. Points that are not finite, or
 * farther from the origin than 1e15 cells, are near nothing. */
void sb_neighbours_sort(sb_neighbours *neighbours, size_t count, const double *position);
/* *near = the numbers above `after` (-1: all) of the points closer to p than the radius, ascending; how many. Good
 * until the next call. */
size_t sb_neighbours_find(sb_neighbours *neighbours, const double p[3], int after, const int **near);
