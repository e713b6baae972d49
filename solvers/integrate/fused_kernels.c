/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fused steps; see fused.h. This file is compiled once for each instruction set.
 *
 * A block of vertices moves as soon as its springs are summed: whatever starts behind a tile ends behind it, so nothing
 * is needed any more of the positions that a block of the tile overwrites. If threads share the tiles, that holds
 * within a part only: they read one array of positions and write another, and wait for each other once a step. */
#include <string.h>

#include "base/threads.h"
#include "model/forces/band_sums.h"
#include "solvers/integrate/fused.h"

/* A coordinate of some vertices: their places, velocities (Stoermer-Verlet: accelerations) and previous places. */
typedef struct {
  sb_lanes x, v, previous;
} motion;

/* The operations are those of the methods' own files. */
SB_LANES_INLINE void move(const sb_fused_net *net, const sb_fused_method method, sb_lanes w, sb_lanes g, sb_lanes force,
                          motion *m)
{
  const double   h = net->h_seconds, half = 0.5 * h, drag = net->drag, factor = net->factor;
  const sb_lanes x = m->x, v = m->v;
  if (method == SB_FUSED_EXPLICIT_EULER) {
    m->x = x + h * v;
    m->v = factor * (v + h * (w * (force - drag * v) + g));
  } else if (method == SB_FUSED_SYMPLECTIC_EULER) {
    m->v = factor * (v + h * (w * (force - drag * v) + g));
    m->x = x + h * m->v;
  } else if (method == SB_FUSED_VELOCITY_VERLET) {
    const sb_lanes end = v + half * (w * (force - drag * v) + g);
    m->v = factor * (end + half * (w * (force - drag * end) + g));
    m->x = x + h * m->v;
  } else {
    const double   q = (1 + factor) / (2 * h), p = half * factor;
    const sb_lanes predicted = q * (x - m->previous) + p * v;
    m->v = w * (drag > 0 ? force - drag * predicted : force) + g; /* the acceleration */
    m->x = x + factor * (x - m->previous + h * h * m->v);
    m->previous = x;
  }
}

SB_LANES_INLINE motion load(const sb_fused_net *net, const sb_fused_method method, const double *position, long at)
{
  motion m = {.x = sb_lanes_load(position + at), .v = sb_lanes_load(net->velocity + at)};
  if (method == SB_FUSED_STOERMER_VERLET) m.previous = sb_lanes_load(net->previous + at);
  return m;
}

SB_LANES_INLINE void store(const sb_fused_net *net, const sb_fused_method method, double *position, long at,
                           const motion *m)
{
  sb_lanes_store(position + at, m->x);
  sb_lanes_store(net->velocity + at, m->v);
  if (method == SB_FUSED_STOERMER_VERLET) sb_lanes_store(net->previous + at, m->previous);
}

/* Removes from *near the lanes whose vertices are not near the centre; lanes without a vertex count as near. */
SB_LANES_INLINE void look(const sb_fused_net *net, int c, int first, sb_lanes x, sb_lane_mask *near)
{
  sb_lanes distance = x - net->center[c];
  if (first + SB_LANES > net->bands->vertices)
    for (int l = 0; l < SB_LANES; ++l) distance[l] = first + l < net->bands->vertices ? distance[l] : 0;
  *near = sb_lanes_within(*near, distance, net->limit);
}

/* From the positions of `bands` to `next`. */
SB_LANES_INLINE void take_block(const sb_bands *bands, int j, const sb_band_vectors *force, const sb_fused_net *net,
                                const sb_fused_method method, double *next, sb_lane_mask *near)
{
  for (int part = 0; part < SB_BAND_PARTS; ++part) {
    const int      first = j * SB_BAND_BLOCK + part * SB_LANES;
    const sb_lanes w = sb_lanes_load(net->inverse_mass + first);
    for (int c = 0; c < 3; ++c) {
      const long at = c * (long)bands->stride + first;
      motion     m = load(net, method, bands->position, at);
      move(net, method, w, sb_lanes_load(net->gravity + at), force->part[c][part], &m);
      store(net, method, next, at, &m);
      look(net, c, first, m.x, near);
    }
  }
}

SB_LANES_INLINE int64_t march(const sb_fused_net *net, const sb_fused_method method, int64_t steps, bool *all_near)
{
  const sb_bands *bands = net->bands;
  int64_t         done = 0;
  for (*all_near = true; done < steps && *all_near; ++done) {
    sb_lane_mask near = sb_lanes_numbers((sb_lanes){0});
    SB_BAND_SUMS(bands, SB_BAND_FORCES, take_block, net, method, bands->position, &near)
    *all_near = sb_lanes_every(near);
  }
  return done;
}

/* A step of part p, from positions `x` to `next`. Returns whether its vertices are near the centre. */
SB_LANES_INLINE bool pass_part_by(const sb_fused_net *net, const sb_fused_method method, int p, double *x, double *next)
{
  sb_lane_mask near = sb_lanes_numbers((sb_lanes){0});
  sb_bands     own = sb_band_of_part(net->bands, p);
  own.position = x;
  own.vertices = own.summed; /* no step moves a ghost */
  sb_fused_net of_part = *net;
  of_part.bands = &own;
  SB_BAND_SUMS_OF_PART(&own, p, SB_BAND_FORCES, take_block, &of_part, method, next, &near)
  return sb_lanes_every(near);
}

static bool pass_part(const sb_fused_net *net, sb_fused_method method, int p, double *x, double *next)
{
  switch (method) {
  case SB_FUSED_EXPLICIT_EULER:
    return pass_part_by(net, SB_FUSED_EXPLICIT_EULER, p, x, next);
  case SB_FUSED_SYMPLECTIC_EULER:
    return pass_part_by(net, SB_FUSED_SYMPLECTIC_EULER, p, x, next);
  case SB_FUSED_VELOCITY_VERLET:
    return pass_part_by(net, SB_FUSED_VELOCITY_VERLET, p, x, next);
  default:
    return pass_part_by(net, SB_FUSED_STOERMER_VERLET, p, x, next);
  }
}

static void copy_part(const sb_bands *bands, int p, const double *from, double *to)
{
  const int start = sb_band_part_start(bands, p), count = sb_band_part_start(bands, p + 1) - start;
  for (int c = 0; c < 3; ++c) {
    const long at = c * (long)bands->stride + start;
    memcpy(to + at, from + at, (size_t)count * sizeof *to);
  }
}

/* After the wait that ends a step, every thread reads whether a part left the bounds. There are two flags in turn, as a
 * fast thread may set that of the next step before a slow one has read this one's. Separate from the loops of one
 * thread, which would run short of registers. */
__attribute__((noinline)) static int64_t march_by_threads(const sb_fused_net *net, sb_fused_method method,
                                                          int64_t steps, bool *all_near)
{
  const sb_bands *bands = net->bands;
  double *const   x[2] = {bands->position, net->next};
  int             left[2] = {0, 0};
  int64_t         done = 0;
  SB_OMP(parallel num_threads(bands->threads))
  {
    int64_t s = 0;
    for (; s < steps && !left[(s + 1) % 2]; ++s) {
      SB_OMP(for schedule(static, 1))
      for (int p = 0; p < bands->parts; ++p) {
        if (pass_part(net, method, p, x[s % 2], x[(s + 1) % 2])) continue;
        SB_OMP(atomic write)
        left[s % 2] = 1;
      }
    }
    SB_OMP(for schedule(static, 1) nowait)
    for (int p = 0; p < bands->parts; ++p)
      if (s % 2 == 1) copy_part(bands, p, x[1], x[0]);
    SB_OMP(master)
    done = s;
  }
  *all_near = !left[0] && !left[1];
  return done;
}

/* Lanes of `a` moved down by one, the last from the first of `b`; those of `b` moved up, the first from the last of
 * `a`. */
#if SB_LANES == 8
#define NEXT(a, b)     __builtin_shufflevector(a, b, 1, 2, 3, 4, 5, 6, 7, 8)
#define PREVIOUS(a, b) __builtin_shufflevector(a, b, 7, 8, 9, 10, 11, 12, 13, 14)
#elif SB_LANES == 4
#define NEXT(a, b)     __builtin_shufflevector(a, b, 1, 2, 3, 4)
#define PREVIOUS(a, b) __builtin_shufflevector(a, b, 3, 4, 5, 6)
#else
#define NEXT(a, b)     __builtin_shufflevector(a, b, 1, 2)
#define PREVIOUS(a, b) __builtin_shufflevector(a, b, 1, 2)
#endif
enum { CHAIN_PARTS = 4 };

/* product[c][p]: of the springs from the vertices of part p on. After the last part its own first vertex is a
 * substitute: no spring leads there. */
SB_LANES_INLINE void pull_links(const sb_fused_net *net, const int parts, motion state[3][CHAIN_PARTS],
                                sb_lanes product[3][CHAIN_PARTS])
{
  for (int p = 0; p < parts; ++p) {
    const double  *link = net->link + p * SB_LANES;
    const sb_lanes k = sb_lanes_load(link), l = sb_lanes_load(link + net->bands->stride);
    sb_lanes       d[3];
    for (int c = 0; c < 3; ++c) {
      const sb_lanes beyond = state[c][p + 1 < parts ? p + 1 : p].x;
      d[c] = state[c][p].x - NEXT(state[c][p].x, beyond);
    }
    const sb_lanes     r = sb_lanes_root(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), factor = k * (l - r) / r;
    const sb_lane_mask there = sb_lanes_nonzero(sb_lanes_numbers(k), r);
    for (int c = 0; c < 3; ++c) product[c][p] = sb_lanes_where(there, factor * d[c]);
  }
}

/* A chain so short that it fits into registers. */
SB_LANES_INLINE int64_t march_chain(const sb_fused_net *net, const sb_fused_method method, const int parts,
                                    int64_t steps, bool *all_near)
{
  const int stride = net->bands->stride;
  double   *position = net->bands->position;
  motion    state[3][CHAIN_PARTS];
  sb_lanes  product[3][CHAIN_PARTS];
  int64_t   done = 0;
  for (int c = 0; c < 3; ++c)
    for (int p = 0; p < parts; ++p) state[c][p] = load(net, method, position, c * (long)stride + p * SB_LANES);
  for (*all_near = true; done < steps && *all_near; ++done) {
    sb_lane_mask near = sb_lanes_numbers((sb_lanes){0});
    pull_links(net, parts, state, product);
    for (int p = 0; p < parts; ++p) {
      const sb_lanes w = sb_lanes_load(net->inverse_mass + p * SB_LANES);
      for (int c = 0; c < 3; ++c) {
        const sb_lanes before = PREVIOUS((p > 0 ? product[c][p - 1] : (sb_lanes){0}), product[c][p]);
        const sb_lanes g = sb_lanes_load(net->gravity + c * (long)stride + p * SB_LANES);
        move(net, method, w, g, (sb_lanes){0} - before + product[c][p], &state[c][p]);
        look(net, c, p * SB_LANES, state[c][p].x, &near);
      }
    }
    *all_near = sb_lanes_every(near);
  }
  for (int c = 0; c < 3; ++c)
    for (int p = 0; p < parts; ++p) store(net, method, position, c * (long)stride + p * SB_LANES, &state[c][p]);
  return done;
}

SB_LANES_INLINE int64_t march_by(const sb_fused_net *net, const sb_fused_method method, int64_t steps, bool *near)
{
  const int parts = (net->bands->vertices + SB_LANES - 1) / SB_LANES;
  if (!net->link || parts > CHAIN_PARTS) return march(net, method, steps, near);
  if (parts == 1) return march_chain(net, method, 1, steps, near);
  return parts == 2 ? march_chain(net, method, 2, steps, near) : march_chain(net, method, CHAIN_PARTS, steps, near);
}

static int64_t advance(const sb_fused_net *net, sb_fused_method method, int64_t steps, bool *near)
{
  if (net->bands->parts > 1) return march_by_threads(net, method, steps, near);
  switch (method) {
  case SB_FUSED_EXPLICIT_EULER:
    return march_by(net, SB_FUSED_EXPLICIT_EULER, steps, near);
  case SB_FUSED_SYMPLECTIC_EULER:
    return march_by(net, SB_FUSED_SYMPLECTIC_EULER, steps, near);
  case SB_FUSED_VELOCITY_VERLET:
    return march_by(net, SB_FUSED_VELOCITY_VERLET, steps, near);
  default:
    return march_by(net, SB_FUSED_STOERMER_VERLET, steps, near);
  }
}

static bool pass(const sb_fused_net *net, sb_fused_method method, bool inner, double *x, double *next)
{
  const sb_bands *bands = net->bands;
  int             left = 0;
  SB_OMP(parallel for num_threads(bands->threads) schedule(static, 1))
  for (int p = 0; p < bands->parts; ++p) {
    if (sb_band_part_is_inner(bands, p) != inner || pass_part(net, method, p, x, next)) continue;
    SB_OMP(atomic write)
    left = 1;
  }
  return !left;
}

static void take(const sb_fused_net *net, const double *coordinates, double *apart)
{
  sb_band_take_apart(net->bands, 0, net->bands->summed, coordinates, apart);
}

static void give(const sb_fused_net *net, const double *restrict apart, double *restrict coordinates)
{
  const int vertices = net->bands->summed, whole = vertices / SB_LANES * SB_LANES, stride = net->bands->stride;
  for (int v = 0; v < whole; v += SB_LANES) {
    const sb_lanes part[3] = {sb_lanes_load(apart + v), sb_lanes_load(apart + stride + v),
                              sb_lanes_load(apart + 2 * (long)stride + v)};
    sb_lanes_to_triples(part, coordinates + 3 * (long)v);
  }
  for (int v = whole; v < vertices; ++v)
    for (int c = 0; c < 3; ++c) coordinates[3 * (long)v + c] = apart[c * (long)stride + v];
}

const sb_fused_kernels SB_OF_SET(sb_fused) = {advance, pass, take, give};
