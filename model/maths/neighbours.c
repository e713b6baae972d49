/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points near a point, by cells; see neighbours.h.
 *
 * Cells have the edge 2 R, so that the ball of radius R around a point reaches 2 of them along each axis, 8 in all.
 * Blocks of 4^3 cells are hashed to places in a list of buckets, one per cell, so that neighbours stay near in memory;
 * a bucket lists its points in ascending order (counting sort). */
#include "model/maths/neighbours.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/maths/vector3.h"

enum { REACHED = 8, BLOCK = 64 };
/* Beyond this many cells from the origin a coordinate does not resolve a cell. */
static const double cells_max = 1e15;
/* Cells are slightly wider than 2 R, so that the rounding of x/(2 R) loses no point. */
static const double cell_slack = 1e-6;
/* Odd numbers without pattern: digits of the fractions of sqrt 2, 3, 5 and pi. */
static const uint64_t factor[3] = {0x6a09e667f3bcc909u, 0xbb67ae8584caa73bu, 0x3c6ef372fe94f82bu};
static const uint64_t mixer = 0x243f6a8885a308d3u;

struct sb_neighbours {
  double        radius, per_cell; /* 1 over a cell's edge */
  size_t        points, buckets;  /* room for; a power of 2 */
  unsigned      shift;            /* of a 64-bit hash, down to a bucket */
  int          *start;            /* [buckets + 1] into sorted */
  int          *sorted;           /* [points] by bucket, then ascending */
  int          *bucket;           /* [points], -1: ignored */
  int          *near, *spare;     /* [points] */
  const double *position;         /* borrowed: as last sorted */
};

sb_neighbours *sb_neighbours_create(double radius, size_t points)
{
  sb_neighbours *n = calloc(1, sizeof *n);
  if (!n) return NULL;
  n->radius = radius;
  n->per_cell = 1.0 / (2.0 * radius * (1.0 + cell_slack));
  n->points = points;
  n->buckets = BLOCK;
  for (n->shift = 64 - 6; n->buckets < 2 * points; n->shift--) n->buckets *= 2;
  n->start = malloc((n->buckets + 1) * sizeof *n->start);
  n->sorted = malloc((points + 1) * sizeof *n->sorted);
  n->bucket = malloc((points + 1) * sizeof *n->bucket);
  n->near = malloc((points + 1) * sizeof *n->near);
  n->spare = malloc((points + 1) * sizeof *n->spare);
  if (!n->start || !n->sorted || !n->bucket || !n->near || !n->spare) sb_neighbours_destroy(&n);
  return n;
}

void sb_neighbours_destroy(sb_neighbours **n)
{
  sb_neighbours *old = *n;
  if (!old) return;
  free(old->start);
  free(old->sorted);
  free(old->bucket);
  free(old->near);
  free(old->spare);
  free(old);
  *n = NULL;
}

/* Along an axis: the terms of the block and of the place in it in a hash, for p's own cell and for the other one that
 * its ball reaches. */
typedef struct {
  uint64_t block[2];
  unsigned place[2];
} axis_cells;

/* False if p is not finite or too far out. */
static bool locate(const sb_neighbours *n, const double p[3], axis_cells axis[3])
{
  for (unsigned c = 0; c < 3; ++c) {
    const double q = p[c] * n->per_cell;
    if (!(fabs(q) < cells_max)) return false;
    int64_t cell = (int64_t)q;
    cell -= q < (double)cell;
    const uint64_t own = (uint64_t)cell, other = q - (double)cell < 0.5 ? own - 1 : own + 1;
    axis[c] = (axis_cells){{(own >> 2) * factor[c], (other >> 2) * factor[c]},
                           {(unsigned)(own & 3) << 2 * c, (unsigned)(other & 3) << 2 * c}};
  }
  return true;
}

/* The bucket of a corner's cell: bits 0, 1, 2 choose own or other along x, y, z. */
static inline int bucket_of(const sb_neighbours *n, const axis_cells axis[3], unsigned corner)
{
  const unsigned x = corner & 1, y = corner >> 1 & 1, z = corner >> 2;
  const uint64_t key = axis[0].block[x] + axis[1].block[y] + axis[2].block[z];
  const uint64_t place = axis[0].place[x] + axis[1].place[y] + axis[2].place[z];
  return (int)((((key ^ (key >> 32)) * mixer) >> n->shift) ^ place);
}

void sb_neighbours_sort(sb_neighbours *n, size_t count, const double *position)
{
  int *start = n->start;
  n->position = position;
  memset(start, 0, (n->buckets + 1) * sizeof *start);
  for (size_t i = 0; i < count; ++i) {
    axis_cells axis[3];
    const bool located = locate(n, position + 3 * i, axis);
    n->bucket[i] = located ? bucket_of(n, axis, 0) : -1;
    if (located) start[n->bucket[i]]++;
  }
  for (size_t b = 0; b < n->buckets; ++b) start[b + 1] += start[b];
  for (size_t i = count; i-- > 0;)
    if (n->bucket[i] >= 0) n->sorted[--start[n->bucket[i]]] = (int)i;
}

/* The different buckets of the cells that the ball around p reaches, those without vertices left out. */
static size_t reached_buckets(const sb_neighbours *n, const double p[3], int buckets[REACHED])
{
  axis_cells axis[3];
  size_t     found = 0;
  if (!locate(n, p, axis)) return 0;
  for (unsigned corner = 0; corner < REACHED; ++corner) {
    const int b = bucket_of(n, axis, corner);
    bool      is_new = n->start[b] < n->start[b + 1];
    for (size_t k = 0; is_new && k < found; ++k) is_new = buckets[k] != b;
    buckets[found] = b;
    found += is_new;
  }
  return found;
}

/* near[0, count) and near[count, count + more) ascend each; afterwards all of it. */
static void merge(sb_neighbours *n, size_t count, size_t more)
{
  int   *near = n->near;
  size_t a = count, b = more, end = count + more;
  if (count == 0 || more == 0 || near[count - 1] < near[count]) return;
  memcpy(n->spare, near + count, more * sizeof *near);
  while (b > 0) {
    const bool from_first = a > 0 && near[a - 1] > n->spare[b - 1];
    near[--end] = from_first ? near[--a] : n->spare[--b];
  }
}

size_t sb_neighbours_find(sb_neighbours *n, const double p[3], int after, const int **near)
{
  const double square = n->radius * n->radius;
  int          buckets[REACHED];
  const size_t reached = reached_buckets(n, p, buckets);
  size_t       count = 0;
  for (size_t k = 0; k < reached; ++k) {
    size_t more = 0;
    for (int s = n->start[buckets[k]]; s < n->start[buckets[k] + 1]; ++s) {
      const int     j = n->sorted[s];
      const double *q = n->position + 3 * (size_t)j, d[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
      if (j > after && sb_dot(d, d) < square) n->near[count + more++] = j;
    }
    merge(n, count, more);
    count += more;
  }
  *near = n->near;
  return count;
}
