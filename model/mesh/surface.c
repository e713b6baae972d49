/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The surface of a volume of tetrahedra: the faces that only one of them has; see edges.h.
 *
 * Faces are thrown into the bucket of their smallest corner and sorted there by the other two, so that the two sides of
 * an inner face lie next to each other. */
#include "model/mesh/edges.h"

#include <stdlib.h>

/* The face opposite each corner, counter-clockwise from outside when (1 - 0) x (2 - 0) . (3 - 0) > 0. */
static const int opposite[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

/* One face: its corners ascending after the first, which is the bucket, and 4 cell + opposite corner. */
typedef struct {
  int32_t middle, largest;
  size_t  face;
} side;

static void sort_three(int32_t v[3])
{
  for (int pass = 0; pass < 2; ++pass)
    for (int i = 0; i < 2; ++i)
      if (v[i] > v[i + 1]) {
        const int32_t swap = v[i];
        v[i] = v[i + 1];
        v[i + 1] = swap;
      }
}

static void corners_of(const int32_t *corner, size_t face, int32_t v[3])
{
  for (int i = 0; i < 3; ++i) v[i] = corner[4 * (face / 4) + (size_t)opposite[face % 4][i]];
}

static int compare_sides(const void *left, const void *right)
{
  const side *a = left, *b = right;
  if (a->middle != b->middle) return a->middle < b->middle ? -1 : 1;
  if (a->largest != b->largest) return a->largest < b->largest ? -1 : 1;
  return (a->face > b->face) - (a->face < b->face);
}

/* Faces in buckets of their smallest corner: those of v from start[v] on. start [vertices + 2], zeroed. */
static void throw_faces(size_t vertices, size_t faces, const int32_t *corner, size_t *start, side *sides)
{
  int32_t v[3];
  for (size_t f = 0; f < faces; ++f) {
    corners_of(corner, f, v);
    sort_three(v);
    ++start[v[0] + 2];
  }
  for (size_t i = 1; i < vertices + 2; ++i) start[i] += start[i - 1];
  for (size_t f = 0; f < faces; ++f) {
    corners_of(corner, f, v);
    sort_three(v);
    sides[start[v[0] + 1]++] = (side){v[1], v[2], f};
  }
}

static void mark_alone(size_t count, side *sides, bool *alone)
{
  qsort(sides, count, sizeof *sides, compare_sides);
  for (size_t i = 0, next; i < count; i = next) {
    for (next = i + 1; next < count; ++next)
      if (sides[next].middle != sides[i].middle || sides[next].largest != sides[i].largest) break;
    alone[sides[i].face] = next == i + 1;
  }
}

/* alone[face]: only one cell has it. */
static bool find_alone(size_t vertices, size_t faces, const int32_t *corner, bool *alone)
{
  size_t *start = calloc(vertices + 2, sizeof *start);
  side   *sides = malloc((faces ? faces : 1) * sizeof *sides);
  if (start && sides) {
    throw_faces(vertices, faces, corner, start, sides);
    for (size_t v = 0; v < vertices; ++v) mark_alone(start[v + 1] - start[v], sides + start[v], alone);
  }
  const bool good = start && sides;
  free(start);
  free(sides);
  return good;
}

/* Six times the volume, with the sign of the orientation. */
static double volume6(const double *position, const int32_t *cell)
{
  double d[3][3];
  for (int i = 0; i < 3; ++i)
    for (int c = 0; c < 3; ++c)
      d[i][c] = position[3 * (size_t)cell[i + 1] + (size_t)c] - position[3 * (size_t)cell[0] + (size_t)c];
  return d[2][0] * (d[0][1] * d[1][2] - d[0][2] * d[1][1]) + d[2][1] * (d[0][2] * d[1][0] - d[0][0] * d[1][2]) +
         d[2][2] * (d[0][0] * d[1][1] - d[0][1] * d[1][0]);
}

static void put_face(const double *position, const int32_t *corner, size_t face, int32_t *triangle)
{
  corners_of(corner, face, triangle);
  if (volume6(position, corner + 4 * (face / 4)) >= 0.0) return;
  const int32_t swap = triangle[1];
  triangle[1] = triangle[2];
  triangle[2] = swap;
}

bool sb_surface_of_tetrahedra(size_t vertices, const double *position, size_t cells, const int32_t *corner,
                              size_t *triangles, int32_t **triangle)
{
  const size_t faces = 4 * cells;
  size_t       count = 0;
  bool        *alone = calloc(faces ? faces : 1, sizeof *alone);
  *triangles = 0;
  *triangle = NULL;
  bool good = alone && find_alone(vertices, faces, corner, alone);
  for (size_t f = 0; good && f < faces; ++f) count += alone[f];
  *triangle = good ? malloc((count ? 3 * count : 1) * sizeof **triangle) : NULL;
  good = *triangle != NULL;
  for (size_t f = 0; good && f < faces; ++f)
    if (alone[f]) put_face(position, corner, f, *triangle + 3 * (*triangles)++);
  free(alone);
  return good;
}
