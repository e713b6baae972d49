/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Building blocks of kernels over bands, for files that are compiled once per instruction set: splitting of
 * coordinates, products of a tile, sums of a block of vertices. See bands.h. */
#pragma once

#include "base/lanes.h"
#include "model/forces/bands.h"

enum { SB_BAND_PARTS = SB_BAND_BLOCK / SB_LANES };

typedef enum { SB_BAND_FORCES, SB_BAND_LOCAL_STEP, SB_BAND_HESSIAN_PRODUCT } sb_band_law;

/* The coordinates of eight vertices. */
typedef struct {
  sb_lanes part[3][SB_BAND_PARTS];
} sb_band_vectors;

/* Splits position [vertices][3] of the vertices from `from`, a multiple of eight, to `to` into x, with the layout of
 * bands->position. */
SB_LANES_INLINE void sb_band_take_apart(const sb_bands *bands, int from, int to, const double *restrict position,
                                        double *restrict x)
{
  const int stride = bands->stride, whole = to / SB_LANES * SB_LANES;
  for (int v = from; v < whole; v += SB_LANES) {
    sb_lanes part[3];
    sb_lanes_from_triples(position + 3 * (long)v, part);
    for (int c = 0; c < 3; ++c) sb_lanes_store(x + c * (long)stride + v, part[c]);
  }
  for (int v = whole; v < to; ++v)
    for (int c = 0; c < 3; ++c) x[c * (long)stride + v] = position[3 * (long)v + c];
}

/* Differences d of split coordinates over the SB_LANES springs of block `b` from `lane` on. Returns their squares. */
SB_LANES_INLINE sb_lanes sb_band_difference(const sb_bands *bands, const double *of, const sb_band_block *b, int lane,
                                            sb_lanes d[3])
{
  const double *x = of + lane;
  for (int c = 0; c < 3; ++c, x += bands->stride) d[c] = sb_lanes_load(x + b->first) - sb_lanes_load(x + b->second);
  return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

/* d and the length r of the same springs. */
SB_LANES_INLINE sb_lanes sb_band_length(const sb_bands *bands, const sb_band_block *b, int lane, sb_lanes d[3])
{
  return sb_lanes_root(sb_band_difference(bands, bands->position, b, lane, d));
}

/* H = a I + b d d^T for springs of stiffness k, as spring_hessian of kernels.c, but without branches: the unused terms
 * of the sums are 0. Returns the lanes with springs, whose k is a number. */
SB_LANES_INLINE sb_lane_mask sb_band_hessian(sb_lanes k, sb_lanes l, sb_lanes square, double negative, sb_lanes *a,
                                             sb_lanes *b)
{
  const sb_lanes     zero = {0};
  const sb_lane_mask spring = sb_lanes_numbers(k), there = sb_lanes_nonzero(spring, square);
  const sb_lanes     c = 1 - l / sb_lanes_root(square);
  const sb_lanes     across = sb_lanes_larger(zero, c) + negative * -sb_lanes_larger(zero, -c);
  const sb_lanes     point = sb_lanes_where(spring, k) - sb_lanes_where(there, k); /* k where the length is 0 */
  *a = sb_lanes_where(there, k * across) + point;
  if (__builtin_expect(sb_lanes_any(sb_lanes_nonzero(spring, point)), 0)) { /* k/3 if it has a rest length */
    const sb_lanes rest = sb_lanes_where(sb_lanes_nonzero(spring, l), point);
    *a = sb_lanes_where(there, k * across) + (rest / 3 + (point - rest));
  }
  *b = sb_lanes_where(there, k * (1 - across) / square);
  return spring;
}

SB_LANES_INLINE void sb_band_store(const sb_bands *bands, const sb_band_block *b, int lane, const sb_lanes product[3])
{
  double *to = bands->product + lane;
  for (int c = 0; c < 3; ++c, to += bands->product_stride) {
    sb_lanes_store(to + b->at, product[c]);
    if (b->mirror >= 0) sb_lanes_store(to + b->mirror, product[c]);
  }
}

/* Computes factor d for block n: k (l - r)/r d, or k l/r d, or H q; 0 for lanes without a spring or with length 0. */
SB_LANES_INLINE void sb_band_products(const sb_bands *bands, int n, sb_band_law law)
{
  const sb_band_block *b = bands->block + n;
  for (int lane = 0; lane < SB_BAND_BLOCK; lane += SB_LANES) {
    const long at = (long)n * SB_BAND_BLOCK + lane;
    sb_lanes   product[3] = {{0}, {0}, {0}};
    if (b->second >= 0 && law == SB_BAND_HESSIAN_PRODUCT) {
      const double *own = bands->coefficient + 4 * (long)n * SB_BAND_BLOCK + lane;
      sb_lanes      q[3], w[3];
      sb_band_difference(bands, bands->direction, b, lane, q);
      for (int c = 0; c < 3; ++c) w[c] = sb_lanes_load(own + c * SB_BAND_BLOCK);
      const sb_lanes across = sb_lanes_load(own + 3 * SB_BAND_BLOCK), along = w[0] * q[0] + w[1] * q[1] + w[2] * q[2];
      for (int c = 0; c < 3; ++c) product[c] = across * q[c] + along * w[c];
    } else if (b->second >= 0) {
      sb_lanes       d[3];
      const sb_lanes r = sb_band_length(bands, b, lane, d);
      const sb_lanes k = sb_lanes_load((law == SB_BAND_FORCES ? bands->stiffness : bands->pull) + at);
      const sb_lanes pull = law == SB_BAND_FORCES ? (sb_lanes)(k * (sb_lanes_load(bands->rest_length + at) - r)) : k;
      const sb_lanes factor = pull / r;
      const sb_lane_mask there = sb_lanes_nonzero(sb_lanes_numbers(k), r);
      for (int c = 0; c < 3; ++c) product[c] = sb_lanes_where(there, factor * d[c]);
    }
    sb_band_store(bands, b, lane, product);
  }
}

/* Returns the sums of the products at the eight vertices of block j; even: at upper ends they are added, too. */
SB_LANES_INLINE sb_band_vectors sb_band_sum(const sb_bands *bands, int j, const bool even)
{
  sb_band_vectors sum = {0};
  for (int t = bands->term_start[j]; t < bands->term_start[j + 1]; ++t) {
    const int     term = bands->term[t], at = term < 0 ? ~term : term;
    const double *from = bands->product + at;
    for (int c = 0; c < 3; ++c, from += bands->product_stride)
      for (int p = 0; p < SB_BAND_PARTS; ++p) {
        const sb_lanes product = sb_lanes_load(from + p * SB_LANES);
        if (term < 0 && !even)
          sum.part[c][p] -= product;
        else
          sum.part[c][p] += product;
      }
  }
  return sum;
}

/* [8][3] */
SB_LANES_INLINE void sb_band_put_together(const sb_band_vectors *vectors, double *at)
{
  for (int p = 0; p < SB_BAND_PARTS; ++p) {
    const sb_lanes part[3] = {vectors->part[0][p], vectors->part[1][p], vectors->part[2][p]};
    sb_lanes_to_triples(part, at + 3 * p * SB_LANES);
  }
}

/* Calls `sink(bands, j, &sum, …)` for every block of vertices of the tiles from `from` to `to`, in order. */
#define SB_BAND_TILES(bands, from, to, law, sink, ...)                                                                 \
  for (int t_ = (from); t_ < (to); ++t_) {                                                                             \
    const int end_ = (t_ + 1) * (bands)->tile_blocks, last_ = ((bands)->summed + SB_BAND_BLOCK - 1) / SB_BAND_BLOCK;   \
    for (int n_ = (bands)->tile_start[t_]; n_ < (bands)->tile_start[t_ + 1]; ++n_) sb_band_products(bands, n_, law);   \
    for (int j_ = t_ * (bands)->tile_blocks; j_ < end_ && j_ < last_; ++j_) {                                          \
      const sb_band_vectors sum_ = sb_band_sum(bands, j_, false);                                                      \
      sink(bands, j_, &sum_, __VA_ARGS__);                                                                             \
    }                                                                                                                  \
  }
#define SB_BAND_SUMS(bands, law, sink, ...) SB_BAND_TILES(bands, 0, (bands)->tiles, law, sink, __VA_ARGS__)

/* ---- parts ---- */

/* Returns the first vertex of part p. */
SB_LANES_INLINE int sb_band_part_start(const sb_bands *bands, int p)
{
  return p < bands->parts ? bands->part[p].tile * bands->tile_blocks * SB_BAND_BLOCK : bands->summed;
}

SB_LANES_INLINE bool sb_band_part_is_inner(const sb_bands *bands, int p)
{
  return p >= bands->inner_first && p < bands->inner_end;
}

/* Waits for the ghosts that outer parts need. */
SB_LANES_INLINE void sb_band_wait(const sb_bands *bands)
{
  if (bands->arrive) bands->arrive(bands->context);
}

/* Splits the positions of ghosts, and of those that share a block with them. */
SB_LANES_INLINE void sb_band_take_ghosts_apart(const sb_bands *bands, const double *position, double *x)
{
  sb_band_take_apart(bands, bands->summed / SB_BAND_BLOCK * SB_BAND_BLOCK, bands->vertices, position, x);
}

SB_LANES_INLINE void sb_band_take_part_apart(const sb_bands *bands, int p, const double *position, double *x)
{
  sb_band_take_apart(bands, sb_band_part_start(bands, p), sb_band_part_start(bands, p + 1), position, x);
}

/* Returns the bands with the rings of part p. */
SB_LANES_INLINE sb_bands sb_band_of_part(const sb_bands *bands, int p)
{
  sb_bands own = *bands;
  own.product += 3 * (long)p * bands->product_stride;
  return own;
}

/* SB_BAND_SUMS over part p, with its own rings. */
#define SB_BAND_SUMS_OF_PART(own, p, law, sink, ...)                                                                   \
  for (int a_ = (own)->part[p].ahead; a_ < (own)->part[(p) + 1].ahead; ++a_)                                           \
    sb_band_products(own, (own)->ahead[a_], law);                                                                      \
  SB_BAND_TILES(own, (own)->part[p].tile, (own)->part[(p) + 1].tile, law, sink, __VA_ARGS__)
