/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pressure system; see pressure.h. */
#include "model/particles/pressure.h"

#include <math.h>
#include <string.h>

sb_laplacian sb_laplacian_of(const sb_options *options)
{
  return SB_IS(options, laplacian, "one_ring")   ? SB_ONE_RING
         : SB_IS(options, laplacian, "two_ring") ? SB_TWO_RING
                                                 : SB_ONE_RING_SYMMETRIC;
}

void sb_pressure_rate(const sb_particles *particles, const sb_particle_pairs *pairs, const double *velocity,
                      double *rate)
{
  for (size_t i = 0; i < particles->free; ++i) {
    const double *v = velocity + 3 * i;
    double        sum = 0;
    for (size_t k = pairs->start[i]; k < pairs->start[i + 1]; ++k) {
      const double *w = velocity + 3 * (size_t)pairs->other[k], *g = pairs->gradient[k];
      sum += particles->mass[pairs->other[k]] * ((v[0] - w[0]) * g[0] + (v[1] - w[1]) * g[1] + (v[2] - w[2]) * g[2]);
    }
    rate[i] = sum;
  }
}

/* The term of each neighbour j on particle i: -(m_j q_i + m_i q_j)/m_i grad W_ij, for a wall without its q; or, for
 * free ones only, -(q_j - q_i) grad W_ij. */
void sb_pressure_acceleration(const sb_pressure_system *system, const double *q, double *acceleration)
{
  const sb_particles      *particles = system->particles;
  const sb_particle_pairs *pairs = system->pairs;
  const bool               differences = system->laplacian == SB_ONE_RING;
  for (size_t i = 0; i < particles->free; ++i) {
    const double own = q[i] / particles->mass[i];
    double       sum[3] = {0, 0, 0};
    for (size_t k = pairs->start[i]; k < pairs->start[i + 1]; ++k) {
      const size_t j = (size_t)pairs->other[k];
      const bool   free = j < particles->free;
      const double weight = !differences ? particles->mass[j] * own + (free ? q[j] : 0) : free ? q[j] - q[i] : 0;
      for (int c = 0; c < 3; ++c) sum[c] -= weight * pairs->gradient[k][c];
    }
    memcpy(acceleration + 3 * i, sum, sizeof sum);
  }
}

/* -2 h^2 rho_0 x_ij.grad W_ij/r^2 > 0 of pair k. */
static double brookshaw(const sb_pressure_system *system, size_t k)
{
  const double *g = system->pairs->gradient[k], r = system->pairs->distance[k], h = system->h_seconds;
  return r > 0 ? 2 * h * h * system->particles->density * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) / r : 0;
}

void sb_pressure_product(const sb_pressure_system *system, const double *q, double *scratch, double *product)
{
  const sb_particles      *particles = system->particles;
  const sb_particle_pairs *pairs = system->pairs;
  if (system->laplacian != SB_TWO_RING) {
    for (size_t i = 0; i < particles->free; ++i) {
      product[i] = 0;
      for (size_t k = pairs->start[i]; k < pairs->start[i + 1]; ++k)
        if ((size_t)pairs->other[k] < particles->free)
          product[i] += brookshaw(system, k) * (q[i] - q[(size_t)pairs->other[k]]);
    }
    return;
  }
  memset(scratch + 3 * particles->free, 0, 3 * (particles->count - particles->free) * sizeof *scratch);
  sb_pressure_acceleration(system, q, scratch);
  sb_pressure_rate(particles, pairs, scratch, product);
  for (size_t i = 0; i < particles->free; ++i) product[i] *= -system->h_seconds * system->h_seconds;
}

/* sum_j m_j grad W_ij: the diagonal of D. */
static void own_gradient(const sb_pressure_system *system, size_t i, double sum[3])
{
  const sb_particle_pairs *pairs = system->pairs;
  memset(sum, 0, 3 * sizeof *sum);
  for (size_t k = pairs->start[i]; k < pairs->start[i + 1]; ++k)
    for (int c = 0; c < 3; ++c) sum[c] += system->particles->mass[pairs->other[k]] * pairs->gradient[k][c];
}

static double square(const double a[3]) { return a[0] * a[0] + a[1] * a[1] + a[2] * a[2]; }

void sb_pressure_diagonal(const sb_pressure_system *system, double *diagonal)
{
  const sb_particles      *particles = system->particles;
  const sb_particle_pairs *pairs = system->pairs;
  const double             h2 = system->h_seconds * system->h_seconds;
  for (size_t i = 0; i < particles->free; ++i) {
    double own[3], sum = 0;
    own_gradient(system, i, own);
    const bool two = system->laplacian == SB_TWO_RING;
    for (size_t k = pairs->start[i]; k < pairs->start[i + 1]; ++k) {
      if ((size_t)pairs->other[k] >= particles->free) continue;
      sum += two ? h2 * particles->mass[pairs->other[k]] * square(pairs->gradient[k]) : brookshaw(system, k);
    }
    diagonal[i] = sum + (two ? h2 * square(own) / particles->mass[i] : 0);
  }
}

/* Entries of the matrix in columns from the diagonal on, row by row, in no order within a row. */
typedef struct {
  const sb_pressure_system *system;
  const double             *own;    /* [free][3] sum_j m_j grad W_ij */
  PetscInt                 *start;  /* [free + 1] */
  PetscInt                 *place;  /* [free] index of a column's entry, if it is in the current row */
  PetscInt                 *column; /* [room] */
  double                   *value;
  PetscInt                  count, room;
} upper;

static void add_to(upper *u, PetscInt row, size_t column, double value)
{
  PetscInt *place = &u->place[column];
  if (*place < u->start[row]) {
    *place = u->count++;
    u->column[*place] = (PetscInt)column;
    u->value[*place] = 0;
  }
  u->value[*place] += value;
}

/* Row i += h^2 D_ik.(D^T)_k/m_k, `entry` = h^2 D_ik/m_k; D_lk = -m_k grad W_lk = m_k grad W_kl of neighbours l, which
 * ascend. */
static void add_products(upper *u, size_t i, size_t k, const double entry[3])
{
  const sb_particle_pairs *pairs = u->system->pairs;
  const size_t             free = u->system->particles->free;
  const double             mass = u->system->particles->mass[k], *own = u->own + 3 * k;
  if (k >= i) add_to(u, (PetscInt)i, k, entry[0] * own[0] + entry[1] * own[1] + entry[2] * own[2]);
  for (size_t n = pairs->start[k + 1]; n-- > pairs->start[k] && (size_t)pairs->other[n] >= i;) {
    const double *g = pairs->gradient[n];
    if ((size_t)pairs->other[n] < free)
      add_to(u, (PetscInt)i, (size_t)pairs->other[n], mass * (entry[0] * g[0] + entry[1] * g[1] + entry[2] * g[2]));
  }
}

static void fill_row(upper *u, size_t i)
{
  const sb_particles      *particles = u->system->particles;
  const sb_particle_pairs *pairs = u->system->pairs;
  const double             h2 = u->system->h_seconds * u->system->h_seconds, inverse = h2 / particles->mass[i];
  const bool               two = u->system->laplacian == SB_TWO_RING;
  const double            *own = u->own + 3 * i;
  if (two)
    add_products(u, i, i, (double[]){inverse * own[0], inverse * own[1], inverse * own[2]});
  else
    add_to(u, (PetscInt)i, i, 0);
  for (size_t k = pairs->start[i]; k < pairs->start[i + 1]; ++k) {
    const size_t  j = (size_t)pairs->other[k];
    const double *g = pairs->gradient[k], weight = two ? 0 : brookshaw(u->system, k);
    if (j >= particles->free) break;
    if (two) {
      add_products(u, i, j, (double[]){-h2 * g[0], -h2 * g[1], -h2 * g[2]});
    } else {
      add_to(u, (PetscInt)i, i, weight);
      if (j > i) add_to(u, (PetscInt)i, j, -weight);
    }
  }
  u->value[u->place[i]] *= 1 + u->system->shift;
}

/* Makes room for row i, which has at most as many columns as entries added to it. */
static PetscErrorCode make_room(upper *u, size_t i)
{
  const sb_particle_pairs *pairs = u->system->pairs;
  size_t                   most = 1 + pairs->start[i + 1] - pairs->start[i];

  PetscFunctionBeginUser;
  for (size_t k = pairs->start[i]; k < pairs->start[i + 1] && (size_t)pairs->other[k] < u->system->particles->free; ++k)
    most += 1 + pairs->start[pairs->other[k] + 1] - pairs->start[pairs->other[k]];
  most = PetscMin(most, u->system->particles->free);
  PetscCheck(2.0 * u->count + (double)most < (double)PETSC_MAX_INT / 2, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "the pressure matrix has more than 10^9 entries [E215]");
  if (u->count + (PetscInt)most <= u->room) PetscFunctionReturn(0);
  u->room += u->room / 2 + (PetscInt)most; /* at least as many as needed, even if there was no room before */
  PetscCall(PetscRealloc((size_t)u->room * sizeof *u->column, &u->column));
  PetscCall(PetscRealloc((size_t)u->room * sizeof *u->value, &u->value));
  PetscFunctionReturn(0);
}

/* All rows: entries (i, j) go to row j first, i ascending there, and from there to row i, j ascending: sorted without
 * comparing, and symmetric to the bit. `place` holds where the next entry of a row goes. */
static void mirror(const upper *u, PetscInt n, PetscInt *start, PetscInt *column, double *value)
{
  PetscInt *next = u->place;
  start[0] = 0;
  for (PetscInt i = 0; i < n; ++i) start[i + 1] = u->start[i + 1] - u->start[i] - 1; /* the diagonal counts below */
  for (PetscInt k = 0; k < u->count; ++k) start[u->column[k] + 1]++;
  for (PetscInt i = 0; i < n; ++i) {
    start[i + 1] += start[i];
    next[i] = start[i];
  }
  for (PetscInt i = 0; i < n; ++i)
    for (PetscInt k = u->start[i]; k < u->start[i + 1]; ++k) {
      const PetscInt at = next[u->column[k]]++;
      column[at] = i;
      value[at] = u->value[k];
    }
  for (PetscInt j = 0; j < n; ++j)
    for (PetscInt k = start[j]; column[k] < j; ++k) {
      const PetscInt at = next[column[k]]++;
      column[at] = j;
      value[at] = value[k];
    }
}

static PetscErrorCode free_rows(void *rows)
{
  PetscInt *start = ((void **)rows)[0], *column = ((void **)rows)[1];
  double   *value = ((void **)rows)[2];

  PetscFunctionBeginUser;
  PetscCall(PetscFree3(start, column, value));
  PetscCall(PetscFree(rows));
  PetscFunctionReturn(0);
}

/* A matrix of these rows, which it owns from then on: copying by PETSc would cost as much as computing them. */
static PetscErrorCode own_rows(PetscInt n, PetscInt *start, PetscInt *column, double *value, Mat *matrix)
{
  PetscContainer owner;
  void         **rows;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(3, &rows));
  rows[0] = start;
  rows[1] = column;
  rows[2] = value;
  PetscCall(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, n, n, start, column, value, matrix));
  PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &owner));
  PetscCall(PetscContainerSetPointer(owner, rows));
  PetscCall(PetscContainerSetUserDestroy(owner, free_rows));
  PetscCall(PetscObjectCompose((PetscObject)*matrix, "rows", (PetscObject)owner));
  PetscCall(PetscContainerDestroy(&owner));
  PetscCall(MatSetOption(*matrix, MAT_SYMMETRIC, PETSC_TRUE));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_pressure_matrix(const sb_pressure_system *system, Mat *matrix)
{
  const PetscInt n = (PetscInt)system->particles->free;
  upper          u = {.system = system};
  size_t         entries;
  PetscInt      *start, *column;
  double        *value, *own;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc3((size_t)n + 1, &u.start, (size_t)n, &u.place, 3 * (size_t)n, &own));
  u.own = own;
  for (PetscInt i = 0; i < n; ++i) {
    u.place[i] = -1;
    own_gradient(system, (size_t)i, own + 3 * (size_t)i);
  }
  for (PetscInt i = 0; i < n; ++i) {
    u.start[i] = u.count;
    PetscCall(make_room(&u, (size_t)i));
    fill_row(&u, (size_t)i);
  }
  u.start[n] = u.count;
  entries = (size_t)(2 * u.count - n);
  PetscCall(PetscMalloc3((size_t)n + 1, &start, entries, &column, entries, &value));
  mirror(&u, n, start, column, value);
  PetscCall(own_rows(n, start, column, value, matrix));
  PetscCall(PetscFree(u.column));
  PetscCall(PetscFree(u.value));
  PetscCall(PetscFree3(u.start, u.place, own));
  PetscFunctionReturn(0);
}

typedef struct {
  const sb_pressure_system *system;
  double                   *scratch, *diagonal;
} shell;

static PetscErrorCode multiply(Mat matrix, Vec x, Vec y)
{
  shell        *s;
  const double *q;
  double       *product;

  PetscFunctionBeginUser;
  PetscCall(MatShellGetContext(matrix, &s));
  PetscCall(VecGetArrayRead(x, &q));
  PetscCall(VecGetArrayWrite(y, &product));
  sb_pressure_product(s->system, q, s->scratch, product);
  for (size_t i = 0; s->system->shift > 0 && i < s->system->particles->free; ++i)
    product[i] += s->system->shift * s->diagonal[i] * q[i];
  PetscCall(VecRestoreArrayWrite(y, &product));
  PetscCall(VecRestoreArrayRead(x, &q));
  PetscFunctionReturn(0);
}

static PetscErrorCode get_diagonal(Mat matrix, Vec diagonal)
{
  shell  *s;
  double *array;

  PetscFunctionBeginUser;
  PetscCall(MatShellGetContext(matrix, &s));
  PetscCall(VecGetArrayWrite(diagonal, &array));
  for (size_t i = 0; i < s->system->particles->free; ++i) array[i] = (1 + s->system->shift) * s->diagonal[i];
  PetscCall(VecRestoreArrayWrite(diagonal, &array));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(Mat matrix)
{
  shell *s;

  PetscFunctionBeginUser;
  PetscCall(MatShellGetContext(matrix, &s));
  PetscCall(PetscFree2(s->scratch, s->diagonal));
  PetscCall(PetscFree(s));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_pressure_operator(const sb_pressure_system *system, Mat *matrix)
{
  const PetscInt n = (PetscInt)system->particles->free;
  shell         *s;

  PetscFunctionBeginUser;
  PetscCall(PetscNew(&s));
  s->system = system;
  PetscCall(PetscMalloc2(3 * system->particles->count, &s->scratch, n, &s->diagonal));
  sb_pressure_diagonal(system, s->diagonal);
  PetscCall(MatCreateShell(PETSC_COMM_SELF, n, n, n, n, s, matrix));
  PetscCall(MatShellSetOperation(*matrix, MATOP_MULT, (void (*)(void))multiply));
  PetscCall(MatShellSetOperation(*matrix, MATOP_GET_DIAGONAL, (void (*)(void))get_diagonal));
  PetscCall(MatShellSetOperation(*matrix, MATOP_DESTROY, (void (*)(void))destroy));
  PetscCall(MatSetOption(*matrix, MAT_SYMMETRIC, PETSC_TRUE));
  PetscFunctionReturn(0);
}
