/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks of springs and their sum; see assembly.h. This file is compiled once for each instruction set. The differences
 * of positions are gathered spring by spring; the arithmetic that follows is on plain arrays, which the compiler makes
 * vectors of. */
#include "model/system/assembly.h"

#include <math.h>
#include <stdbool.h>

#include "base/threads.h"

/* Entries after the end of a short run are copies of a spring. */
static void gather(const sb_springs *springs, int first, const double *restrict position, double d[3][SB_RUN],
                   double k[SB_RUN], double l[SB_RUN])
{
  for (int s = 0; s < SB_RUN; ++s) {
    const int     spring = first + s < springs->count ? first + s : first;
    const double *a = position + 3 * (long)springs->first[spring], *b = position + 3 * (long)springs->second[spring];
    for (int c = 0; c < 3; ++c) d[c][s] = a[c] - b[c];
    k[s] = springs->stiffness[spring];
    l[s] = springs->rest_length[spring];
  }
}

/* -H_s = -(a d d^T + t I) with a = k (1 - c)/r^2, t = k c. */
static void multiply_out(const double *restrict k, const double *restrict l, double negative, double d[3][SB_RUN],
                         sb_blocks block)
{
  const double least = negative == 0 ? 0 : -INFINITY; /* 0 times infinity counts as 0 */
  for (int s = 0; s < SB_RUN; ++s) {
    const double x = d[0][s], y = d[1][s], z = d[2][s], square = x * x + y * y + z * z;
    const double r = sqrt(square), inverse = 1.0 / r, exact = (r - l[s]) * inverse;
    const double bounded = exact < least ? least : exact, c = bounded < 0 ? negative * bounded : bounded;
    const bool   flat = square == 0, linear = l[s] == 0;
    const double along = k[s] * (1.0 - c) * (inverse * inverse), across = flat ? 1.0 / 3.0 : c;
    const double a = (flat | linear) ? 0.0 : along, t = k[s] * (linear ? 1.0 : across);
    block[0][s] = -(a * x * x + t);
    block[1][s] = -(a * x * y);
    block[2][s] = -(a * x * z);
    block[3][s] = -(a * y * y + t);
    block[4][s] = -(a * y * z);
    block[5][s] = -(a * z * z + t);
  }
}

static void blocks(const sb_springs *springs, int first, double negative, const double *restrict position,
                   sb_blocks block)
{
  double d[3][SB_RUN], k[SB_RUN], l[SB_RUN];
  gather(springs, first, position, d, k, l);
  multiply_out(k, l, negative, d, block);
}

static inline void write_block(const double h[SB_UPPER], double *restrict value, int stride)
{
  value[0] = h[0], value[1] = h[1], value[2] = h[2];
  value += stride;
  value[0] = h[1], value[1] = h[3], value[2] = h[4];
  value += stride;
  value[0] = h[2], value[1] = h[4], value[2] = h[5];
}

static inline void write_row(const sb_assembly_input *input, int r, double *const value[2])
{
  const sb_pattern *pattern = input->pattern;
  const sb_row     *row = &pattern->row[r];
  const PetscInt    vertex = input->vertex[r];
  double            sum[SB_UPPER] = {0};
  for (const sb_addend *at = pattern->addend + row[0].first; at < pattern->addend + row[1].first; ++at) {
    double(*restrict block)[SB_RUN] = pattern->block[at->spring / SB_RUN], h[SB_UPPER];
    for (int e = 0; e < SB_UPPER; ++e) h[e] = block[e][at->spring % SB_RUN];
    for (int e = 0; e < SB_UPPER; ++e) sum[e] -= h[e];
    if (at->part >= 0) write_block(h, value[at->part] + at->start, row->stride[at->part]);
  }
  if (input->more)
    for (int e = 0; e < SB_UPPER; ++e) sum[e] += input->more[SB_UPPER * (long)vertex + e];
  const double inertia = input->mass_scale * input->mass[vertex];
  sum[0] += inertia;
  sum[3] += inertia;
  sum[5] += inertia;
  write_block(sum, value[0] + row->diagonal, row->stride[0]);
}

static void assemble_by_threads(const sb_assembly_input *input, double *const value[2])
{
  const sb_springs *springs = input->springs;
  SB_OMP(parallel num_threads(input->threads))
  {
    SB_OMP(for schedule(static))
    for (int first = 0; first < springs->count; first += SB_RUN)
      blocks(springs, first, input->negative, input->position, input->pattern->block[first / SB_RUN]);
    SB_OMP(for schedule(static) nowait)
    for (int r = 0; r < input->pattern->rows; ++r) write_row(input, r, value);
  }
}

static void assemble(const sb_assembly_input *input, double *const value[2])
{
  const sb_springs *springs = input->springs;
  if (input->threads > 1) {
    assemble_by_threads(input, value);
    return;
  }
  for (int first = 0; first < springs->count; first += SB_RUN)
    blocks(springs, first, input->negative, input->position, input->pattern->block[first / SB_RUN]);
  for (int r = 0; r < input->pattern->rows; ++r) write_row(input, r, value);
}

const sb_assembly SB_OF_SET(sb_assembly) = {blocks, assemble};
