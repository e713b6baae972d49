/* Contact of the net with itself: pairs of vertices closer than a thickness d, found in time linear in vertices and
 * pairs.
 *
 * Cells have the edge 2 d, so that the ball of radius d around a vertex reaches 2 of them along each axis, 8 in all.
 * Blocks of 4^3 cells are hashed to places in a list of buckets, one per cell, so that neighbours stay near in memory;
 * a bucket lists its vertices in ascending order (counting sort). Of a pair (i, j) at x_i - x_j = r n, r < d, with w =
 * (v_i - v_j).n < 0:
 *
 *   v_i -= m_j/(m_i + m_j) w n,   v_j += m_i/(m_i + m_j) w n
 *
 * and a pinned vertex counts as of infinite mass. */
#include "model/contact_state.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REACHED = 8, BLOCK = 64 };
/* Beyond so many cells from the origin a coordinate does not resolve a cell. */
static const double cells_max = 1e15;
/* Cells a little wider than 2 d: what rounding does to x/(2 d) loses no pair. */
static const double cell_slack = 1e-6;
/* Odd numbers without pattern: digits of the fractions of sqrt 2, 3, 5 and pi. */
static const uint64_t factor[3] = {0x6a09e667f3bcc909u, 0xbb67ae8584caa73bu, 0x3c6ef372fe94f82bu};
static const uint64_t mixer = 0x243f6a8885a308d3u;

struct sb_self_contact {
  double   thickness, per_cell; /* 1 over a cell's edge */
  size_t   vertices, buckets;   /* a power of 2 */
  unsigned shift;               /* of a 64-bit hash, down to a bucket */
  int     *start;               /* [buckets + 1] into sorted */
  int     *sorted;              /* [vertices] by bucket, then ascending */
  int     *bucket;              /* [vertices], -1: takes no part */
  int     *near, *spare;        /* [vertices] */
  int     *joined_start;        /* [vertices + 1] into joined */
  int     *joined;              /* of each vertex the later ones a spring joins to it */
};

sb_self_contact *sb_self_contact_create(double thickness, size_t vertices)
{
  sb_self_contact *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->thickness = thickness;
  self->per_cell = 1.0 / (2.0 * thickness * (1.0 + cell_slack));
  self->vertices = vertices;
  self->buckets = BLOCK;
  for (self->shift = 64 - 6; self->buckets < 2 * vertices; self->shift--) self->buckets *= 2;
  self->start = malloc((self->buckets + 1) * sizeof *self->start);
  self->sorted = malloc((vertices + 1) * sizeof *self->sorted);
  self->bucket = malloc((vertices + 1) * sizeof *self->bucket);
  self->near = malloc((vertices + 1) * sizeof *self->near);
  self->spare = malloc((vertices + 1) * sizeof *self->spare);
  self->joined_start = calloc(vertices + 1, sizeof *self->joined_start);
  if (!self->start || !self->sorted || !self->bucket || !self->near || !self->spare || !self->joined_start)
    sb_self_contact_destroy(&self);
  return self;
}

void sb_self_contact_destroy(sb_self_contact **self)
{
  sb_self_contact *old = *self;
  if (!old) return;
  free(old->start);
  free(old->sorted);
  free(old->bucket);
  free(old->near);
  free(old->spare);
  free(old->joined_start);
  free(old->joined);
  free(old);
  *self = NULL;
}

bool sb_self_contact_set_springs(sb_self_contact *self, size_t springs, const int *first, const int *second)
{
  int *start = self->joined_start;
  free(self->joined);
  self->joined = malloc((springs + 1) * sizeof *self->joined);
  if (!self->joined) return false;
  memset(start, 0, (self->vertices + 1) * sizeof *start);
  for (size_t s = 0; s < springs; ++s) start[first[s] < second[s] ? first[s] : second[s]]++;
  for (size_t i = 0; i < self->vertices; ++i) start[i + 1] += start[i];
  for (size_t s = 0; s < springs; ++s) {
    const bool ascending = first[s] < second[s];
    self->joined[--start[ascending ? first[s] : second[s]]] = ascending ? second[s] : first[s];
  }
  return true;
}

static bool are_joined(const sb_self_contact *self, int i, int j)
{
  for (int s = self->joined_start[i]; s < self->joined_start[i + 1]; ++s)
    if (self->joined[s] == j) return true;
  return false;
}

/* Along an axis: what the block and the place in it add to a hash, in p's own cell and in the other one that its ball
 * reaches. */
typedef struct {
  uint64_t block[2];
  unsigned place[2];
} axis_cells;

/* False when p is not finite or too far out. */
static bool locate(const sb_self_contact *self, const double p[3], axis_cells axis[3])
{
  for (unsigned c = 0; c < 3; ++c) {
    const double q = p[c] * self->per_cell;
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
static inline int bucket_of(const sb_self_contact *self, const axis_cells axis[3], unsigned corner)
{
  const unsigned x = corner & 1, y = corner >> 1 & 1, z = corner >> 2;
  const uint64_t key = axis[0].block[x] + axis[1].block[y] + axis[2].block[z];
  const uint64_t place = axis[0].place[x] + axis[1].place[y] + axis[2].place[z];
  return (int)((((key ^ (key >> 32)) * mixer) >> self->shift) ^ place);
}

static void sort_into_buckets(sb_self_contact *self, size_t count, const double *position)
{
  int *start = self->start;
  memset(start, 0, (self->buckets + 1) * sizeof *start);
  for (size_t i = 0; i < count; ++i) {
    axis_cells axis[3];
    const bool located = locate(self, position + 3 * i, axis);
    self->bucket[i] = located ? bucket_of(self, axis, 0) : -1;
    if (located) start[self->bucket[i]]++;
  }
  for (size_t b = 0; b < self->buckets; ++b) start[b + 1] += start[b];
  for (size_t i = count; i-- > 0;)
    if (self->bucket[i] >= 0) self->sorted[--start[self->bucket[i]]] = (int)i;
}

/* The different buckets of the cells that the ball around p reaches, those without vertices left out. */
static size_t reached_buckets(const sb_self_contact *self, const double p[3], int buckets[REACHED])
{
  axis_cells axis[3];
  size_t     found = 0;
  if (!locate(self, p, axis)) return 0;
  for (unsigned corner = 0; corner < REACHED; ++corner) {
    const int b = bucket_of(self, axis, corner);
    bool      is_new = self->start[b] < self->start[b + 1];
    for (size_t k = 0; is_new && k < found; ++k) is_new = buckets[k] != b;
    buckets[found] = b;
    found += is_new;
  }
  return found;
}

/* near[0, count) and near[count, count + more) ascend each; afterwards all of it. */
static void merge(sb_self_contact *self, size_t count, size_t more)
{
  int   *near = self->near;
  size_t a = count, b = more, end = count + more;
  if (count == 0 || more == 0 || near[count - 1] < near[count]) return;
  memcpy(self->spare, near + count, more * sizeof *near);
  while (b > 0) {
    const bool from_first = a > 0 && near[a - 1] > self->spare[b - 1];
    near[--end] = from_first ? near[--a] : self->spare[--b];
  }
}

/* self->near = the vertices j > i closer to i than thickness, not joined to it, ascending; how many. */
static size_t find_near(sb_self_contact *self, const double *position, int i)
{
  const double *p = position + 3 * (size_t)i, square = self->thickness * self->thickness;
  int           buckets[REACHED];
  const size_t  reached = reached_buckets(self, p, buckets);
  size_t        count = 0;
  for (size_t k = 0; k < reached; ++k) {
    size_t more = 0;
    for (int s = self->start[buckets[k]]; s < self->start[buckets[k] + 1]; ++s) {
      const int     j = self->sorted[s];
      const double *q = position + 3 * (size_t)j, d[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
      if (j > i && sb_dot(d, d) < square && !are_joined(self, i, j)) self->near[count + more++] = j;
    }
    merge(self, count, more);
    count += more;
  }
  return count;
}

/* Removes the approach of i and j; places that coincide have no direction and are left alone. */
static void part(size_t i, size_t j, const bool *pinned, const double *mass, const double *position, double *velocity)
{
  double *v = velocity + 3 * i, *w = velocity + 3 * j;
  double  d[3], relative[3];
  for (size_t c = 0; c < 3; ++c) {
    d[c] = position[3 * i + c] - position[3 * j + c];
    relative[c] = v[c] - w[c];
  }
  const double approach = sb_dot(relative, d), square = sb_dot(d, d), sum = mass[i] + mass[j];
  if (!(approach < 0.0 && square >= DBL_MIN)) return;
  const double share_i = pinned[i] ? 0.0 : pinned[j] ? 1.0 : mass[j] / sum;
  const double share_j = pinned[j] ? 0.0 : pinned[i] ? 1.0 : mass[i] / sum;
  for (int c = 0; c < 3; ++c) {
    const double change = approach / square * d[c];
    v[c] -= share_i * change;
    w[c] += share_j * change;
  }
}

int64_t sb_self_contact_filter(sb_self_contact *self, size_t count, const bool *pinned, const double *mass,
                               const double *position, double *velocity)
{
  int64_t pairs = 0;
  if (count > self->vertices) count = self->vertices;
  sort_into_buckets(self, count, position);
  for (size_t i = 0; i < count; ++i) {
    const size_t near = find_near(self, position, (int)i);
    for (size_t k = 0; k < near; ++k) part(i, (size_t)self->near[k], pinned, mass, position, velocity);
    pairs += (int64_t)near;
  }
  return pairs;
}
