/* Factorisation and solves by panels; see panel_kernels.h. This file is compiled once for each instruction set.
 *
 * The factorisation is left-looking (Ng, Peyton 1993). Panel t is gathered from A, with lines of eight columns, zeros
 * where it has fewer. Then each panel d that has rows in the columns of t is subtracted: with the rows i of d from the
 * first of these on,
 *
 *     T[i, :] -= sum_k L_d[i, k] B[k, :],      B[k, column of row q] = D_kk L_d[q, k],
 *
 * where B, eight lines at the most, stays in registers: a row of d costs one load and one store of a line of T and
 * `width of d` products of a line with a number. No row is sought for: B has zeros for columns that d lacks, and the
 * lines of T are found through `local`.
 *
 * A solve reads L once on its way down and once on its way up; the vectors of three right-hand sides are kept as lines
 * of four, and what a panel's columns come to stays in registers while its rows pass. */
#include "solvers/linear/panel_kernels.h"

#include <string.h>
#ifdef __AVX512VL__
#include <immintrin.h>
#endif

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
  const int    *row, *offset;
  const double *square, *lines; /* values: [width][width], [below][width] */
} panel;

ALWAYS_INLINE panel panel_at(const sb_panel_plan *plan, const double *value, int p)
{
  const int width = plan->first[p + 1] - plan->first[p];
  return (panel){.first = plan->first[p],
                 .width = width,
                 .below = plan->below[p],
                 .row = plan->row + plan->row_start[p],
                 .offset = plan->offset + plan->row_start[p],
                 .square = value + plan->value_start[p],
                 .lines = value + plan->value_start[p] + width * width};
}

static void gather(const sb_panel_plan *plan, const double *a, int p, const panel *t, const sb_panel_numbers *numbers)
{
  double *gathered = numbers->gathered;
  int    *local = numbers->local;
  for (int j = 0; j < t->width; ++j) local[t->first + j] = j;
  for (int i = 0; i < t->below; ++i) local[t->row[i]] = t->width + i;
  memset(gathered, 0, sizeof(line) * (size_t)(t->width + t->below));
  for (int64_t k = plan->entry_start[p]; k < plan->entry_start[p + 1]; ++k)
    gathered[plan->place[k]] = a[plan->entry[k]];
}

/* Panel d, from its row at `from` on, off the gathered panel t; returns the first of its rows that is below t's
 * columns. */
ALWAYS_INLINE int subtract(const int width, const panel *d, const double *pivots, int from, const panel *t,
                           const sb_panel_numbers *numbers)
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
    if (width > 3) { /* two chains of products: one alone waits for itself */
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
                          const sb_panel_numbers *numbers)
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
static void enlist(const sb_panel_plan *plan, sb_panel_numbers *numbers, int p, int from)
{
  if (from == plan->below[p]) return;
  const int of = plan->panel_of[plan->row[plan->row_start[p] + from]];
  numbers->at[p] = from;
  numbers->next[p] = numbers->head[of];
  numbers->head[of] = p;
}

ALWAYS_INLINE int finish(const int width, const panel *t, sb_panel_numbers *numbers)
{
  double        upper[SB_PANEL_WIDTH * SB_PANEL_WIDTH] __attribute__((aligned(64)));
  double       *inverse = numbers->inverse + t->first;
  const double *below = numbers->gathered + SB_PANEL_WIDTH * width;
  const int     positive =
      factor_square(width, numbers->gathered, numbers->pivot + t->first, inverse, upper, (double *)t->square);
  if (positive == width) finish_lines(width, t->below, upper, inverse, below, (double *)t->lines);
  return positive;
}

static int finish_panel(const panel *t, sb_panel_numbers *numbers)
{
  int positive = 0;
  FOR_WIDTH(t->width, positive = finish, t, numbers)
  return positive;
}

static int factorize(const sb_panel_plan *plan, const double *a, sb_panel_numbers *numbers)
{
  memset(numbers->head, -1, sizeof(int) * (size_t)plan->panels);
  for (int p = 0; p < plan->panels; ++p) {
    const panel t = panel_at(plan, numbers->value, p);
    gather(plan, a, p, &t, numbers);
    for (int d = numbers->head[p], next; d >= 0; d = next) {
      const panel earlier = panel_at(plan, numbers->value, d);
      next = numbers->next[d];
      enlist(plan, numbers, d, subtract_panel(&earlier, numbers->pivot, numbers->at[d], &t, numbers));
    }
    const int positive = finish_panel(&t, numbers);
    if (positive < t.width) return t.first + positive;
    enlist(plan, numbers, p, 0);
  }
  return plan->rows;
}

/* Adds three numbers to a row of the work space, whose fourth nobody reads. */
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

/* A row below a panel on the way down: what its columns take from it. */
ALWAYS_INLINE void take_from(const int width, const double *restrict l, const quad *y, double *row)
{
  quad even = *(quad *)row - l[0] * y[0];
  if (width > 3) { /* two chains, as in `subtract` */
    quad odd = l[1] * y[1];
    for (int k = 2; k < width; k += 2) even -= l[k] * y[k];
    for (int k = 3; k < width; k += 2) odd += l[k] * y[k];
    even -= odd;
  } else {
    for (int k = 1; k < width; ++k) even -= l[k] * y[k];
  }
  *(quad *)row = even;
}

/* The columns of a panel on the way down, y = L^-1 P b; `work` has what panels before it left for its rows. */
ALWAYS_INLINE void descend_columns(const int width, const panel *p, const int *restrict order, const double *restrict b,
                                   double *restrict work)
{
  quad          y[SB_PANEL_WIDTH], *own = (quad *)work + p->first;
  const double *l = p->lines;
  int           i = 0;
  for (int j = 0; j < width; ++j) {
    y[j] = own[j];
    add_three(b + 3 * (ptrdiff_t)order[p->first + j], &y[j]);
    for (int k = 0; k < j; ++k) y[j] -= p->square[width * j + k] * y[k];
    own[j] = y[j];
  }
  for (; i + 1 < p->below; i += 2, l += 2 * width) {
    take_from(width, l, y, work + p->offset[i]);
    take_from(width, l + width, y, work + p->offset[i + 1]);
  }
  if (i < p->below) take_from(width, l, y, work + p->offset[i]);
}

/* And on the way up, P x = L^-T D^-1 y. */
ALWAYS_INLINE void ascend_columns(const int width, const panel *p, const int *restrict order,
                                  const double *restrict inverse, double *restrict work, double *restrict x)
{
  quad          even[SB_PANEL_WIDTH], odd[SB_PANEL_WIDTH], *own = (quad *)work + p->first; /* sums over rows */
  const double *l = p->lines;
  int           i = 0;
  for (int k = 0; k < width; ++k) {
    even[k] = own[k] * inverse[p->first + k];
    odd[k] = (quad){0};
  }
  for (; i + 1 < p->below; i += 2, l += 2 * width) {
    const quad known = *(const quad *)(work + p->offset[i]), next = *(const quad *)(work + p->offset[i + 1]);
    for (int k = 0; k < width; ++k) even[k] -= l[k] * known;
    for (int k = 0; k < width; ++k) odd[k] += l[width + k] * next;
  }
  if (i < p->below)
    for (int k = 0; k < width; ++k) even[k] -= l[k] * *(const quad *)(work + p->offset[i]);
  for (int k = 0; k < width; ++k) even[k] -= odd[k];
  for (int j = width - 1; j >= 0; --j) {
    for (int k = 0; k < j; ++k) even[k] -= p->square[width * j + k] * even[j];
    own[j] = even[j];
    store_three(x + 3 * (ptrdiff_t)order[p->first + j], &even[j]);
  }
}

static void solve_columns(const sb_panel_plan *plan, const sb_panel_numbers *numbers, const double *b, double *x)
{
  const sb_panel_plan    here = *plan; /* copies: stores into vectors cannot change what they point at */
  const sb_panel_numbers of = *numbers;
  memset(of.work, 0, sizeof(quad) * (size_t)here.rows);
  for (int i = 0; i < here.panels; ++i) {
    const panel p = panel_at(&here, of.value, i);
    FOR_WIDTH(p.width, descend_columns, &p, here.order, b, of.work)
  }
  for (int i = here.panels - 1; i >= 0; --i) {
    const panel p = panel_at(&here, of.value, i);
    FOR_WIDTH(p.width, ascend_columns, &p, here.order, of.inverse, of.work, x)
  }
}

/* The same for one right-hand side. */
ALWAYS_INLINE void descend(const int width, const panel *p, const int *restrict order, const double *restrict b,
                           double *restrict work)
{
  double        y[SB_PANEL_WIDTH];
  const double *l = p->lines;
  for (int j = 0; j < width; ++j) {
    y[j] = work[p->first + j] + b[order[p->first + j]];
    for (int k = 0; k < j; ++k) y[j] -= p->square[width * j + k] * y[k];
    work[p->first + j] = y[j];
  }
  for (int i = 0; i < p->below; ++i, l += width) {
    double even = l[0] * y[0], odd = 0;
    for (int k = 1; k < width; k += 2) odd += l[k] * y[k];
    for (int k = 2; k < width; k += 2) even += l[k] * y[k];
    work[p->row[i]] -= even + odd;
  }
}

/* Lines are read whole, also where they are shorter: what lies behind them ends in sums that nobody reads. */
ALWAYS_INLINE void ascend(const int width, const panel *p, const int *restrict order, const double *restrict inverse,
                          double *restrict work, double *restrict x)
{
  quad          sum[2][2] = {{{0}}}; /* of even and of odd rows: columns 0 to 3, and 4 to 7 */
  double        total[SB_PANEL_WIDTH];
  const double *l = p->lines;
  for (int i = 0; i < p->below; i += 2) {
    for (int odd = 0; odd < 2 && i + odd < p->below; ++odd, l += width) {
      sum[odd][0] += *(const quad *)l * work[p->row[i + odd]];
      if (width > 4) sum[odd][1] += *(const quad *)(l + 4) * work[p->row[i + odd]];
    }
  }
  for (int half = 0; half < 2; ++half) ((quad *)total)[half] = sum[0][half] + sum[1][half];
  for (int j = width - 1; j >= 0; --j) {
    double sum_j = work[p->first + j] * inverse[p->first + j] - total[j];
    for (int k = j + 1; k < width; ++k) sum_j -= p->square[width * k + j] * work[p->first + k];
    x[order[p->first + j]] = work[p->first + j] = sum_j;
  }
}

static void solve(const sb_panel_plan *plan, const sb_panel_numbers *numbers, const double *b, double *x)
{
  double *work = numbers->work;
  memset(work, 0, sizeof *work * (size_t)plan->rows);
  for (int i = 0; i < plan->panels; ++i) {
    const panel p = panel_at(plan, numbers->value, i);
    FOR_WIDTH(p.width, descend, &p, plan->order, b, work)
  }
  for (int i = plan->panels - 1; i >= 0; --i) {
    const panel p = panel_at(plan, numbers->value, i);
    FOR_WIDTH(p.width, ascend, &p, plan->order, numbers->inverse, work, x)
  }
}

const sb_panel_kernels SB_OF_SET(sb_panel) = {factorize, solve, solve_columns};
