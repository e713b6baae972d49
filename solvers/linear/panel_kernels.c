/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Factorisation and solves by panels; see panel_kernels.h. This file is compiled once for each instruction set.
 *
 * The factorisation is left-looking (Ng, Peyton 1993). Panel t is gathered from A, with lines of eight columns, zeros
 * where it has fewer. Then each panel d that has rows in the columns of t is subtracted: with the rows i of d from the
 * first of these on,
 *
 *     T[i, :] -= sum_k L_d[i, k] B[k, :],      B[k, column of row q] = D_kk L_d[q, k],
 *
 * B has at most eight lines and stays in registers: a row of d costs one load and one store of a line of T and `width
 * of d` products of a line with a number. No row is sought for: B has zeros for columns that d lacks, and the lines of
 * T are found through `local`.
 *
 * A solve reads L once on its way down and once on its way up. The vectors of three right-hand sides are kept as lines
 * of four, and the sums of a panel's columns stay in registers while its rows pass. */
#include "solvers/linear/panel_kernels.h"

#include <string.h>
#ifdef __AVX512VL__
#include <immintrin.h>
#endif

/* Loops whose ends are constants are unrolled in full, so that their arrays of vectors stay in registers. */
#define UNROLLED _Pragma("GCC unroll 8")

#define ALWAYS_INLINE static inline __attribute__((always_inline))

typedef double line __attribute__((vector_size(64), aligned(8), may_alias));
typedef double quad __attribute__((vector_size(32), aligned(8), may_alias));
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));

/* `function` with the width as a constant, so that its loops over columns unroll and their vectors stay in registers.
 */
#define FOR_WIDTH(width, function, ...)                                                                                \
  switch (width) {                                                                                                     \
  case 1:                                                                                                              \
    function(1, __VA_ARGS__);                                                                                          \
    break;                                                                                                             \
  case 2:                                                                                                              \
    function(2, __VA_ARGS__);                                                                                          \
    break;                                                                                                             \
  case 3:                                                                                                              \
    function(3, __VA_ARGS__);                                                                                          \
    break;                                                                                                             \
  case 4:                                                                                                              \
    function(4, __VA_ARGS__);                                                                                          \
    break;                                                                                                             \
  case 5:                                                                                                              \
    function(5, __VA_ARGS__);                                                                                          \
    break;                                                                                                             \
  case 6:                                                                                                              \
    function(6, __VA_ARGS__);                                                                                          \
    break;                                                                                                             \
  case 7:                                                                                                              \
    function(7, __VA_ARGS__);                                                                                          \
    break;                                                                                                             \
  default:                                                                                                             \
    function(SB_PANEL_WIDTH, __VA_ARGS__);                                                                             \
    break;                                                                                                             \
  }

typedef struct {
  int           first, width, below;
  const int    *row;
  const double *square, *lines; /* values: [width][width], [below][width] */
} panel;

ALWAYS_INLINE panel panel_at(const sb_panel_plan *plan, const double *value, int p)
{
  const int width = plan->first[p + 1] - plan->first[p];
  return (panel){.first = plan->first[p],
                 .width = width,
                 .below = plan->shape[p].below,
                 .row = plan->row + plan->row_start[p],
                 .square = value + plan->value_start[p],
                 .lines = value + plan->value_start[p] + width * width};
}

/* Panel t, gathered, is zero. */
static void open_panel(const panel *t, const sb_panel_factor_arrays *numbers)
{
  int *local = numbers->local;
  for (int j = 0; j < t->width; ++j) local[t->first + j] = j;
  for (int i = 0; i < t->below; ++i) local[t->row[i]] = t->width + i;
  memset(numbers->gathered, 0, sizeof(line) * (size_t)(t->width + t->below));
}

static void gather(const sb_panel_plan *plan, const double *a, int p, const sb_panel_factor_arrays *numbers)
{
  double *gathered = numbers->gathered;
  for (int64_t k = plan->entry_start[p]; k < plan->entry_start[p + 1]; ++k)
    gathered[plan->place[k]] = a[plan->entry[k]];
}

/* Panel d, from its row at `from` on, off the gathered panel t; returns the first of its rows that is below t's
 * columns. */
ALWAYS_INLINE int subtract(const int width, const panel *d, const double *pivots, int from, const panel *t,
                           const sb_panel_factor_arrays *numbers)
{
  const double *restrict l = d->lines + (ptrdiff_t)from * width;
  const int *restrict local = numbers->local;
  const int *restrict row = d->row;
  const int last = t->first + t->width;
  double    factor[SB_PANEL_WIDTH * SB_PANEL_WIDTH] __attribute__((aligned(64)));
  line      b[SB_PANEL_WIDTH];
  int       end = from;
  for (int k = 0; k < width; ++k) ((line *)factor)[k] = (line){0};
  for (const double *hit = l; end < d->below && row[end] < last; ++end, hit += width) {
    double *restrict column = factor + (row[end] - t->first);
    for (int k = 0; k < width; ++k) column[SB_PANEL_WIDTH * k] = hit[k] * pivots[k];
  }
  for (int k = 0; k < width; ++k) b[k] = ((const line *)factor)[k];
  for (int i = from; i < d->below; ++i, l += width) {
    line *target = (line *)numbers->gathered + local[row[i]];
    line  even = *target - l[0] * b[0];
    if (width > 3) { /* two chains of products: a single one waits for itself */
      line odd = l[1] * b[1];
      for (int k = 2; k < width; k += 2) even -= l[k] * b[k];
      for (int k = 3; k < width; k += 2) odd += l[k] * b[k];
      even -= odd;
    } else {
      for (int k = 1; k < width; ++k) even -= l[k] * b[k];
    }
    *target = even;
  }
  return end;
}

static int subtract_panel(const panel *d, const double *pivot, int from, const panel *t,
                          const sb_panel_factor_arrays *numbers)
{
  int end = 0;
  FOR_WIDTH(d->width, end = subtract, d, pivot + d->first, from, t, numbers)
  return end;
}

/* The square block of a gathered panel: D and the unit triangle into `square`, and the triangle's transpose into
 * `upper`, by lines. Returns how many pivots are positive. */
ALWAYS_INLINE int factor_square(const int width, double *gathered, double *restrict pivot, double *restrict inverse,
                                double *restrict upper, double *restrict square)
{
  for (int j = 0; j < width; ++j) ((line *)upper)[j] = (line){0};
  for (int j = 0; j < width; ++j) {
    double *line_j = upper + SB_PANEL_WIDTH * j;
    pivot[j] = gathered[SB_PANEL_WIDTH * j + j];
    if (!(pivot[j] > 0)) return j;
    inverse[j] = 1 / pivot[j];
    for (int i = j + 1; i < width; ++i) line_j[i] = gathered[SB_PANEL_WIDTH * i + j] * inverse[j];
    for (int i = j + 1; i < width; ++i)
      for (int k = j + 1; k <= i; ++k) gathered[SB_PANEL_WIDTH * i + k] -= gathered[SB_PANEL_WIDTH * i + j] * line_j[k];
    for (int i = j + 1; i < width; ++i) square[width * i + j] = line_j[i];
  }
  return width;
}

/* Lines x of the panel to x (D L^T)^-1, packed. */
ALWAYS_INLINE void finish_lines(const int width, int rows, const double *restrict upper, const double *restrict inverse,
                                const double *restrict gathered, double *restrict packed)
{
  line u[SB_PANEL_WIDTH], scale = {0};
  memcpy(&scale, inverse, sizeof(double) * (size_t)width);
  for (int j = 0; j < width; ++j) u[j] = ((const line *)upper)[j];
  for (int i = 0; i < rows; ++i, packed += width) {
    line x = ((const line *)gathered)[i];
    for (int j = 0; j + 1 < width; ++j) x -= x[j] * u[j];
    x *= scale;
    memcpy(packed, &x, sizeof(double) * (size_t)width);
  }
}

/* Puts panel p, whose rows before `from` are done with, on the list of the panel that has the next one. */
static void enlist(const sb_panel_plan *plan, sb_panel_factor_arrays *numbers, int p, int from)
{
  if (from == plan->shape[p].below) return;
  const int of = plan->panel_of[plan->row[plan->row_start[p] + from]];
  numbers->at[p] = from;
  numbers->next[p] = numbers->head[of];
  numbers->head[of] = p;
}

ALWAYS_INLINE int finish(const int width, const panel *t, const sb_panel_factor_arrays *numbers)
{
  double        upper[SB_PANEL_WIDTH * SB_PANEL_WIDTH] __attribute__((aligned(64)));
  double       *inverse = numbers->inverse + t->first;
  const double *below = numbers->gathered + SB_PANEL_WIDTH * width;
  const int     positive =
      factor_square(width, numbers->gathered, numbers->pivot + t->first, inverse, upper, (double *)t->square);
  if (positive == width) finish_lines(width, t->below, upper, inverse, below, (double *)t->lines);
  return positive;
}

static int finish_panel(const panel *t, const sb_panel_factor_arrays *numbers)
{
  int positive = 0;
  FOR_WIDTH(t->width, positive = finish, t, numbers)
  return positive;
}

/* Off panel p, gathered, all panels of its list, which then are on that of their next row. */
static void subtract_listed(const sb_panel_plan *plan, int p, const panel *t, sb_panel_factor_arrays *numbers)
{
  for (int d = numbers->head[p], next; d >= 0; d = next) {
    const panel earlier = panel_at(plan, numbers->value, d);
    next = numbers->next[d];
    enlist(plan, numbers, d, subtract_panel(&earlier, numbers->pivot, numbers->at[d], t, numbers));
  }
}

/* The scratch of a part. */
static sb_panel_factor_arrays numbers_of(const sb_panel_plan *plan, const sb_panel_factor_arrays *numbers, int part)
{
  const size_t           scratch = (size_t)(part % plan->parts);
  sb_panel_factor_arrays own = *numbers;
  own.gathered += scratch * (size_t)plan->tallest * SB_PANEL_WIDTH;
  own.local += scratch * (size_t)plan->rows;
  own.head += (size_t)part * (size_t)plan->panels;
  if (plan->parts > 1) own.above += scratch * (size_t)plan->above_lines * SB_PANEL_WIDTH;
  return own;
}

/* Subtracts a part's updates from the panels above it: they are gathered in the part's memory, for `add_parts`. */
static void subtract_above(const sb_panel_plan *plan, sb_panel_factor_arrays own)
{
  own.gathered = own.above;
  for (int r = plan->range_start[plan->parts]; r < plan->range_start[plan->parts + 1]; ++r)
    for (int p = plan->range[r].first; p < plan->range[r].end; ++p) {
      const panel t = panel_at(plan, own.value, p);
      open_panel(&t, &own);
      subtract_listed(plan, p, &t, &own);
      own.gathered += SB_PANEL_WIDTH * (t.width + t.below);
    }
}

/* Adds the subtractions of all parts from panel t; `above`: those of part 0. */
static void add_parts(const sb_panel_plan *plan, const panel *t, const double *above,
                      const sb_panel_factor_arrays *numbers)
{
  line *gathered = (line *)numbers->gathered;
  for (int part = 0; part < plan->parts; ++part) {
    const line *taken = (const line *)above + (ptrdiff_t)part * plan->above_lines;
    for (int i = 0; i < t->width + t->below; ++i) gathered[i] += taken[i];
  }
}

static bool factorize(const sb_panel_plan *plan, const double *a, int part, sb_panel_factor_arrays *numbers)
{
  sb_panel_factor_arrays own = numbers_of(plan, numbers, part);
  const double          *above = part == plan->parts ? numbers->above : NULL;
  memset(own.head, -1, sizeof(int) * (size_t)plan->panels);
  for (int r = plan->range_start[part]; r < plan->range_start[part + 1]; ++r)
    for (int p = plan->range[r].first; p < plan->range[r].end; ++p) {
      const panel t = panel_at(plan, own.value, p);
      open_panel(&t, &own);
      gather(plan, a, p, &own);
      if (above) {
        add_parts(plan, &t, above, &own);
        above += SB_PANEL_WIDTH * (t.width + t.below);
      }
      subtract_listed(plan, p, &t, &own);
      if (finish_panel(&t, &own) < t.width) return false;
      enlist(plan, &own, p, 0);
    }
  if (part < plan->parts) subtract_above(plan, own);
  return true;
}

/* Solves read L from end to end, and are a twentieth faster where lines are called for 4 KiB ahead, also beyond its
 * end. */
enum { AHEAD = 4096 };

ALWAYS_INLINE void fetch(const double *l, int bytes) { __builtin_prefetch((const void *)((intptr_t)l + bytes)); }

/* Adds three numbers to a row of the work space, whose fourth is never read. */
ALWAYS_INLINE void add_three(const double *from, quad *to)
{
#ifdef __AVX512VL__
  *to += (quad)_mm256_maskz_loadu_pd(7, from);
#else
  const pair two = *(const pair *)from;
  *to += (quad){two[0], two[1], from[2], 0};
#endif
}

ALWAYS_INLINE void store_three(double *to, const quad *from)
{
#ifdef __AVX512VL__
  _mm256_mask_storeu_pd(to, 7, (__m256d)*from);
#else
  const quad x = *from;
  *(pair *)to = (pair){x[0], x[1]};
  to[2] = x[2];
#endif
}

/* A row below a panel on the way down: the sum over the panel's columns. */
ALWAYS_INLINE void take_from(const int width, const double *restrict l, const quad *y, double *row)
{
  quad even = *(quad *)row - l[0] * y[0];
  if (width > 3) { /* two chains, as in `subtract` */
    quad odd = l[1] * y[1];
    UNROLLED for (int k = 2; k < width; k += 2) even -= l[k] * y[k];
    UNROLLED for (int k = 3; k < width; k += 2) odd += l[k] * y[k];
    even -= odd;
  } else {
    UNROLLED for (int k = 1; k < width; ++k) even -= l[k] * y[k];
  }
  *(quad *)row = even;
}

/* The read position of a solve. Shapes, places and numbers of panels are stored one behind the other, and read forwards
 * in the first half and backwards in the second: finding a panel by its number would cost as much as several of its
 * rows. */
typedef struct {
  const int    *row;     /* the plan's places */
  const double *l;       /* values */
  const double *inverse; /* of D */
  double       *own;     /* a panel's columns in the work space */
} reading;

/* The beginning and the end of a range; `each`: values per row in the work space. */
ALWAYS_INLINE reading front_of(const sb_panel_plan *plan, const sb_panel_factor_arrays *numbers,
                               const sb_panel_range *range, const int each)
{
  const int first = plan->first[range->first];
  return (reading){plan->places + range->places, numbers->value + plan->value_start[range->first],
                   numbers->inverse + first, numbers->work + (ptrdiff_t)each * first};
}

ALWAYS_INLINE reading back_of(const sb_panel_plan *plan, const sb_panel_factor_arrays *numbers,
                              const sb_panel_range *range, const int each)
{
  const int end = plan->first[range->end];
  return (reading){plan->places + range->places_end, numbers->value + plan->value_start[range->end],
                   numbers->inverse + end, numbers->work + (ptrdiff_t)each * end};
}

/* The copies that a part beyond the first has of rows above. */
ALWAYS_INLINE double *copies_of(const sb_panel_plan *plan, const sb_panel_factor_arrays *numbers, int part,
                                const int each)
{
  return numbers->work + (ptrdiff_t)each * (plan->rows + (ptrdiff_t)(part - 1) * plan->above);
}

/* Before the way down a part's rows are zero, and its copies. */
ALWAYS_INLINE void clear_part(const sb_panel_plan *plan, const sb_panel_factor_arrays *numbers, int part,
                              const int each)
{
  const size_t bytes = sizeof(double) * (size_t)each;
  double      *work = numbers->work;
  for (int r = plan->range_start[part]; r < plan->range_start[part + 1]; ++r) {
    const int first = plan->first[plan->range[r].first], end = plan->first[plan->range[r].end];
    memset(work + (ptrdiff_t)each * first, 0, bytes * (size_t)(end - first));
  }
  if (part > 0)
    memset(copies_of(plan, numbers, part, each), 0, bytes * (size_t)plan->above);
  else
    for (int i = 0; i < plan->above; ++i) memset(work + (ptrdiff_t)each * plan->above_row[i], 0, bytes);
}

/* And the rows above all parts have the sums of all copies. */
ALWAYS_INLINE void add_copies(const sb_panel_plan *plan, const sb_panel_factor_arrays *numbers, const int each)
{
  for (int part = 1; part < plan->parts; ++part) {
    const double *copy = copies_of(plan, numbers, part, each);
    for (int i = 0; i < plan->above; ++i)
      for (int k = 0; k < each; ++k) numbers->work[(ptrdiff_t)each * plan->above_row[i] + k] += copy[each * i + k];
  }
}

/* Before the way up: subtracts the known rows above. */
ALWAYS_INLINE void copy_above(const sb_panel_plan *plan, const sb_panel_factor_arrays *numbers, int part,
                              const int each)
{
  if (part == 0 || part == plan->parts) return;
  double *copy = copies_of(plan, numbers, part, each);
  for (int i = 0; i < plan->above; ++i)
    for (int k = 0; k < each; ++k) copy[each * i + k] = numbers->work[(ptrdiff_t)each * plan->above_row[i] + k];
}

/* The columns of a panel on the way down, y = L^-1 P b; `work` has the sums of earlier panels for its rows. */
ALWAYS_INLINE reading descend_columns(const int width, reading at, int below, const double *restrict b,
                                      double *restrict work)
{
  quad          y[SB_PANEL_WIDTH], *own = (quad *)at.own;
  const double *l = at.l + width * width;
  const int *row = at.row + width, *const end = row + below;
  UNROLLED for (int j = 0; j < width; ++j)
  {
    y[j] = own[j];
    add_three(b + at.row[j], &y[j]);
  }
  UNROLLED for (int k = 0; k < width; ++k)
  {
    own[k] = y[k];
    UNROLLED for (int j = k + 1; j < width; ++j) y[j] -= at.l[width * j + k] * y[k];
  }
  for (; row + 1 < end; row += 2, l += 2 * width) {
    fetch(l, AHEAD);
    if (width > 4) fetch(l + width, AHEAD);
    take_from(width, l, y, work + row[0]);
    take_from(width, l + width, y, work + row[1]);
  }
  if (row < end) {
    take_from(width, l, y, work + row[0]);
    l += width;
  }
  return (reading){end, l, at.inverse + width, at.own + 4 * width};
}

/* And on the way up, P x = L^-T D^-1 y. Rows go from the last to the first: the first has the newest results of the
 * previous panel, so that the sums over the others need not wait for them. */
ALWAYS_INLINE reading ascend_columns(const int width, reading at, int below, double *restrict work, double *restrict x)
{
  quad          sum[SB_PANEL_WIDTH], *own = (quad *)at.own - width;
  const double *l = at.l, *square;
  const int *row = at.row, *const end = row - below;
  at.inverse -= width;
  UNROLLED for (int k = 0; k < width; ++k) sum[k] = own[k] * at.inverse[k];
  while (row > end) {
    const quad known = *(const quad *)(work + *--row);
    l -= width;
    fetch(l, -AHEAD);
    UNROLLED for (int k = 0; k < width; ++k) sum[k] -= l[k] * known;
  }
  row -= width;
  square = l - width * width;
  UNROLLED for (int j = width - 1; j >= 0; --j)
  {
    UNROLLED for (int k = 0; k < j; ++k) sum[k] -= square[width * j + k] * sum[j];
    own[j] = sum[j];
    store_three(x + row[j], &sum[j]);
  }
  return (reading){row, square, at.inverse, (double *)own};
}

static void descend_three(const sb_panel_plan *plan, const sb_panel_factor_arrays *numbers, int part, const double *b)
{
  part < plan->parts ? clear_part(plan, numbers, part, SB_PANEL_THREE) : add_copies(plan, numbers, SB_PANEL_THREE);
  for (int r = plan->range_start[part]; r < plan->range_start[part + 1]; ++r) {
    const sb_panel_range *range = plan->range + r;
    reading               at = front_of(plan, numbers, range, SB_PANEL_THREE);
    for (int p = range->first; p < range->end; ++p)
      FOR_WIDTH(plan->shape[p].width, at = descend_columns, at, plan->shape[p].below, b, numbers->work)
  }
}

static void ascend_three(const sb_panel_plan *plan, const sb_panel_factor_arrays *numbers, int part, double *x)
{
  copy_above(plan, numbers, part, SB_PANEL_THREE);
  for (int r = plan->range_start[part + 1] - 1; r >= plan->range_start[part]; --r) {
    const sb_panel_range *range = plan->range + r;
    reading               at = back_of(plan, numbers, range, SB_PANEL_THREE);
    for (int p = range->end - 1; p >= range->first; --p)
      FOR_WIDTH(plan->shape[p].width, at = ascend_columns, at, plan->shape[p].below, numbers->work, x)
  }
}

/* Products of a line with y by columns; y has zeros for absent columns. */
ALWAYS_INLINE void multiply(const int width, const double *l, const quad *y, quad *product)
{
  *product = *(const quad *)l * y[0];
  if (width > 4) *product += *(const quad *)(l + 4) * y[1];
}

/* The sums of four quads. */
ALWAYS_INLINE void sum_each(const quad *of, quad *sum)
{
  const quad front =
      __builtin_shufflevector(of[0], of[1], 0, 4, 2, 6) + __builtin_shufflevector(of[0], of[1], 1, 5, 3, 7);
  const quad back =
      __builtin_shufflevector(of[2], of[3], 0, 4, 2, 6) + __builtin_shufflevector(of[2], of[3], 1, 5, 3, 7);
  *sum = __builtin_shufflevector(front, back, 0, 1, 4, 5) + __builtin_shufflevector(front, back, 2, 3, 6, 7);
}

/* The same for one right-hand side. Whole lines are read, also shorter ones: the numbers after their end are multiplied
 * by zero, or end in sums that are never read. */
ALWAYS_INLINE reading descend(const int width, reading at, int below, const double *restrict b, double *restrict work)
{
  double        y[SB_PANEL_WIDTH] = {0};
  const double *l = at.l + width * width;
  const int *row = at.row + width, *const end = row + below;
  UNROLLED for (int j = 0; j < width; ++j) y[j] = at.own[j] + b[at.row[j]];
  UNROLLED for (int k = 0; k < width; ++k)
  {
    at.own[k] = y[k];
    UNROLLED for (int j = k + 1; j < width; ++j) y[j] -= at.l[width * j + k] * y[k];
  }
  const quad known[2] = {{y[0], y[1], y[2], y[3]}, {y[4], y[5], y[6], y[7]}};
  for (; row + 3 < end; row += 4, l += 4 * width) {
    quad product[4], sum;
    UNROLLED for (int i = 0; i < 4; ++i) fetch(l + i * width, AHEAD);
    UNROLLED for (int i = 0; i < 4; ++i) multiply(width, l + i * width, known, &product[i]);
    sum_each(product, &sum);
    UNROLLED for (int i = 0; i < 4; ++i) work[row[i]] -= sum[i];
  }
  for (; row < end; ++row, l += width) {
    double sum = work[*row];
    UNROLLED for (int k = 0; k < width; ++k) sum -= l[k] * y[k];
    work[*row] = sum;
  }
  return (reading){end, l, at.inverse + width, at.own + width};
}

ALWAYS_INLINE reading ascend(const int width, reading at, int below, double *restrict work, double *restrict x)
{
  quad          sum[2] = {{0}};
  double       *own = at.own - width, y[SB_PANEL_WIDTH];
  const double *l = at.l, *square;
  const int *row = at.row, *const end = row - below;
  at.inverse -= width;
  while (row > end) {
    const double known = work[*--row];
    l -= width;
    fetch(l, -AHEAD);
    sum[0] += *(const quad *)l * known;
    if (width > 4) sum[1] += *(const quad *)(l + 4) * known;
  }
  row -= width;
  square = l - width * width;
  UNROLLED for (int k = 0; k < width; ++k) y[k] = own[k] * at.inverse[k] - sum[k / 4][k % 4];
  UNROLLED for (int j = width - 1; j >= 0; --j)
  {
    UNROLLED for (int k = 0; k < j; ++k) y[k] -= square[width * j + k] * y[j];
    x[row[j]] = own[j] = y[j];
  }
  return (reading){row, square, at.inverse, own};
}

static void descend_one(const sb_panel_plan *plan, const sb_panel_factor_arrays *numbers, int part, const double *b)
{
  part < plan->parts ? clear_part(plan, numbers, part, SB_PANEL_ONE) : add_copies(plan, numbers, SB_PANEL_ONE);
  for (int r = plan->range_start[part]; r < plan->range_start[part + 1]; ++r) {
    const sb_panel_range *range = plan->range + r;
    reading               at = front_of(plan, numbers, range, SB_PANEL_ONE);
    for (int p = range->first; p < range->end; ++p)
      FOR_WIDTH(plan->shape[p].width, at = descend, at, plan->shape[p].below, b, numbers->work)
  }
}

static void ascend_one(const sb_panel_plan *plan, const sb_panel_factor_arrays *numbers, int part, double *x)
{
  copy_above(plan, numbers, part, SB_PANEL_ONE);
  for (int r = plan->range_start[part + 1] - 1; r >= plan->range_start[part]; --r) {
    const sb_panel_range *range = plan->range + r;
    reading               at = back_of(plan, numbers, range, SB_PANEL_ONE);
    for (int p = range->end - 1; p >= range->first; --p)
      FOR_WIDTH(plan->shape[p].width, at = ascend, at, plan->shape[p].below, numbers->work, x)
  }
}

const sb_panel_kernels SB_OF_SET(sb_panel) = {factorize, {descend_one, ascend_one}, {descend_three, ascend_three}};
