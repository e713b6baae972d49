/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The distinct edges of the cells of a mesh, for springs, and the surface of a volume, for pictures. Local.
 *
 * Time and memory are linear in cells and vertices. Corners are vertex numbers, 0 to vertices - 1, and differ within a
 * cell; the caller, which knows the line of the file, has checked both. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { SB_LINES, SB_TRIANGLES, SB_QUADS, SB_TETRAHEDRA } sb_cell_kind;

/* Cells of one kind; corner [cells][2, 3, 4 or 4 by kind], borrowed. A quad has its four sides as edges, a tetrahedron
 * all six pairs. */
typedef struct {
  sb_cell_kind   kind;
  size_t         cells;
  const int32_t *corner;
} sb_cells;

/* The distinct edges of several blocks of cells: *ends [*edges][2], malloc'ed, the smaller vertex first, sorted by
 * (smaller, larger). False, with nothing allocated, if memory is out or there are more than 2^31 - 1. */
bool sb_edges_of_cells(size_t vertices, size_t blocks, const sb_cells *block, size_t *edges, int32_t **ends);

/* The faces that belong to only one tetrahedron, in the order of the cells: *triangle [*triangles][3], malloc'ed,
 * outward (counter-clockwise from outside) for any orientation of the cells. False if memory is out. */
bool sb_surface_of_tetrahedra(size_t vertices, const double *position, size_t cells, const int32_t *corner,
                              size_t *triangles, int32_t **triangle);
