/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Springs sorted for vector instructions: by bands, in blocks of eight.
 *
 * If a net is numbered row by row, its springs join vertices i and i + offset with few offsets: the bands of its
 * matrix. A block is eight springs of a band with lower ends 8 b … 8 b + 7. Its ends are two runs of eight vertices,
 * read without a gather from three coordinate arrays. The products of a block, factor d, are kept in a ring per band as
 * long as they are needed. A block of eight vertices then sums runs of eight products over the bands in a fixed order.
 * That order is the order of springs at every vertex, so that bits are those of kernels.h. A lane without a spring has
 * a product of 0, which changes no sum.
 *
 * Threads share the tiles. Each part is a run of tiles with its own rings, and computes again the products of earlier
 * tiles that its first sums need. One thread sums a vertex, from the same products in the same order for any parts, so
 * that bits do not depend on the number of threads. The energy is computed on one thread: the bits of a sum over all
 * springs depend on where it is cut, and it is needed once where forces are needed many times.
 *
 * On several ranks the vertices after the sums are ghosts. Inner parts have no spring to a ghost. They come first, and
 * `arrive` then waits for the ghosts' positions, so that an exchange overlaps with them.
 *
 * The plan is computed from the list of springs, for any scene. Nets with too many offsets, or whose springs have no
 * common order, have no plan. */
#pragma once

#include <stdbool.h>

#include "base/instruction_set.h"
#include "model/forces/kernels.h"

enum { SB_BAND_BLOCK = 8 };

/* Springs of one band with lower ends first … first + 7. */
typedef struct {
  int first, second; /* second = first + offset; -1: no spring, products are 0 */
  int at, mirror;    /* offset of its products, and, at the start of a ring, of their copy after its end, else -1 */
} sb_band_block;

/* A share of the work: tiles from `tile` to that of the next part. */
typedef struct {
  int tile, ahead; /* ahead: its first one in bands->ahead */
} sb_band_part;

typedef struct {
  int  vertices, summed;   /* vertices known; those among the first that have sums */
  int  tiles, tile_blocks; /* `tile_blocks` blocks of vertices are a tile: its products come before its sums */
  int *tile_start;         /* [tiles + 1] into block */
  sb_band_block *block;
  double        *pull, *stiffness, *rest_length,
      *counted;         /* [blocks][8] k l, k, l, and k of counted springs (may be the array
                         * `stiffness`); NaN in pull and stiffness: no spring; pull is NULL until needed */
  int *term_start;      /* [blocks of vertices + 1] into term */
  int *term;            /* offset of eight products, or ~offset: they are subtracted */
  int *row, *block_row; /* [vertices summed] as the caller gave it; of a block's first
                         * vertex if all eight are consecutive, else -1 */
  int           stride, product_stride;
  double       *position, *direction; /* [3][stride] scratch: split coordinates; direction is NULL until needed */
  const double *coefficient;          /* argument of hessian_product while it runs */
  double       *product;              /* [parts][3][product_stride] scratch: rings */
  double       *tile_sum;             /* [tiles][8] scratch, like direction */
  double       *other_product;        /* like product and direction: rings of blocks' other three entries */
  int           threads, parts;
  sb_band_part *part;                   /* [parts + 1], the last one after the end */
  int           inner_first, inner_end; /* the parts that need no ghost; all without ghosts */
  void (*arrive)(void *context);        /* called before outer parts; NULL: ghosts are there already */
  void *context;
  int  *ahead; /* numbers of the blocks of earlier tiles whose products a part computes again */
} sb_bands;

typedef struct {
  /* force [vertices summed][3] = -grad E */
  void (*forces)(const sb_bands *bands, const double *position, double *force);
  /* rhs[row] = constant[row] + scale J d for every vertex that has a row; needs `pull` */
  void (*local_step)(const sb_bands *bands, const double *position, double scale, const double *constant, double *rhs);
  /* Sum of 1/2 k (r - l)^2 over counted springs. Rounding differs from kernels.h, not between instruction sets. */
  double (*energy)(const sb_bands *bands, const double *position);
  /* block [6][stride] = the diagonal blocks of H of the vertices summed, with the bits of kernels.h; stride is at least
   * their number rounded up to eight. Needs `direction`. */
  void (*hessian_blocks)(const sb_bands *bands, double negative, const double *position, long stride, double *block);
  /* A product with H in three parts. H is kept at one place for many products: coefficient [blocks][4][8] = the
   * springs' numbers as in kernels.h. `turn` makes the new direction p [vertices summed][3] and splits it. product
   * [vertices summed][3] = (D + H) p. All need `direction` and have the bits of kernels.h. hessian_product returns
   * p^T (D + H) p over the vertices summed. Each tile has its own sum, so the bits depend neither on threads nor on the
   * instruction set. */
  void (*hessian_coefficients)(const sb_bands *bands, double negative, const double *position, double *coefficient);
  void (*turn)(const sb_bands *bands, const sb_cg_turn *turn);
  double (*hessian_product)(const sb_bands *bands, const double *coefficient, const double *diagonal,
                            const double *direction, double *product);
  /* coefficient [4][springs, rounded up to eight]: the numbers of a list of springs, which need no bands, with the bits
   * of kernels.h. The list's stiffness and rest_length have as much room. */
  void (*pair_coefficients)(const sb_springs *springs, double negative, const double *position, double *coefficient);
  /* p^T H p over counted springs; negative eigenvalues of springs are multiplied by `negative`; direction p
   * [vertices][3]. Rounding as for the energy. */
  double (*curvature)(const sb_bands *bands, double negative, const double *position, const double *direction);
  /* root = square root of square; count is a multiple of 8. For tests. */
  void (*roots)(int count, const double *square, double *root);
} sb_band_kernels;

SB_DECLARE_TABLES(sb_band_kernels, sb_band);
const sb_band_kernels *sb_band_kernels_best(void);

/* Plans the sums at the first `summed` of `vertices`, for at most `threads` threads; every spring touches one of them.
 * row [summed] is the destination of each result, -1: none. *bands = NULL if the springs have no bands. False: out of
 * memory. */
bool sb_bands_create(const sb_springs *springs, int vertices, int summed, const int *row, int threads,
                     sb_bands **bands);
/* Computes `pull`, once: only local_step needs it. False: out of memory. */
bool sb_bands_take_pulls(sb_bands *bands);
/* Allocates room for directions, once: only products with H and curvature need it. False: out of memory. */
bool sb_bands_take_directions(sb_bands *bands);
void sb_bands_destroy(sb_bands **bands);
