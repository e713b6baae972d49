/* Springs sorted for vectors: by bands, for eight neighbours at a time.
 *
 * The springs of a net that is numbered row by row join vertices i and i + offset with few offsets: the bands of its
 * matrix. Eight springs of a band whose lower ends are 8 b … 8 b + 7 are a block: their ends are two runs of eight
 * vertices, read without a gather when coordinates stand in three arrays. What a block pulls, factor d, is kept (a
 * ring for each band, no longer than somebody still needs it), and a block of eight vertices then sums what it is due:
 * runs of eight products, from bands in one order that is the order of springs at every vertex, so that bits are those
 * of kernels.h. Where a band has no spring, a lane has a product of 0, which alters no sum.
 *
 * Threads share the tiles: each part of them, a run of tiles, has rings of its own, and makes the products of earlier
 * tiles that its first sums need once more. A vertex is summed by one thread, from the same products in the same order
 * whatever the parts are, so that bits do not depend on their number. The energy stays on one thread: a sum over all
 * springs has bits that depend on where it is cut, and it is asked for once where forces are asked for many times.
 *
 * The plan is found in the list of springs, whatever scene it is from; nets that have too many offsets, or whose
 * springs are in no common order, have none. */
#pragma once

#include <stdbool.h>

#include "base/instruction_set.h"
#include "model/forces/kernels.h"

enum { SB_BAND_BLOCK = 8 };

/* Springs of one band with lower ends first … first + 7. */
typedef struct {
  int first, second; /* second = first + offset; -1: no spring, products are 0 */
  int at, mirror;    /* where products go, and, at the start of a ring, also to what stands behind its end, else -1 */
} sb_band_block;

/* What a thread does: tiles from `tile` to that of the next part. */
typedef struct {
  int tile, ahead; /* ahead: its first one in bands->ahead */
} sb_band_part;

typedef struct {
  int  vertices, summed;   /* known ones; of those the first ones, of which sums are asked */
  int  tiles, tile_blocks; /* tiles of so many blocks of vertices, whose products are made before their sums */
  int *tile_start;         /* [tiles + 1] into block */
  sb_band_block *block;
  double *pull, *stiffness, *rest_length, *counted; /* [blocks][8] k l, k, l; k where counted (all of them: the same
                                                       array); NaN in pull and in stiffness: no spring */
  int *term_start;                                  /* [blocks of vertices + 1] into term */
  int *term;                                        /* place of eight products, or ~place: they are subtracted */
  int *row, *block_row;                             /* [vertices summed] as the caller said; of a block's first
                                                       vertex where all eight follow it, else -1 */
  int           stride, product_stride;
  double       *position, *direction; /* [3][stride] scratch: coordinates apart; direction NULL until asked for */
  double        negative;             /* of hessian_product and curvature while they run */
  double       *product;              /* [parts][3][product_stride] scratch: rings */
  int           parts;
  sb_band_part *part;  /* [parts + 1], the last one behind the end */
  int          *ahead; /* numbers of the blocks of earlier tiles that a part needs */
} sb_bands;

typedef struct {
  /* force [vertices summed][3] = -grad E */
  void (*forces)(const sb_bands *bands, const double *position, double *force);
  /* rhs[row] = constant[row] + scale J d of every vertex that has a row */
  void (*local_step)(const sb_bands *bands, const double *position, double scale, const double *constant, double *rhs);
  /* Sum of 1/2 k (r - l)^2 over counted springs; rounding differs from kernels.h, not between instruction sets. */
  double (*energy)(const sb_bands *bands, const double *position);
  /* product [vertices summed][3] = H p, and p^T H p over counted springs, negative eigenvalues of springs times
   * `negative`; direction p [vertices][3]. Bits as those of kernels.h, and as for the energy. */
  void (*hessian_product)(const sb_bands *bands, double negative, const double *position, const double *direction,
                          double *product);
  double (*curvature)(const sb_bands *bands, double negative, const double *position, const double *direction);
  /* root = square root of square; count is a multiple of 8. For tests. */
  void (*roots)(int count, const double *square, double *root);
} sb_band_kernels;

SB_DECLARE_TABLES(sb_band_kernels, sb_band);
const sb_band_kernels *sb_band_kernels_best(void);

/* Plans the sums of the first `summed` of `vertices`, one of which every spring touches, for at most so many threads;
 * row [summed]: where each one's result goes, -1: nowhere. *bands = NULL for springs without bands. False: out of
 * memory. */
bool sb_bands_create(const sb_springs *springs, int vertices, int summed, const int *row, int threads,
                     sb_bands **bands);
/* Makes room for directions, once: hessian_product and curvature need it, others not. False: out of memory. */
bool sb_bands_take_directions(sb_bands *bands);
void sb_bands_destroy(sb_bands **bands);
