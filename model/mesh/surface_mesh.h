/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The surface of a net for contact: its triangles and their distinct edges. Local; it never changes, so it is made once
 * and shared. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  size_t vertices, triangles, edges;
  int   *triangle; /* [triangles][3] */
  int   *edge;     /* [edges][2], the smaller number first, ascending */
} sb_surface;

/* Copies. NULL if memory is out. Triangles have three different corners below `vertices`. */
sb_surface *sb_surface_create(size_t vertices, size_t triangles, const int32_t *triangle);
void        sb_surface_destroy(sb_surface **surface);
/* m: the shortest and the longest edge at these positions [vertices][3]; 0 and 0 without edges. */
void sb_surface_edge_range(const sb_surface *surface, const double *position, double *shortest, double *longest);
/* m: least radius of spheres around the corners of each of these triangles [triangles][3] with which they cover it: the
 * largest circumradius, or less for obtuse triangles. 0 without triangles. */
double sb_triangles_cover(size_t triangles, const int *triangle, const double *position);
