/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels of blocks; see block_kernels.h. This file is compiled once for each instruction set. */
#include "solvers/minimize/block_kernels.h"

#include "base/lanes.h"
#include "base/threads.h"

static void invert(const sb_blocks *blocks)
{
  for (int v = 0; v < blocks->vertices; v += SB_LANES) {
    double  *at = blocks->entry + v;
    sb_lanes m[6];
    for (int e = 0; e < 6; ++e) m[e] = sb_lanes_load(at + e * blocks->stride);
    const sb_lanes a = m[0], b = m[1], c = m[2], d = m[3], e = m[4], f = m[5];
    const sb_lanes A = d * f - e * e, B = c * e - b * f, C = b * e - c * d, scale = 1 / (a * A + b * B + c * C);
    const sb_lanes inverse[6] = {A, B, C, a * f - c * c, b * c - a * e, a * d - b * b};
    for (int n = 0; n < 6; ++n) sb_lanes_store(at + n * blocks->stride, scale * inverse[n]);
  }
}

/* y = B x for the vertices from v on */
SB_LANES_INLINE void multiply(const sb_blocks *blocks, int v, const sb_lanes x[3], sb_lanes y[3])
{
  sb_lanes m[6];
  for (int e = 0; e < 6; ++e) m[e] = sb_lanes_load(blocks->entry + e * blocks->stride + v);
  y[0] = m[0] * x[0] + m[1] * x[1] + m[2] * x[2];
  y[1] = m[1] * x[0] + m[3] * x[1] + m[4] * x[2];
  y[2] = m[2] * x[0] + m[4] * x[1] + m[5] * x[2];
}

SB_LANES_INLINE sb_lanes correct_lanes(const sb_blocks *blocks, int v, double alpha, const double *product,
                                       double *residual, double *scaled)
{
  sb_lanes r[3], s[3];
  for (int i = 0; i < 3 * SB_LANES; i += SB_LANES)
    sb_lanes_store(residual + i, sb_lanes_load(residual + i) - alpha * sb_lanes_load(product + i));
  sb_lanes_from_triples(residual, r);
  multiply(blocks, v, r, s);
  sb_lanes_to_triples(s, scaled);
  return r[0] * s[0] + r[1] * s[1] + r[2] * s[2];
}

/* The last vertices of all, fewer than eight. */
static void correct_rest(const sb_blocks *blocks, int v, double alpha, const double *product, double *residual,
                         double *scaled, double *sum)
{
  double own[3][24] = {{0}};
  for (int i = 0; i < 3 * (blocks->vertices - v); ++i) {
    own[0][i] = product[3 * (long)v + i];
    own[1][i] = residual[3 * (long)v + i];
  }
  for (int lane = 0; lane < 8; lane += SB_LANES)
    sb_lanes_store(sum + lane,
                   (sb_lanes)(sb_lanes_load(sum + lane) + correct_lanes(blocks, v + lane, alpha, own[0] + 3 * lane,
                                                                        own[1] + 3 * lane, own[2] + 3 * lane)));
  for (int i = 0; i < 3 * (blocks->vertices - v); ++i) {
    residual[3 * (long)v + i] = own[1][i];
    scaled[3 * (long)v + i] = own[2][i];
  }
}

__attribute__((noinline)) static void correct_chunk(const sb_blocks *blocks, int chunk, double alpha,
                                                    const double *product, double *residual, double *scaled)
{
  const int end = (chunk + 1) * SB_BLOCK_CHUNK, most = end < blocks->vertices ? end : blocks->vertices;
  double   *total = blocks->chunk_sum + 8 * (long)chunk;
  sb_lanes  sum[8 / SB_LANES] = {{0}};
  int       v = chunk * SB_BLOCK_CHUNK;
  for (; v + 8 <= most; v += 8)
    for (int part = 0; part < 8 / SB_LANES; ++part) {
      const long at = 3 * (long)(v + part * SB_LANES);
      sum[part] += correct_lanes(blocks, v + part * SB_LANES, alpha, product + at, residual + at, scaled + at);
    }
  for (int part = 0; part < 8 / SB_LANES; ++part) sb_lanes_store(total + part * SB_LANES, sum[part]);
  if (v < most) correct_rest(blocks, v, alpha, product, residual, scaled, total);
}

static double correct(const sb_blocks *blocks, double alpha, const double *product, double *residual, double *scaled)
{
  const int chunks = (blocks->vertices + SB_BLOCK_CHUNK - 1) / SB_BLOCK_CHUNK;
  SB_OMP(parallel for num_threads(blocks->threads) schedule(static) if (blocks->threads > 1))
  for (int c = 0; c < chunks; ++c) correct_chunk(blocks, c, alpha, product, residual, scaled);
  return sb_lanes_total(chunks, blocks->chunk_sum);
}

const sb_block_kernels SB_OF_SET(sb_block) = {invert, correct};
