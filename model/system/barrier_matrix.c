/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Springs' blocks and the barrier's in one AIJ matrix; see barrier_matrix.h.
 *
 * The pattern has the springs' blocks and a block for every two vertices of a near pair. Within a step it is kept while
 * pairs fit into it, and otherwise rebuilt from the current pairs. So it is not analysed, which costs about a
 * factorisation, in every iteration. */
#include "model/system/barrier_matrix.h"

#include "model/system/pattern.h"

struct sb_barrier_matrix {
  sb_system *system;
  PetscInt  *row_start, *column; /* of blocks, as in pattern.h */
  Mat        sum;                /* NULL: none yet */
};

PetscErrorCode sb_barrier_matrix_create(sb_system *system, sb_barrier_matrix **matrix)
{
  PetscFunctionBeginUser;
  PetscCall(PetscNew(matrix));
  (*matrix)->system = system;
  PetscCall(PetscMalloc1(system->owned_unknown + 1, &(*matrix)->row_start));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_barrier_matrix_destroy(sb_barrier_matrix **matrix)
{
  PetscFunctionBeginUser;
  if (!*matrix) PetscFunctionReturn(0);
  PetscCall(MatDestroy(&(*matrix)->sum));
  PetscCall(PetscFree((*matrix)->row_start));
  PetscCall(PetscFree((*matrix)->column));
  PetscCall(PetscFree(*matrix));
  PetscFunctionReturn(0);
}

/* The row and the column of a block of a pair's vertices; -1: none. */
static PetscInt row_of(const sb_system *system, const sb_pair *pair, int i)
{
  return sb_pattern_row(system, pair->vertex[i]);
}

static PetscInt column_of(const sb_system *system, const sb_pair *pair, int j)
{
  return system->unknown_id[pair->vertex[j]];
}

/* Position of a block in the list of columns; -1: it is not there. */
static PetscInt find_block(const sb_barrier_matrix *m, PetscInt row, PetscInt column)
{
  PetscInt low = m->row_start[row], high = m->row_start[row + 1] - 1;
  while (low < high) {
    const PetscInt middle = low + (high - low) / 2;
    if (m->column[middle] < column)
      low = middle + 1;
    else
      high = middle;
  }
  return m->column[low] == column ? low : -1;
}

static bool has_room(const sb_barrier_matrix *m, size_t count, const sb_near_pair *near)
{
  for (size_t k = 0; k < count; ++k)
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) {
        const PetscInt row = row_of(m->system, &near[k].pair, i), column = column_of(m->system, &near[k].pair, j);
        if (row >= 0 && column >= 0 && find_block(m, row, column) < 0) return false;
      }
  return true;
}

/* Counts, or with `list` writes, the blocks of every row, with repetitions. */
static void list_blocks(const sb_system *system, size_t count, const sb_near_pair *near, PetscInt *next, PetscInt *list)
{
  const sb_pattern *springs = system->pattern;
  for (PetscInt row = 0; row < springs->rows; ++row)
    for (PetscInt e = springs->row_start[row]; e < springs->row_start[row + 1]; ++e, ++next[row])
      if (list) list[next[row]] = springs->column[e];
  for (size_t k = 0; k < count; ++k)
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) {
        const PetscInt row = row_of(system, &near[k].pair, i), column = column_of(system, &near[k].pair, j);
        if (row < 0 || column < 0 || i == j) continue;
        if (list) list[next[row]] = column;
        next[row]++;
      }
}

static PetscErrorCode make_pattern(sb_barrier_matrix *m, size_t count, const sb_near_pair *near)
{
  const PetscInt rows = m->system->owned_unknown;
  PetscInt      *next, *list, kept = 0, start = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscCalloc1(rows + 1, &next));
  list_blocks(m->system, count, near, next, NULL);
  for (PetscInt row = 0; row <= rows; ++row) {
    const PetscInt blocks = next[row];
    next[row] = start;
    start += blocks;
  }
  PetscCall(PetscMalloc1(start, &list));
  list_blocks(m->system, count, near, next, list);
  start = 0;
  for (PetscInt row = 0; row < rows; ++row) { /* next: where rows end */
    PetscInt blocks = next[row] - start;
    PetscCall(PetscSortRemoveDupsInt(&blocks, list + start));
    PetscCall(PetscArraymove(list + kept, list + start, blocks));
    m->row_start[row] = kept;
    kept += blocks;
    start = next[row];
  }
  m->row_start[rows] = kept;
  PetscCall(PetscFree(next));
  PetscCall(PetscFree(m->column));
  m->column = list;
  PetscFunctionReturn(0);
}

/* The first value of a block, and the stride from one row of it to the next. */
static inline double *block_at(const sb_barrier_matrix *m, double *value, PetscInt row, PetscInt block,
                               PetscInt *stride)
{
  const PetscInt first = m->row_start[row];
  *stride = 3 * (m->row_start[row + 1] - first);
  return value + 9 * first + 3 * (block - first);
}

/* value = base in the larger pattern, which has all of base's blocks in the same order. */
static void copy_base(const sb_barrier_matrix *m, const double *base, double *value)
{
  const sb_pattern *springs = m->system->pattern;
  for (PetscInt row = 0; row < springs->rows; ++row) {
    const PetscInt first = springs->row_start[row], blocks = springs->row_start[row + 1] - first;
    PetscInt       block = m->row_start[row], stride;
    for (PetscInt e = 0; e < blocks; ++e, ++block) {
      while (m->column[block] < springs->column[first + e]) ++block;
      double *to = block_at(m, value, row, block, &stride);
      for (PetscInt a = 0; a < 3; ++a)
        for (PetscInt b = 0; b < 3; ++b) to[a * stride + b] = base[9 * first + 3 * (a * blocks + e) + b];
    }
  }
}

static void add_dyads(double *to, PetscInt stride, int count, double dyad[][4][3], int i, int j)
{
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      double sum = 0;
      for (int k = 0; k < count; ++k) sum += dyad[k][i][a] * dyad[k][j][b];
      to[a * stride + b] += sum;
    }
}

static void add_pair(const sb_barrier_matrix *m, const sb_near_pair *near, const double *position, double *value)
{
  double    dyad[SB_BARRIER_DYADS][4][3];
  const int count = sb_barrier_dyads(m->system->barrier, near, position, dyad);
  for (int i = 0; i < 4; ++i) {
    const PetscInt row = row_of(m->system, &near->pair, i);
    for (int j = 0; j < 4 && row >= 0; ++j) {
      const PetscInt column = column_of(m->system, &near->pair, j);
      PetscInt       stride;
      if (column < 0) continue;
      double *to = block_at(m, value, row, find_block(m, row, column), &stride);
      add_dyads(to, stride, count, dyad, i, j);
    }
  }
}

static PetscErrorCode fill(const sb_barrier_matrix *m, size_t count, const sb_near_pair *near, const double *position,
                           Mat base)
{
  const double *base_value;
  double       *value;

  PetscFunctionBeginUser;
  PetscCall(MatZeroEntries(m->sum));
  PetscCall(MatSeqAIJGetArrayRead(base, &base_value));
  PetscCall(MatSeqAIJGetArray(m->sum, &value));
  copy_base(m, base_value, value);
  for (size_t k = 0; k < count; ++k) add_pair(m, &near[k], position, value);
  PetscCall(MatSeqAIJRestoreArray(m->sum, &value));
  PetscCall(MatSeqAIJRestoreArrayRead(base, &base_value));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_barrier_matrix_begin_step(sb_barrier_matrix *m)
{
  const PetscInt  rows = m->system->owned_unknown;
  const PetscInt *springs = m->system->pattern->row_start;

  PetscFunctionBeginUser;
  if (m->sum && m->row_start[rows] > springs[rows]) PetscCall(MatDestroy(&m->sum));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_barrier_matrix_add(sb_barrier_matrix *m, Vec x, Mat base, Mat *sum, bool *is_new)
{
  const double        started = sb_profile_start(m->system->profile);
  const sb_near_pair *near;
  const double       *position;
  size_t              count;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(x, &position));
  PetscCheck(sb_barrier_find(m->system->barrier, position, &count, &near), PETSC_COMM_SELF, PETSC_ERR_MEM,
             "out of memory");
  *is_new = !m->sum || !has_room(m, count, near);
  if (*is_new) {
    PetscCall(make_pattern(m, count, near));
    PetscCall(MatDestroy(&m->sum));
    PetscCall(sb_pattern_create_matrix(m->system, m->row_start, m->column, &m->sum));
  }
  PetscCall(fill(m, count, near, position, base));
  PetscCall(VecRestoreArrayRead(x, &position));
  *sum = m->sum;
  sb_profile_stop(m->system->profile, SB_PHASE_ASSEMBLY, started);
  PetscFunctionReturn(0);
}
