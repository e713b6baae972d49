/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A segment goes through a triangle when its ends lie on different sides of the plane, and its line passes the three
 * sides the same way round: signs of volumes of tetrahedra, in long double. */
#include "tests/model/intersections.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "tests/cmocka_all.h"

/* Six times the volume of a, b, c, d; 0 where its sign is in doubt. */
static long double volume(const double *a, const double *b, const double *c, const double *d)
{
  long double m[3][3], size = 0;
  for (int k = 0; k < 3; ++k) {
    m[0][k] = (long double)b[k] - a[k];
    m[1][k] = (long double)c[k] - a[k];
    m[2][k] = (long double)d[k] - a[k];
    for (int row = 0; row < 3; ++row) size = fmaxl(size, fabsl(m[row][k]));
  }
  const long double six = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) +
                          m[0][1] * (m[1][2] * m[2][0] - m[1][0] * m[2][2]) +
                          m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
  return fabsl(six) > 32 * LDBL_EPSILON * size * size * size ? six : 0;
}

static bool goes_through(const double *p, const double *q, const double *a, const double *b, const double *c)
{
  if (!(volume(a, b, c, p) * volume(a, b, c, q) < 0)) return false;
  const long double u = volume(p, q, a, b), v = volume(p, q, b, c), w = volume(p, q, c, a);
  return (u > 0 && v > 0 && w > 0) || (u < 0 && v < 0 && w < 0);
}

typedef struct {
  double low[3], high[3];
} box;

static box box_of(const double *position, const int *triangle)
{
  box b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (size_t k = 0; k < 3; ++k)
    for (size_t c = 0; c < 3; ++c) {
      b.low[c] = fmin(b.low[c], position[3 * (size_t)triangle[k] + c]);
      b.high[c] = fmax(b.high[c], position[3 * (size_t)triangle[k] + c]);
    }
  return b;
}

/* Boxes of triangles, which only save time. */
static box *boxes_of(size_t triangles, const int *triangle, const double *position)
{
  box *boxes = malloc((triangles + 1) * sizeof *boxes);
  assert_non_null(boxes);
  for (size_t t = 0; t < triangles; ++t) boxes[t] = box_of(position, triangle + 3 * t);
  return boxes;
}

static bool are_apart(const box *a, const box *b)
{
  for (int c = 0; c < 3; ++c)
    if (a->low[c] > b->high[c] || b->low[c] > a->high[c]) return true;
  return false;
}

static bool has(const int *t, int vertex) { return t[0] == vertex || t[1] == vertex || t[2] == vertex; }

static bool side_goes_through(const int *s, int side, const int *t, const double *x)
{
  return goes_through(x + 3 * s[side], x + 3 * s[(side + 1) % 3], x + 3 * t[0], x + 3 * t[1], x + 3 * t[2]);
}

static bool cuts(const int *s, const int *t, const double *x)
{
  for (int side = 0; side < 3; ++side)
    if (side_goes_through(s, side, t, x)) return true;
  return false;
}

int64_t sb_test_intersections(size_t triangles, const int *triangle, const double *position)
{
  int64_t count = 0;
  box    *boxes = boxes_of(triangles, triangle, position);
  for (size_t i = 0; i < triangles; ++i)
    for (size_t j = i + 1; j < triangles; ++j) {
      const int *s = triangle + 3 * i, *t = triangle + 3 * j;
      if (are_apart(&boxes[i], &boxes[j]) || has(t, s[0]) || has(t, s[1]) || has(t, s[2])) continue;
      count += cuts(s, t, position) || cuts(t, s, position);
    }
  free(boxes);
  return count;
}

int64_t sb_test_pierced(size_t triangles, const int *triangle, const double *position)
{
  int64_t count = 0;
  box    *boxes = boxes_of(triangles, triangle, position);
  for (size_t i = 0; i < triangles; ++i)
    for (size_t j = 0; j < triangles; ++j) {
      const int *s = triangle + 3 * i, *t = triangle + 3 * j;
      if (are_apart(&boxes[i], &boxes[j])) continue;
      for (int side = 0; side < 3; ++side)
        if (!has(t, s[side]) && !has(t, s[(side + 1) % 3])) count += side_goes_through(s, side, t, position);
    }
  free(boxes);
  return count;
}
