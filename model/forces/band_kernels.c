/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels over bands; see bands.h. This file is compiled once for each instruction set. */
#include "base/threads.h"
#include "model/forces/band_sums.h"

/* One thread's loops are a function of their own: beside those of several, registers would run short. */
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

/* Directions come with their ghosts, so nothing is waited for. */
APART void hessian_product_by_parts(const sb_bands *bands, const double *position, const double *direction,
                                    double *product)
{
  SB_OMP(parallel num_threads(bands->threads))
  {
    SB_OMP(for schedule(static, 1))
    for (int p = 0; p < bands->parts; ++p) {
      sb_band_take_part_apart(bands, p, position, bands->position);
      sb_band_take_part_apart(bands, p, direction, bands->direction);
    }
    SB_OMP(single)
    {
      sb_band_take_ghosts_apart(bands, position, bands->position);
      sb_band_take_ghosts_apart(bands, direction, bands->direction);
    }
    SB_OMP(for schedule(static, 1) nowait)
    for (int p = 0; p < bands->parts; ++p) {
      const sb_bands own = sb_band_of_part(bands, p);
      SB_BAND_SUMS_OF_PART(&own, p, SB_BAND_HESSIAN_PRODUCT, put_forces, product)
    }
  }
}

APART void hessian_product_by_one(const sb_bands *bands, const double *position, const double *direction,
                                  double *product)
{
  sb_band_take_apart(bands, 0, bands->vertices, position, bands->position);
  sb_band_take_apart(bands, 0, bands->vertices, direction, bands->direction);
  SB_BAND_SUMS(bands, SB_BAND_HESSIAN_PRODUCT, put_forces, product)
}

static void hessian_product(const sb_bands *bands, double negative, const double *position, const double *direction,
                            double *product)
{
  sb_bands with = *bands;
  with.negative = negative;
  if (has_parts(bands))
    hessian_product_by_parts(&with, position, direction, product);
  else
    hessian_product_by_one(&with, position, direction, product);
}

/* The sum of eight, in one order whatever the instruction set. */
static double sum_up(const sb_lanes *of)
{
  double lane[SB_BAND_BLOCK];
  for (int p = 0; p < SB_BAND_PARTS; ++p) sb_lanes_store(lane + p * SB_LANES, of[p]);
  return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

/* H is proportional to k, so that k where counted gives what is counted. */
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

const sb_band_kernels SB_OF_SET(sb_band) = {forces, local_step, energy, hessian_product, curvature, roots};
