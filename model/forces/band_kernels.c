/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels over bands; see bands.h. This file is compiled once for each instruction set. */
#include "base/threads.h"
#include "model/forces/band_sums.h"

/* The loops of one thread are a separate function: together with those of several threads they would need too many
 * registers. */
#define APART __attribute__((noinline)) static

SB_LANES_INLINE void put_forces(const sb_bands *bands, int j, const sb_band_vectors *sum, double *restrict force)
{
  const int first = j * SB_BAND_BLOCK, left = bands->summed - first;
  if (left >= SB_BAND_BLOCK) {
    sb_band_put_together(sum, force + 3 * (long)first);
  } else {
    double own[3 * SB_BAND_BLOCK];
    sb_band_put_together(sum, own);
    for (int i = 0; i < 3 * left; ++i) force[3 * (long)first + i] = own[i];
  }
}

static void forces_of_part(const sb_bands *bands, int p, double *force)
{
  const sb_bands own = sb_band_of_part(bands, p);
  SB_BAND_SUMS_OF_PART(&own, p, SB_BAND_FORCES, put_forces, force)
}

APART void forces_by_parts(const sb_bands *bands, const double *position, double *force)
{
  SB_OMP(parallel num_threads(bands->threads))
  {
    SB_OMP(for schedule(static, 1))
    for (int p = 0; p < bands->parts; ++p) sb_band_take_part_apart(bands, p, position, bands->position);
    SB_OMP(for schedule(static, 1) nowait)
    for (int p = bands->inner_first; p < bands->inner_end; ++p) forces_of_part(bands, p, force);
  }
  if (bands->vertices == bands->summed) return;
  sb_band_wait(bands);
  sb_band_take_ghosts_apart(bands, position, bands->position);
  SB_OMP(parallel for num_threads(bands->threads) schedule(static, 1))
  for (int p = 0; p < bands->parts; ++p)
    if (!sb_band_part_is_inner(bands, p)) forces_of_part(bands, p, force);
}

APART void forces_by_one(const sb_bands *bands, const double *position, double *force)
{
  sb_band_take_apart(bands, 0, bands->vertices, position, bands->position);
  SB_BAND_SUMS(bands, SB_BAND_FORCES, put_forces, force)
}

static bool has_parts(const sb_bands *bands) { return bands->parts > 1 || bands->vertices > bands->summed; }

static void forces(const sb_bands *bands, const double *position, double *force)
{
  if (has_parts(bands))
    forces_by_parts(bands, position, force);
  else
    forces_by_one(bands, position, force);
}

SB_LANES_INLINE void put_rows(const sb_bands *bands, int j, const sb_band_vectors *sum, double scale,
                              const double *restrict constant, double *restrict rhs)
{
  const int *row = bands->row + j * SB_BAND_BLOCK;
  double     own[3 * SB_BAND_BLOCK];
  sb_band_put_together(sum, own);
  if (bands->block_row[j] >= 0) {
    const long first = 3 * (long)bands->block_row[j];
    for (int i = 0; i < 3 * SB_BAND_BLOCK; i += SB_LANES)
      sb_lanes_store(rhs + first + i, sb_lanes_load(constant + first + i) + scale * sb_lanes_load(own + i));
  } else {
    for (int i = 0; i < 3 * SB_BAND_BLOCK; ++i)
      if (row[i / 3] >= 0) rhs[3 * (long)row[i / 3] + i % 3] = constant[3 * (long)row[i / 3] + i % 3] + scale * own[i];
  }
}

static void local_step_of_part(const sb_bands *bands, int p, double scale, const double *constant, double *rhs)
{
  const sb_bands own = sb_band_of_part(bands, p);
  SB_BAND_SUMS_OF_PART(&own, p, SB_BAND_LOCAL_STEP, put_rows, scale, constant, rhs)
}

APART void local_step_by_parts(const sb_bands *bands, const double *position, double scale, const double *constant,
                               double *rhs)
{
  SB_OMP(parallel num_threads(bands->threads))
  {
    SB_OMP(for schedule(static, 1))
    for (int p = 0; p < bands->parts; ++p) sb_band_take_part_apart(bands, p, position, bands->position);
    SB_OMP(for schedule(static, 1) nowait)
    for (int p = bands->inner_first; p < bands->inner_end; ++p) local_step_of_part(bands, p, scale, constant, rhs);
  }
  if (bands->vertices == bands->summed) return;
  sb_band_wait(bands);
  sb_band_take_ghosts_apart(bands, position, bands->position);
  SB_OMP(parallel for num_threads(bands->threads) schedule(static, 1))
  for (int p = 0; p < bands->parts; ++p)
    if (!sb_band_part_is_inner(bands, p)) local_step_of_part(bands, p, scale, constant, rhs);
}

APART void local_step_by_one(const sb_bands *bands, const double *position, double scale, const double *constant,
                             double *rhs)
{
  sb_band_take_apart(bands, 0, bands->vertices, position, bands->position);
  SB_BAND_SUMS(bands, SB_BAND_LOCAL_STEP, put_rows, scale, constant, rhs)
}

static void local_step(const sb_bands *bands, const double *position, double scale, const double *constant, double *rhs)
{
  if (has_parts(bands))
    local_step_by_parts(bands, position, scale, constant, rhs);
  else
    local_step_by_one(bands, position, scale, constant, rhs);
}

/* The numbers of springs; see kernels.h. */
SB_LANES_INLINE void put_coefficients(const sb_bands *bands, int n, double negative, double *coefficient)
{
  const sb_band_block *b = bands->block + n;
  if (b->second < 0) return;
  for (int lane = 0; lane < SB_BAND_BLOCK; lane += SB_LANES) {
    const long         at = (long)n * SB_BAND_BLOCK + lane;
    double            *own = coefficient + 4 * (long)n * SB_BAND_BLOCK + lane;
    sb_lanes           d[3], across, along;
    const sb_lanes     square = sb_band_difference(bands, bands->position, b, lane, d);
    const sb_lane_mask spring =
        sb_band_hessian(sb_lanes_load(bands->stiffness + at), sb_lanes_load(bands->rest_length + at), square, negative,
                        &across, &along);
    const sb_lanes root = sb_lanes_root(along);
    for (int c = 0; c < 3; ++c) sb_lanes_store(own + c * SB_BAND_BLOCK, sb_lanes_where(spring, root * d[c]));
    sb_lanes_store(own + 3 * SB_BAND_BLOCK, across); /* 0 without a spring */
  }
}

static void hessian_coefficients(const sb_bands *bands, double negative, const double *position, double *coefficient)
{
  sb_band_take_apart(bands, 0, bands->vertices, position, bands->position);
  SB_OMP(parallel for num_threads(bands->threads) schedule(static, 1) if (bands->parts > 1))
  for (int p = 0; p < bands->parts; ++p)
    for (int n = bands->tile_start[bands->part[p].tile]; n < bands->tile_start[bands->part[p + 1].tile]; ++n)
      put_coefficients(bands, n, negative, coefficient);
}

enum { PAIRS = 64 }; /* springs of a list at a time */

static void take_differences(const sb_springs *springs, int s, int count, const double *restrict position,
                             double d[3][PAIRS])
{
  for (int n = 0; n < count; ++n) {
    const double *i = position + 3 * (long)springs->first[s + n], *j = position + 3 * (long)springs->second[s + n];
    for (int c = 0; c < 3; ++c) d[c][n] = i[c] - j[c];
  }
}

static void pair_coefficients(const sb_springs *springs, double negative, const double *position, double *coefficient)
{
  const long stride = (springs->count + SB_BAND_BLOCK - 1) / SB_BAND_BLOCK * SB_BAND_BLOCK;
  double     difference[3][PAIRS] = {{0}};
  for (int s = 0; s < springs->count; s += PAIRS) {
    const int count = springs->count - s < PAIRS ? springs->count - s : PAIRS;
    take_differences(springs, s, count, position, difference);
    for (int n = 0; n < count; n += SB_LANES) {
      double  *own = coefficient + s + n;
      sb_lanes d[3], across, along;
      for (int c = 0; c < 3; ++c) d[c] = sb_lanes_load(difference[c] + n);
      sb_band_hessian(sb_lanes_load(springs->stiffness + s + n), sb_lanes_load(springs->rest_length + s + n),
                      d[0] * d[0] + d[1] * d[1] + d[2] * d[2], negative, &across, &along);
      const sb_lanes root = sb_lanes_root(along);
      for (int c = 0; c < 3; ++c, own += stride) sb_lanes_store(own, root * d[c]);
      sb_lanes_store(own, across);
    }
  }
}

/* The six entries of block n, three in each of two rings. */
SB_LANES_INLINE void block_products(const sb_bands *bands, const sb_bands *other, int n, double negative)
{
  const sb_band_block *b = bands->block + n;
  for (int lane = 0; lane < SB_BAND_BLOCK; lane += SB_LANES) {
    const long at = (long)n * SB_BAND_BLOCK + lane;
    sb_lanes   entry[6] = {{0}, {0}, {0}, {0}, {0}, {0}};
    if (b->second >= 0) {
      sb_lanes           d[3], across, along;
      const sb_lanes     square = sb_band_difference(bands, bands->position, b, lane, d);
      const sb_lane_mask spring =
          sb_band_hessian(sb_lanes_load(bands->stiffness + at), sb_lanes_load(bands->rest_length + at), square,
                          negative, &across, &along);
      const sb_lanes x = along * d[0], y = along * d[1], z = along * d[2];
      const sb_lanes own[6] = {across + x * d[0], x * d[1], x * d[2], across + y * d[1], y * d[2], across + z * d[2]};
      for (int e = 0; e < 6; ++e) entry[e] = sb_lanes_where(spring, own[e]);
    }
    sb_band_store(bands, b, lane, entry);
    sb_band_store(other, b, lane, entry + 3);
  }
}

SB_LANES_INLINE void put_blocks(const sb_bands *bands, const sb_bands *other, int j, long stride, double *block)
{
  const sb_band_vectors sum[2] = {sb_band_sum(bands, j, true), sb_band_sum(other, j, true)};
  for (int c = 0; c < 6; ++c)
    for (int part = 0; part < SB_BAND_PARTS; ++part)
      sb_lanes_store(block + c * stride + j * SB_BAND_BLOCK + part * SB_LANES, sum[c / 3].part[c % 3][part]);
}

APART void blocks_of_part(const sb_bands *bands, int p, double negative, long stride, double *block)
{
  const sb_bands      own = sb_band_of_part(bands, p);
  const sb_band_part *part = bands->part + p;
  const int           last = (own.summed + SB_BAND_BLOCK - 1) / SB_BAND_BLOCK;
  sb_bands            other = own;
  other.product = bands->other_product + (own.product - bands->product);
  for (int a = part->ahead; a < part[1].ahead; ++a) block_products(&own, &other, own.ahead[a], negative);
  for (int t = part->tile; t < part[1].tile; ++t) {
    for (int n = own.tile_start[t]; n < own.tile_start[t + 1]; ++n) block_products(&own, &other, n, negative);
    for (int j = t * own.tile_blocks; j < (t + 1) * own.tile_blocks && j < last; ++j)
      put_blocks(&own, &other, j, stride, block);
  }
}

static void hessian_blocks(const sb_bands *bands, double negative, const double *position, long stride, double *block)
{
  sb_band_take_apart(bands, 0, bands->vertices, position, bands->position);
  SB_OMP(parallel for num_threads(bands->threads) schedule(static, 1) if (bands->parts > 1))
  for (int p = 0; p < bands->parts; ++p) blocks_of_part(bands, p, negative, stride, block);
}

/* A turn of the vertices of part p, whose new directions are also split. */
APART void turn_part(const sb_bands *bands, int p, const sb_cg_turn *turn)
{
  const int    from = sb_band_part_start(bands, p), to = sb_band_part_start(bands, p + 1);
  const long   first = 3 * (long)from, end = 3 * (long)to;
  const double alpha = turn->alpha, beta = turn->beta;
  long         i = first;
  for (; i + SB_LANES <= end; i += SB_LANES) {
    const sb_lanes old = sb_lanes_load(turn->direction + i);
    sb_lanes_store(turn->out + i, sb_lanes_load(turn->out + i) + alpha * old);
    sb_lanes_store(turn->direction + i, sb_lanes_load(turn->scaled + i) + beta * old);
  }
  for (; i < end; ++i) {
    const double old = turn->direction[i];
    turn->out[i] += alpha * old;
    turn->direction[i] = turn->scaled[i] + beta * old;
  }
  sb_band_take_apart(bands, from, to, turn->direction, bands->direction);
}

static void turn(const sb_bands *bands, const sb_cg_turn *turn)
{
  SB_OMP(parallel for num_threads(bands->threads) schedule(static, 1) if (bands->parts > 1))
  for (int p = 0; p < bands->parts; ++p) turn_part(bands, p, turn);
}

/* product = D p + sum, and p.product into the sums of the block's tile. */
SB_LANES_INLINE void put_product(const sb_bands *bands, int j, const sb_band_vectors *sum, const double *diagonal,
                                 double *restrict product)
{
  const int       first = j * SB_BAND_BLOCK, left = bands->summed - first;
  double         *total = bands->tile_sum + j / bands->tile_blocks * SB_BAND_BLOCK, weight[SB_BAND_BLOCK] = {0};
  sb_band_vectors all = *sum;
  for (int i = 0; left < SB_BAND_BLOCK && i < left; ++i) weight[i] = diagonal[first + i];
  for (int part = 0; part < SB_BAND_PARTS; ++part) {
    const int      lane = part * SB_LANES;
    const sb_lanes w = sb_lanes_load(left < SB_BAND_BLOCK ? weight + lane : diagonal + first + lane);
    sb_lanes       p[3], dot;
    for (int c = 0; c < 3; ++c) {
      p[c] = sb_lanes_load(bands->direction + c * (long)bands->stride + first + lane);
      all.part[c][part] += w * p[c];
    }
    dot = p[0] * all.part[0][part] + p[1] * all.part[1][part] + p[2] * all.part[2][part];
    for (int l = 0; left < SB_BAND_BLOCK && l < SB_LANES; ++l)
      if (lane + l >= left) dot[l] = 0; /* no vertex, or a ghost */
    sb_lanes_store(total + lane, j % bands->tile_blocks == 0 ? dot : (sb_lanes)(sb_lanes_load(total + lane) + dot));
  }
  put_forces(bands, j, &all, product);
}

static void product_of_part(const sb_bands *bands, int p, const double *diagonal, double *product)
{
  const sb_bands own = sb_band_of_part(bands, p);
  SB_BAND_SUMS_OF_PART(&own, p, SB_BAND_HESSIAN_PRODUCT, put_product, diagonal, product)
}

APART void product_by_parts(const sb_bands *bands, const double *diagonal, double *product)
{
  SB_OMP(parallel for num_threads(bands->threads) schedule(static, 1))
  for (int p = 0; p < bands->parts; ++p) product_of_part(bands, p, diagonal, product);
}

APART void product_by_one(const sb_bands *bands, const double *diagonal, double *product)
{
  SB_BAND_SUMS(bands, SB_BAND_HESSIAN_PRODUCT, put_product, diagonal, product)
}

/* Directions come with their ghosts, so there is no wait. */
static double hessian_product(const sb_bands *bands, const double *coefficient, const double *diagonal,
                              const double *direction, double *product)
{
  sb_bands with = *bands;
  with.coefficient = coefficient;
  if (bands->vertices > bands->summed) sb_band_take_ghosts_apart(bands, direction, bands->direction);
  if (has_parts(bands))
    product_by_parts(&with, diagonal, product);
  else
    product_by_one(&with, diagonal, product);
  return sb_lanes_total(bands->tiles, bands->tile_sum);
}

/* The sum of eight, in the same order for every instruction set. */
static double sum_up(const sb_lanes *of)
{
  double lane[SB_BAND_BLOCK];
  for (int p = 0; p < SB_BAND_PARTS; ++p) sb_lanes_store(lane + p * SB_LANES, of[p]);
  return sb_lanes_total(1, lane);
}

/* H is proportional to k: with k = 0, springs that do not count add nothing. */
static double curvature(const sb_bands *bands, double negative, const double *position, const double *direction)
{
  sb_lanes sum[SB_BAND_PARTS] = {0};
  sb_band_take_apart(bands, 0, bands->vertices, position, bands->position);
  sb_band_take_apart(bands, 0, bands->vertices, direction, bands->direction);
  for (int n = 0; n < bands->tile_start[bands->tiles]; ++n) {
    const sb_band_block *b = bands->block + n;
    if (b->second < 0) continue;
    for (int p = 0; p < SB_BAND_PARTS; ++p) {
      const long         at = (long)n * SB_BAND_BLOCK + p * SB_LANES;
      sb_lanes           d[3], q[3], across, along;
      const sb_lanes     square = sb_band_difference(bands, bands->position, b, p * SB_LANES, d);
      const sb_lanes     size = sb_band_difference(bands, bands->direction, b, p * SB_LANES, q);
      const sb_lanes     part = d[0] * q[0] + d[1] * q[1] + d[2] * q[2];
      const sb_lane_mask spring =
          sb_band_hessian(sb_lanes_load(bands->counted + at), sb_lanes_load(bands->rest_length + at), square, negative,
                          &across, &along);
      sum[p] += sb_lanes_where(spring, across * size + along * part * part);
    }
  }
  return sum_up(sum);
}

static double energy(const sb_bands *bands, const double *position)
{
  sb_lanes twice[SB_BAND_PARTS] = {0};
  sb_band_take_apart(bands, 0, bands->vertices, position, bands->position);
  for (int n = 0; n < bands->tile_start[bands->tiles]; ++n) {
    if (bands->block[n].second < 0) continue;
    for (int p = 0; p < SB_BAND_PARTS; ++p) {
      const long     at = (long)n * SB_BAND_BLOCK + p * SB_LANES;
      const sb_lanes k = sb_lanes_load(bands->counted + at);
      sb_lanes       d[3];
      const sb_lanes stretch =
          sb_band_length(bands, bands->block + n, p * SB_LANES, d) - sb_lanes_load(bands->rest_length + at);
      twice[p] += sb_lanes_where(sb_lanes_numbers(k), k * stretch * stretch); /* k (r - l)^2 */
    }
  }
  return 0.5 * sum_up(twice);
}

static void roots(int count, const double *square, double *root)
{
  for (int i = 0; i < count; i += SB_LANES) sb_lanes_store(root + i, sb_lanes_root(sb_lanes_load(square + i)));
}

const sb_band_kernels SB_OF_SET(sb_band) = {.forces = forces,
                                            .local_step = local_step,
                                            .energy = energy,
                                            .hessian_blocks = hessian_blocks,
                                            .hessian_coefficients = hessian_coefficients,
                                            .pair_coefficients = pair_coefficients,
                                            .turn = turn,
                                            .hessian_product = hessian_product,
                                            .curvature = curvature,
                                            .roots = roots};
