/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The distinct edges of a mesh; see edges.h.
 *
 * Two counting sorts, no comparison. Edges first go to the bucket of their larger end, where a mark per smaller end
 * finds repetitions. Read in that order, they go to the bucket of their smaller end, so that each bucket is ascending.
 */
#include "model/mesh/edges.h"

#include <stdlib.h>

typedef struct {
  int corners, edges;
  int edge[6][2]; /* by corner of the cell */
} cell_shape;

static const cell_shape shapes[] = {
    [SB_LINES] = {2, 1, {{0, 1}}},
    [SB_TRIANGLES] = {3, 3, {{0, 1}, {1, 2}, {2, 0}}},
    [SB_QUADS] = {4, 4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}},
    [SB_TETRAHEDRA] = {4, 6, {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}},
};

/* Numbers thrown into the buckets of vertices: those of v are entry[start[v]] to entry[start[v + 1] - 1]. While they
 * are filled, start[v + 1] is where the next one of v goes, which ends as the start of v + 1. */
typedef struct {
  size_t  *start; /* [vertices + 2] */
  int32_t *entry;
} buckets;

static bool open_buckets(buckets *b, size_t vertices)
{
  *b = (buckets){.start = calloc(vertices + 2, sizeof *b->start)};
  return b->start != NULL;
}

/* Computes the beginning of the buckets of v from their sizes, counted in start[v + 2]; returns the total. */
static size_t place_buckets(buckets *b, size_t vertices)
{
  for (size_t v = 1; v < vertices + 2; ++v) b->start[v] += b->start[v - 1];
  const size_t entries = b->start[vertices + 1];
  b->entry = malloc((entries ? entries : 1) * sizeof *b->entry);
  return entries;
}

static void close_buckets(buckets *b)
{
  free(b->start);
  free(b->entry);
}

static void count_edges(const sb_cells *cells, buckets *b)
{
  const cell_shape *shape = &shapes[cells->kind];
  const int32_t    *corner = cells->corner;
  for (size_t c = 0; c < cells->cells; ++c, corner += shape->corners)
    for (int e = 0; e < shape->edges; ++e) {
      const int32_t p = corner[shape->edge[e][0]], q = corner[shape->edge[e][1]];
      ++b->start[(size_t)(p > q ? p : q) + 2];
    }
}

static void throw_edges(const sb_cells *cells, buckets *b)
{
  const cell_shape *shape = &shapes[cells->kind];
  const int32_t    *corner = cells->corner;
  for (size_t c = 0; c < cells->cells; ++c, corner += shape->corners)
    for (int e = 0; e < shape->edges; ++e) {
      const int32_t p = corner[shape->edge[e][0]], q = corner[shape->edge[e][1]];
      b->entry[b->start[(size_t)(p > q ? p : q) + 1]++] = p < q ? p : q;
    }
}

static bool sort_by_larger(size_t vertices, size_t blocks, const sb_cells *block, buckets *b)
{
  if (!open_buckets(b, vertices)) return false;
  for (size_t i = 0; i < blocks; ++i) count_edges(&block[i], b);
  place_buckets(b, vertices);
  if (!b->entry) return false;
  for (size_t i = 0; i < blocks; ++i) throw_edges(&block[i], b);
  return true;
}

/* Leaves one of equal edges: bucket v keeps its first size[v] entries. last_larger[s]: the bucket that had s last. */
static bool drop_repetitions(size_t vertices, const buckets *b, int32_t *size)
{
  int32_t *last_larger = calloc(vertices, sizeof *last_larger); /* 0 is the larger end of no edge */
  if (!last_larger) return false;
  for (size_t v = 0; v < vertices; ++v) {
    int32_t *bucket = b->entry + b->start[v];
    size_t   kept = 0;
    for (size_t e = b->start[v]; e < b->start[v + 1]; ++e) {
      const int32_t smaller = b->entry[e];
      if (last_larger[smaller] == (int32_t)v) continue;
      last_larger[smaller] = (int32_t)v;
      bucket[kept++] = smaller;
    }
    size[v] = (int32_t)kept; /* distinct vertices below v */
  }
  free(last_larger);
  return true;
}

/* Buckets of smaller ends, filled in the order of the larger ones: ascending. */
static bool sort_by_smaller(size_t vertices, const buckets *larger, const int32_t *size, buckets *b)
{
  if (!open_buckets(b, vertices)) return false;
  for (size_t v = 0; v < vertices; ++v)
    for (int32_t e = 0; e < size[v]; ++e) ++b->start[(size_t)larger->entry[larger->start[v] + (size_t)e] + 2];
  const size_t entries = place_buckets(b, vertices);
  if (!b->entry || entries > INT32_MAX) return false;
  for (size_t v = 0; v < vertices; ++v)
    for (int32_t e = 0; e < size[v]; ++e) {
      const size_t smaller = (size_t)larger->entry[larger->start[v] + (size_t)e];
      b->entry[b->start[smaller + 1]++] = (int32_t)v;
    }
  return true;
}

static bool list_edges(size_t vertices, const buckets *b, size_t *edges, int32_t **ends)
{
  *edges = b->start[vertices];
  *ends = malloc((*edges ? 2 * *edges : 1) * sizeof **ends);
  if (!*ends) return false;
  for (size_t v = 0; v < vertices; ++v)
    for (size_t e = b->start[v]; e < b->start[v + 1]; ++e) {
      (*ends)[2 * e] = (int32_t)v;
      (*ends)[2 * e + 1] = b->entry[e];
    }
  return true;
}

bool sb_edges_of_cells(size_t vertices, size_t blocks, const sb_cells *block, size_t *edges, int32_t **ends)
{
  *edges = 0;
  *ends = NULL;
  buckets  larger = {0}, smaller = {0};
  int32_t *size = calloc(vertices + 1, sizeof *size);
  bool     good = size && vertices <= INT32_MAX && sort_by_larger(vertices, blocks, block, &larger);
  good = good && drop_repetitions(vertices, &larger, size) && sort_by_smaller(vertices, &larger, size, &smaller);
  close_buckets(&larger);
  free(size);
  good = good && list_edges(vertices, &smaller, edges, ends);
  close_buckets(&smaller);
  return good;
}
