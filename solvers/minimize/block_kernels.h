/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Products with symmetric 3x3 blocks on a diagonal, compiled for several instruction sets. Local. */
#pragma once

#include "base/instruction_set.h"

enum { SB_BLOCK_CHUNK = 128 }; /* vertices whose sums are made by one thread */

/* Blocks of vertices: entry e (xx xy xz yy yz zz) of vertex i is entry[e * stride + i]; stride is at least `vertices`
 * rounded up to eight. */
typedef struct {
  int     vertices, threads;
  long    stride;
  double *entry;
  double *chunk_sum; /* [chunks][8] scratch */
} sb_blocks;

typedef struct {
  /* Every block, symmetric and positive definite, becomes its inverse. */
  void (*invert)(const sb_blocks *blocks);
  /* residual -= alpha product, scaled = B residual, all [vertices][3]. Returns residual.scaled, whose bits depend
   * neither on threads nor on the instruction set. */
  double (*correct)(const sb_blocks *blocks, double alpha, const double *product, double *residual, double *scaled);
} sb_block_kernels;

SB_DECLARE_TABLES(sb_block_kernels, sb_block);
