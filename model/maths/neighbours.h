/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds points closer to a place than a radius, in time linear in the points and in the results. Local.
 *
 * For vertices of a net that touches itself, and for particles. */
#pragma once

#include <stddef.h>

typedef struct sb_neighbours sb_neighbours;

/* Radius in m, above 0; room for `points` points. NULL if memory is out. */
sb_neighbours *sb_neighbours_create(double radius, size_t points);
void           sb_neighbours_destroy(sb_neighbours **neighbours);
/* Takes places [count][3] in m, borrowed; count is at most the room. Points that are not finite, or farther from the
 * origin than 1e15 cells, have no neighbours. */
void sb_neighbours_sort(sb_neighbours *neighbours, size_t count, const double *position);
/* near = the numbers above `after` (-1: all) of the points closer to p than the radius, ascending. Returns their count.
 * Valid until the next call. */
size_t sb_neighbours_find(sb_neighbours *neighbours, const double p[3], int after, const int **near);
