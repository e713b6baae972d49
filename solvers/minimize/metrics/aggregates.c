/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks on the diagonal with a coarse space, for stiff nets, whose smooth errors blocks reduce slowly:
 *
 *     P^-1 = D^-1 + R^T (R H+ R^T)^-1 R
 *
 * D is the metric block_jacobi. R sums over aggregates of about sixteen vertices, coordinate by coordinate, so that the
 * coarse matrix is Galerkin's on vectors that are constant on each aggregate. H+ is the Hessian without the negative
 * parts of springs: the exact one might make the coarse matrix indefinite. An aggregate grows by the vertex with the
 * most stiffness to it. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "model/system/flops.h"
#include "solvers/minimize/descent.h"
#include "solvers/minimize/incidence.h"

enum { VERTICES = 16, FEWEST = 6 }; /* of an aggregate; a smaller one joins another */

typedef struct {
  sb_system        *system;
  sb_linear_solver *linear;
  void             *blocks;                /* state of block_jacobi */
  PetscInt          count;                 /* aggregates of this rank */
  PetscInt         *aggregate;             /* [owned + ghosts] global number; -1: not an unknown of g */
  PetscInt          first;                 /* global number of this rank's first */
  PetscInt         *member, *member_start; /* vertices of this rank's by aggregates; [count + 1] */
  PetscInt         *unknown;               /* their numbers in vectors of unknowns */
  sb_springs        crossing;    /* those that join two aggregates, or an aggregate and a free vertex, by pairs */
  PetscInt         *spring;      /* [crossing.count] their numbers */
  PetscInt          stride;      /* crossing.count, rounded up to eight */
  double           *coefficient; /* [4][stride] */
  PetscInt          pairs;
  PetscInt         *pair;       /* [pairs][2] global aggregates */
  PetscInt         *pair_start; /* [pairs + 1] into crossing */
  double           *diagonal;   /* [owned][6] H+ without springs */
  PetscInt         *start;      /* [count + 1] into column: blocks of the matrix by rows */
  PetscInt         *column;     /* global aggregate */
  double           *value;      /* [3][3 blocks] of one row after the other */
  PetscInt         *slot;       /* [pairs][4] where a pair adds: first end, its coupling, second end, its coupling; -1:
                                 * not in this rank's rows */
  PetscInt *own_slot;           /* [count] that of the diagonal */
  Mat       matrix;
  Vec       coarse, solution; /* R r, and the solution of the coarse system */
  bool      stale;            /* the matrix is not factored */
} aggregates;

extern const sb_metric sb_metric_block_jacobi;

/* ---- aggregates ---- */

typedef struct {
  const sb_system *system;
  sb_incidence     graph;
  PetscInt        *own;   /* [owned] aggregate, NONE or OUTSIDE */
  double          *pull;  /* [owned] N/m: stiffness to the growing aggregate */
  PetscInt        *front; /* [owned] vertices that may join it */
  PetscInt         member[VERTICES];
  PetscInt         fronts, count;
} growth;

enum { NONE = -1, OUTSIDE = -2 };

static void take(growth *g, PetscInt place, PetscInt i)
{
  g->own[i] = g->count;
  g->member[place] = i;
  for (PetscInt e = g->graph.start[i]; e < g->graph.start[i + 1]; ++e) {
    const PetscInt j = g->graph.other[e];
    if (j >= g->system->owned || g->own[j] != NONE) continue;
    if (g->pull[j] == 0) g->front[g->fronts++] = j;
    g->pull[j] += g->graph.stiffness[e] + DBL_MIN;
  }
}

/* Grows an aggregate from vertex `root`. Returns its number of vertices. */
static PetscInt grow(growth *g, PetscInt root)
{
  PetscInt size = 1;
  g->fronts = 0;
  for (take(g, 0, root); size < VERTICES; ++size) {
    PetscInt best = -1;
    for (PetscInt f = 0; f < g->fronts; ++f) {
      const PetscInt j = g->front[f];
      if (g->own[j] != NONE) continue;
      if (best < 0 || g->pull[j] > g->pull[best] || (g->pull[j] == g->pull[best] && j < best)) best = j;
    }
    if (best < 0) break;
    take(g, size, best);
  }
  for (PetscInt f = 0; f < g->fronts; ++f) g->pull[g->front[f]] = 0;
  return size;
}

/* An older aggregate next to the newest, of `size` vertices; NONE if there is none. */
static PetscInt older_beside(const growth *g, PetscInt size)
{
  for (PetscInt m = 0; m < size; ++m)
    for (PetscInt e = g->graph.start[g->member[m]]; e < g->graph.start[g->member[m] + 1]; ++e) {
      const PetscInt j = g->graph.other[e];
      if (j < g->system->owned && g->own[j] >= 0 && g->own[j] != g->count) return g->own[j];
    }
  return NONE;
}

static void grow_all(growth *g)
{
  for (PetscInt root = 0; root < g->system->owned; ++root) {
    if (g->own[root] != NONE) continue;
    const PetscInt size = grow(g, root), older = size < FEWEST ? older_beside(g, size) : NONE;
    for (PetscInt m = 0; m < size && older >= 0; ++m) g->own[g->member[m]] = older;
    g->count += older < 0;
  }
}

/* Global numbers of the aggregates of owned vertices and ghosts. */
static PetscErrorCode number(aggregates *a, const growth *g)
{
  const sb_system *system = a->system;
  Vec              full;
  double          *array;
  const double    *all;

  PetscFunctionBeginUser;
  a->count = g->count;
  a->first = 0;
  PetscCallMPI(MPI_Exscan(&a->count, &a->first, 1, MPIU_INT, MPI_SUM, system->comm));
  if (system->rank == 0) a->first = 0;
  PetscCall(sb_system_create_full(system, &full));
  PetscCall(VecGetArray(full, &array));
  for (PetscInt i = 0; i < system->owned; ++i) array[3 * i] = g->own[i] < 0 ? -1 : (double)(a->first + g->own[i]);
  PetscCall(VecRestoreArray(full, &array));
  PetscCall(sb_system_begin_read(system, full, &all));
  for (PetscInt i = 0; i < system->owned + system->ghosts; ++i) a->aggregate[i] = (PetscInt)all[3 * i];
  PetscCall(sb_system_end_read(system, full, &all));
  PetscCall(VecDestroy(&full));
  PetscFunctionReturn(0);
}

static PetscErrorCode list_members(aggregates *a)
{
  const sb_system *system = a->system;
  PetscInt        *next;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc3(system->owned, &a->member, system->owned, &a->unknown, a->count + 1, &a->member_start));
  PetscCall(PetscArrayzero(a->member_start, a->count + 1));
  PetscCall(PetscMalloc1(a->count, &next));
  for (PetscInt i = 0; i < system->owned; ++i)
    if (a->aggregate[i] >= 0) a->member_start[a->aggregate[i] - a->first + 1]++;
  for (PetscInt n = 0; n < a->count; ++n) {
    next[n] = a->member_start[n];
    a->member_start[n + 1] += a->member_start[n];
  }
  for (PetscInt i = 0; i < system->owned; ++i)
    if (a->aggregate[i] >= 0) a->member[next[a->aggregate[i] - a->first]++] = i;
  for (PetscInt m = 0; m < a->member_start[a->count]; ++m)
    a->unknown[m] = system->unknown_id[a->member[m]] - system->first_unknown;
  PetscCall(PetscFree(next));
  PetscFunctionReturn(0);
}

static PetscErrorCode aggregate(aggregates *a)
{
  const sb_system *system = a->system;
  growth           g = {.system = system};

  PetscFunctionBeginUser;
  PetscCall(sb_incidence_create(system, &g.graph));
  PetscCall(PetscCalloc3(system->owned, &g.own, system->owned, &g.pull, system->owned, &g.front));
  for (PetscInt i = 0; i < system->owned; ++i)
    g.own[i] = system->pinned[i] && system->pin_method != SB_PINS_PENALTY ? OUTSIDE : NONE;
  grow_all(&g);
  PetscCall(PetscMalloc1((size_t)(system->owned + system->ghosts), &a->aggregate));
  PetscCall(number(a, &g));
  PetscCall(list_members(a));
  PetscCall(PetscFree3(g.own, g.pull, g.front));
  PetscCall(sb_incidence_destroy(&g.graph));
  PetscFunctionReturn(0);
}

/* ---- the coarse matrix ---- */

/* Orders by the first two numbers. */
static int compare(const void *a, const void *b)
{
  const PetscInt *x = a, *y = b;
  return x[0] != y[0] ? (x[0] < y[0] ? -1 : 1) : (x[1] > y[1]) - (x[1] < y[1]);
}

static int compare_three(const void *a, const void *b)
{
  const PetscInt *x = a, *y = b;
  const int       two = compare(a, b);
  return two != 0 ? two : (x[2] > y[2]) - (x[2] < y[2]);
}

/* Finds the springs that join two aggregates, ordered by pairs and, within a pair, as they are in the list. */
static PetscErrorCode find_crossing(aggregates *a, PetscInt **joined)
{
  const sb_springs *all = &a->system->springs;
  sb_springs       *to = &a->crossing;
  const size_t      room = (size_t)all->count + 1;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(3 * room, joined));
  for (PetscInt s = 0; s < all->count; ++s) {
    const PetscInt i = a->aggregate[all->first[s]], j = a->aggregate[all->second[s]];
    if (i == j) continue;
    (*joined)[3 * to->count] = PetscMin(i, j);
    (*joined)[3 * to->count + 1] = PetscMax(i, j);
    (*joined)[3 * to->count++ + 2] = s;
  }
  qsort(*joined, (size_t)to->count, 3 * sizeof **joined, compare_three);
  a->stride = (to->count + 7) / 8 * 8;
  PetscCall(PetscMalloc4(room, &to->first, room, &to->second, room + 8, &to->stiffness, room + 8, &to->rest_length));
  PetscCall(PetscMalloc1(room, &a->spring));
  PetscCall(PetscArrayzero(to->stiffness, a->stride));
  PetscCall(PetscArrayzero(to->rest_length, a->stride));
  for (int n = 0; n < to->count; ++n) {
    const PetscInt s = (*joined)[3 * n + 2];
    to->first[n] = all->first[s];
    to->second[n] = all->second[s];
    a->spring[n] = s;
    to->stiffness[n] = all->stiffness[s];
    to->rest_length[n] = all->rest_length[s];
  }
  PetscCall(PetscMalloc1(4 * (size_t)a->stride, &a->coefficient));
  PetscFunctionReturn(0);
}

static PetscErrorCode find_pairs(aggregates *a)
{
  PetscInt *joined;

  PetscFunctionBeginUser;
  PetscCall(find_crossing(a, &joined));
  const size_t room = (size_t)a->crossing.count + 1;
  PetscCall(PetscMalloc2(2 * room, &a->pair, room, &a->pair_start));
  for (PetscInt n = 0; n < a->crossing.count; ++n) {
    if (n > 0 && compare(joined + 3 * n, joined + 3 * n - 3) == 0) continue;
    for (int end = 0; end < 2; ++end) a->pair[2 * a->pairs + end] = joined[3 * n + end];
    a->pair_start[a->pairs++] = n;
  }
  a->pair_start[a->pairs] = a->crossing.count;
  PetscCall(PetscFree(joined));
  PetscFunctionReturn(0);
}

/* True if a global aggregate is one of this rank's. */
static bool is_own(const aggregates *a, PetscInt global) { return global >= a->first && global < a->first + a->count; }

/* Lists each block (row, column) of this rank's rows once, ordered. */
static PetscErrorCode list_blocks(aggregates *a)
{
  PetscInt *pair, pairs = 0, blocks = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(2 * ((size_t)a->count + 2 * (size_t)a->pairs) + 2, &pair));
  for (PetscInt n = 0; n < a->count; ++n, ++pairs) pair[2 * pairs] = pair[2 * pairs + 1] = a->first + n;
  for (PetscInt p = 0; p < a->pairs; ++p)
    for (int end = 0; end < 2; ++end) {
      const PetscInt i = a->pair[2 * p + end], j = a->pair[2 * p + !end];
      if (!is_own(a, i) || j < 0) continue;
      pair[2 * pairs] = i;
      pair[2 * pairs++ + 1] = j;
    }
  qsort(pair, (size_t)pairs, 2 * sizeof *pair, compare);
  PetscCall(PetscCalloc1(a->count + 1, &a->start));
  PetscCall(PetscMalloc2(pairs, &a->column, 9 * (size_t)pairs, &a->value));
  for (PetscInt n = 0; n < pairs; ++n) {
    if (n > 0 && compare(pair + 2 * n, pair + 2 * n - 2) == 0) continue;
    a->column[blocks++] = pair[2 * n + 1];
    a->start[pair[2 * n] - a->first + 1] = blocks;
  }
  PetscCall(PetscFree(pair));
  PetscFunctionReturn(0);
}

/* The place in `value` of the first entry of block (row, column), both global. */
static PetscInt slot_of(const aggregates *a, PetscInt row, PetscInt column)
{
  const PetscInt n = row - a->first;
  PetscInt       at = a->start[n];
  while (a->column[at] != column) ++at;
  return 9 * a->start[n] + 3 * (at - a->start[n]);
}

static PetscErrorCode find_slots(aggregates *a)
{
  PetscFunctionBeginUser;
  PetscCall(PetscMalloc2(4 * ((size_t)a->pairs + 1), &a->slot, a->count, &a->own_slot));
  for (PetscInt n = 0; n < a->count; ++n) a->own_slot[n] = slot_of(a, a->first + n, a->first + n);
  for (PetscInt p = 0; p < a->pairs; ++p)
    for (int end = 0; end < 2; ++end) {
      const PetscInt i = a->pair[2 * p + end], j = a->pair[2 * p + !end];
      a->slot[4 * p + 2 * end] = is_own(a, i) ? slot_of(a, i, i) : -1;
      a->slot[4 * p + 2 * end + 1] = is_own(a, i) && j >= 0 ? slot_of(a, i, j) : -1;
    }
  PetscFunctionReturn(0);
}

static PetscErrorCode create_matrix(aggregates *a)
{
  PetscInt *inner, *outer;

  PetscFunctionBeginUser;
  PetscCall(PetscCalloc2(a->count, &inner, a->count, &outer));
  for (PetscInt n = 0; n < a->count; ++n)
    for (PetscInt b = a->start[n]; b < a->start[n + 1]; ++b) {
      const bool own = is_own(a, a->column[b]);
      inner[n] += own;
      outer[n] += !own;
    }
  PetscCall(MatCreate(a->system->comm, &a->matrix));
  PetscCall(MatSetSizes(a->matrix, 3 * a->count, 3 * a->count, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(a->matrix, MATAIJ));
  PetscCall(MatSetBlockSize(a->matrix, 3));
  PetscCall(MatXAIJSetPreallocation(a->matrix, 3, inner, outer, NULL, NULL));
  PetscCall(MatSetOption(a->matrix, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatSetOption(a->matrix, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  PetscCall(PetscFree2(inner, outer));
  PetscCall(MatCreateVecs(a->matrix, &a->solution, &a->coarse));
  PetscFunctionReturn(0);
}

/* The three rows of aggregate n, into the matrix. */
static PetscErrorCode set_rows(aggregates *a, PetscInt n)
{
  const PetscInt blocks = a->start[n + 1] - a->start[n];
  PetscInt       row[3], *column;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(3 * (size_t)blocks, &column));
  for (PetscInt c = 0; c < 3; ++c) row[c] = 3 * (a->first + n) + c;
  for (PetscInt b = 0; b < 3 * blocks; ++b) column[b] = 3 * a->column[a->start[n] + b / 3] + b % 3;
  PetscCall(MatSetValues(a->matrix, 3, row, 3 * blocks, column, a->value + 9 * a->start[n], INSERT_VALUES));
  PetscCall(PetscFree(column));
  PetscFunctionReturn(0);
}

/* On one rank `value` has the order of the matrix's own values. */
static PetscErrorCode set_matrix(aggregates *a)
{
  PetscBool assembled;
  double   *own;

  PetscFunctionBeginUser;
  PetscCall(MatAssembled(a->matrix, &assembled));
  if (a->system->ranks == 1 && assembled) {
    PetscCall(MatSeqAIJGetArrayWrite(a->matrix, &own));
    PetscCall(PetscArraycpy(own, a->value, 9 * a->start[a->count]));
    PetscCall(MatSeqAIJRestoreArrayWrite(a->matrix, &own));
    PetscFunctionReturn(0);
  }
  for (PetscInt n = 0; n < a->count; ++n) PetscCall(set_rows(a, n));
  PetscCall(MatAssemblyBegin(a->matrix, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(a->matrix, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

/* value += factor A at a slot whose row has `blocks` blocks; A = (xx xy xz yy yz zz) */
static void add_block(double *value, PetscInt slot, PetscInt blocks, double factor, const double own[6])
{
  static const int entry[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) value[slot + 3 * r * blocks + c] += factor * own[entry[r][c]];
}

static PetscInt blocks_of(const aggregates *a, PetscInt global)
{
  return a->start[global - a->first + 1] - a->start[global - a->first];
}

/* The sum of the springs' blocks of pair p; A = (xx xy xz yy yz zz). */
static void sum_pair(const aggregates *a, PetscInt p, double sum[6])
{
  for (int e = 0; e < 6; ++e) sum[e] = 0;
  for (PetscInt s = a->pair_start[p]; s < a->pair_start[p + 1]; ++s) {
    const double *w = a->coefficient + s;
    const double  x = w[0], y = w[a->stride], z = w[2 * a->stride], across = w[3 * a->stride];
    sum[0] += across + x * x;
    sum[1] += x * y;
    sum[2] += x * z;
    sum[3] += across + y * y;
    sum[4] += y * z;
    sum[5] += across + z * z;
  }
}

/* Springs within an aggregate cancel. */
static void add_springs(aggregates *a)
{
  for (PetscInt p = 0; p < a->pairs; ++p) {
    double sum[6];
    sum_pair(a, p, sum);
    for (int end = 0; end < 2; ++end) {
      const PetscInt *slot = a->slot + 4 * p + 2 * end;
      if (slot[0] < 0) continue;
      add_block(a->value, slot[0], blocks_of(a, a->pair[2 * p + end]), 1, sum);
      if (slot[1] >= 0) add_block(a->value, slot[1], blocks_of(a, a->pair[2 * p + end]), -1, sum);
    }
  }
}

static void add_diagonals(aggregates *a)
{
  for (PetscInt n = 0; n < a->count; ++n) {
    double sum[6] = {0};
    for (PetscInt m = a->member_start[n]; m < a->member_start[n + 1]; ++m)
      for (int e = 0; e < 6; ++e) sum[e] += a->diagonal[6 * a->member[m] + e];
    add_block(a->value, a->own_slot[n], blocks_of(a, a->first + n), 1, sum);
  }
}

/* ---- the metric ---- */

/* The pattern with the values of a matrix that is positive definite: stiffness 1 at every coupling. */
static PetscErrorCode analyse(aggregates *a, sb_outcome *outcome)
{
  static const double one[6] = {1, 0, 0, 1, 0, 1};

  PetscFunctionBeginUser;
  PetscCall(PetscArrayzero(a->value, 9 * a->start[a->count]));
  for (PetscInt n = 0; n < a->count; ++n) {
    const PetscInt blocks = a->start[n + 1] - a->start[n];
    for (PetscInt b = 0; b < blocks; ++b) add_block(a->value, 9 * a->start[n] + 3 * b, blocks, -1, one);
    add_block(a->value, a->own_slot[n], blocks, (double)blocks + 1, one);
  }
  PetscCall(set_matrix(a));
  PetscCall(sb_linear_solver_set_matrix(a->linear, a->matrix, SB_PATTERN_ALONE, true, outcome));
  PetscFunctionReturn(0);
}

static PetscErrorCode prepare(void *state, const sb_minimizer_setup *setup, sb_outcome *outcome)
{
  aggregates *a = state;

  PetscFunctionBeginUser;
  a->system = setup->system;
  a->linear = setup->linear;
  PetscCall(PetscCalloc(sb_metric_block_jacobi.state_bytes, &a->blocks));
  PetscCall(sb_metric_block_jacobi.prepare(a->blocks, setup, outcome));
  PetscCall(aggregate(a));
  PetscCall(PetscMalloc1(6 * (size_t)a->system->owned, &a->diagonal));
  PetscCall(find_pairs(a));
  PetscCall(list_blocks(a));
  PetscCall(find_slots(a));
  PetscCall(create_matrix(a));
  PetscCall(analyse(a, outcome));
  PetscFunctionReturn(0);
}

/* H+ of a tangent with E'/r > E'', which has no form a I + w w^T, is bounded by that of a spring of rest length 0. */
static void take_tangents(aggregates *a, const double *position)
{
  if (!a->system->law) return; /* Hooke's springs are their own */
  const sb_springs *at = sb_system_tangents(a->system, SB_HESSIAN_PROJECTED, position).list;
  for (int n = 0; n < a->crossing.count; ++n) {
    const PetscInt s = a->spring[n];
    const double   k = at->stiffness[s], l = at->rest_length[s];
    a->crossing.stiffness[n] = l < 0 ? k * (1 - l / a->system->law->length[s]) : k;
    a->crossing.rest_length[n] = fmax(l, 0);
  }
}

static PetscErrorCode refresh(void *state, const sb_potential *potential, Vec z)
{
  aggregates      *a = state;
  const sb_system *system = a->system;
  const double    *position;

  PetscFunctionBeginUser;
  PetscCall(sb_metric_block_jacobi.refresh(a->blocks, potential, z));
  PetscCall(sb_potential_diagonal_blocks(potential, SB_HESSIAN_PROJECTED, z, a->diagonal));
  PetscCall(sb_system_begin_read(system, z, &position));
  take_tangents(a, position);
  system->band_kernels->pair_coefficients(&a->crossing, SB_HESSIAN_PROJECTED, position, a->coefficient);
  PetscCall(sb_system_end_read(system, z, &position));
  PetscCall(PetscArrayzero(a->value, 9 * a->start[a->count]));
  add_diagonals(a);
  add_springs(a);
  PetscCall(set_matrix(a));
  a->stale = true;
  PetscCall(PetscLogFlops((19 + 15) * (double)a->crossing.count + 36 * (double)a->pairs + 7 * (double)system->owned));
  PetscFunctionReturn(0);
}

static PetscErrorCode sum_members(aggregates *a, const PetscInt *place, const double *from)
{
  double *coarse;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayWrite(a->coarse, &coarse));
  for (PetscInt n = 0; n < a->count; ++n) {
    double sum[3] = {0};
    for (PetscInt m = a->member_start[n]; m < a->member_start[n + 1]; ++m)
      for (int c = 0; c < 3; ++c) sum[c] += from[3 * place[m] + c];
    for (int c = 0; c < 3; ++c) coarse[3 * n + c] = sum[c];
  }
  PetscCall(VecRestoreArrayWrite(a->coarse, &coarse));
  PetscFunctionReturn(0);
}

static PetscErrorCode add_to_members(aggregates *a, const PetscInt *place, double *to)
{
  const double *solution;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(a->solution, &solution));
  for (PetscInt n = 0; n < a->count; ++n) {
    const double x = solution[3 * n], y = solution[3 * n + 1], z = solution[3 * n + 2];
    for (PetscInt m = a->member_start[n]; m < a->member_start[n + 1]; ++m) {
      double *own = to + 3 * place[m];
      own[0] += x;
      own[1] += y;
      own[2] += z;
    }
  }
  PetscCall(VecRestoreArrayRead(a->solution, &solution));
  PetscFunctionReturn(0);
}

/* to += R^T (R H+ R^T)^-1 R from, *sum += the change of from.to. place: where the members are in both. */
static PetscErrorCode add_coarse(aggregates *a, const PetscInt *place, const double *from, double *to,
                                 sb_iteration *iteration, double *sum)
{
  double added;

  PetscFunctionBeginUser;
  if (a->stale)
    PetscCall(sb_linear_solver_set_matrix(a->linear, a->matrix, SB_NEW_VALUES, true, &iteration->linear.outcome));
  a->stale = false;
  if (!sb_outcome_accepted(iteration->linear.outcome)) PetscFunctionReturn(0);
  PetscCall(sum_members(a, place, from));
  PetscCall(sb_linear_solver_solve(a->linear, a->coarse, a->solution, false, &iteration->linear));
  if (!sb_outcome_accepted(iteration->linear.outcome)) PetscFunctionReturn(0);
  PetscCall(add_to_members(a, place, to));
  PetscCall(VecDot(a->coarse, a->solution, &added));
  *sum += added;
  PetscCall(PetscLogFlops(6 * (double)a->system->owned_unknown));
  PetscFunctionReturn(0);
}

static PetscErrorCode apply(void *state, const sb_potential *potential, Vec z, Vec in, Vec out, sb_iteration *iteration)
{
  aggregates   *a = state;
  const double *from;
  double       *to, sum = 0;

  PetscFunctionBeginUser;
  PetscCall(sb_metric_block_jacobi.apply(a->blocks, potential, z, in, out, iteration));
  PetscCall(VecGetArrayRead(in, &from));
  PetscCall(VecGetArray(out, &to));
  PetscCall(add_coarse(a, a->unknown, from, to, iteration, &sum));
  PetscCall(VecRestoreArray(out, &to));
  PetscCall(VecRestoreArrayRead(in, &from));
  PetscFunctionReturn(0);
}

static PetscErrorCode correct(void *state, double alpha, const sb_cg_vectors *cg, sb_iteration *iteration,
                              double *square)
{
  aggregates   *a = state;
  const double *from;
  double       *to;

  PetscFunctionBeginUser;
  PetscCall(sb_metric_block_jacobi.correct(a->blocks, alpha, cg, iteration, square));
  PetscCall(VecGetArrayRead(cg->residual, &from));
  PetscCall(VecGetArray(cg->scaled, &to));
  PetscCall(add_coarse(a, a->member, from, to, iteration, square));
  PetscCall(VecRestoreArray(cg->scaled, &to));
  PetscCall(VecRestoreArrayRead(cg->residual, &from));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *state)
{
  aggregates *a = state;

  PetscFunctionBeginUser;
  if (a->blocks) PetscCall(sb_metric_block_jacobi.destroy(a->blocks));
  PetscCall(PetscFree(a->blocks));
  PetscCall(PetscFree(a->aggregate));
  PetscCall(PetscFree(a->spring));
  PetscCall(PetscFree4(a->crossing.first, a->crossing.second, a->crossing.stiffness, a->crossing.rest_length));
  PetscCall(PetscFree3(a->member, a->unknown, a->member_start));
  PetscCall(PetscFree(a->coefficient));
  PetscCall(PetscFree2(a->pair, a->pair_start));
  PetscCall(PetscFree(a->diagonal));
  PetscCall(PetscFree(a->start));
  PetscCall(PetscFree2(a->column, a->value));
  PetscCall(PetscFree2(a->slot, a->own_slot));
  PetscCall(MatDestroy(&a->matrix));
  PetscCall(VecDestroy(&a->coarse));
  PetscCall(VecDestroy(&a->solution));
  PetscFunctionReturn(0);
}

const sb_metric sb_metric_aggregates = {.name = "aggregates",
                                        .summary = "block_jacobi and a coarse space of aggregates, for stiff nets",
                                        .uses = "linear contact_implicit",
                                        .traits = SB_IMPLICIT_CONTACT,
                                        .columns = 1,
                                        .state_bytes = sizeof(aggregates),
                                        .prepare = prepare,
                                        .refresh = refresh,
                                        .apply = apply,
                                        .correct = correct,
                                        .destroy = destroy};
