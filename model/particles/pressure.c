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

/* On particle i, of each neighbour j that is free: -(m_j q_i + m_i q_j)/m_i grad W_ij, of a wall without its q; or
 * -(q_j
 * - q_i) grad W_ij of free ones. */
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

/* -2 h^2 rho_0 x_ij.grad W_ij/(r^2 + H^2/100) > 0 of pair k. */
static double brookshaw(const sb_pressure_system *system, size_t k)
{
  const sb_particles *p = system->particles;
  const double       *g = system->pairs->gradient[k], r = system->pairs->distance[k], h = system->h_seconds;
  return 2 * h * h * p->density * r * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) /
         (r * r + 0.01 * p->support * p->support);
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

/* sum_j m_j grad W_ij: what D has on its diagonal. */
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

/* A row on its way: values by column, and the columns there are. */
typedef struct {
  double   *value;  /* [free], 0 where `mark` is not the row */
  PetscInt *mark;   /* [free] */
  PetscInt *column; /* [free] */
  PetscInt  count;
} row_sum;

static void add_to(row_sum *row, size_t i, size_t column, double value)
{
  if (row->mark[column] != (PetscInt)i) {
    row->mark[column] = (PetscInt)i;
    row->value[column] = 0;
    row->column[row->count++] = (PetscInt)column;
  }
  row->value[column] += value;
}

/* Row i += h^2 D_ik.(D^T)_k/m_k, `entry` = h^2 D_ik/m_k; D_lk = -m_k grad W_lk = m_k grad W_kl of neighbours l. */
static void add_products(const sb_pressure_system *system, const double *own, size_t i, size_t k, const double entry[3],
                         row_sum *row)
{
  const sb_particle_pairs *pairs = system->pairs;
  const double             mass = system->particles->mass[k];
  add_to(row, i, k, entry[0] * own[3 * k] + entry[1] * own[3 * k + 1] + entry[2] * own[3 * k + 2]);
  for (size_t n = pairs->start[k]; n < pairs->start[k + 1]; ++n) {
    const double *g = pairs->gradient[n];
    if ((size_t)pairs->other[n] < system->particles->free)
      add_to(row, i, (size_t)pairs->other[n], mass * (entry[0] * g[0] + entry[1] * g[1] + entry[2] * g[2]));
  }
}

static void fill_row(const sb_pressure_system *system, const double *own, size_t i, row_sum *row)
{
  const sb_particles      *particles = system->particles;
  const sb_particle_pairs *pairs = system->pairs;
  const double             h2 = system->h_seconds * system->h_seconds, inverse = h2 / particles->mass[i];
  const double             entry[3] = {inverse * own[3 * i], inverse * own[3 * i + 1], inverse * own[3 * i + 2]};
  row->count = 0;
  if (system->laplacian == SB_TWO_RING)
    add_products(system, own, i, i, entry, row);
  else
    add_to(row, i, i, 0);
  for (size_t k = pairs->start[i]; k < pairs->start[i + 1]; ++k) {
    const size_t  j = (size_t)pairs->other[k];
    const double *g = pairs->gradient[k];
    if (j >= particles->free) continue;
    if (system->laplacian == SB_TWO_RING) {
      add_products(system, own, i, j, (double[]){-h2 * g[0], -h2 * g[1], -h2 * g[2]}, row);
    } else {
      const double weight = brookshaw(system, k);
      add_to(row, i, i, weight);
      add_to(row, i, j, -weight);
    }
  }
  row->value[i] *= 1 + system->shift;
}

/* Rows of a matrix, one after the other. */
typedef struct {
  PetscInt *start, *column;
  double   *value;
  size_t    count, room;
} rows;

static PetscErrorCode append(rows *all, row_sum *row)
{
  PetscFunctionBeginUser;
  PetscCall(PetscSortInt(row->count, row->column));
  if (all->count + (size_t)row->count > all->room) {
    all->room = 2 * all->room + (size_t)row->count;
    PetscCall(PetscRealloc(all->room * sizeof *all->column, &all->column));
    PetscCall(PetscRealloc(all->room * sizeof *all->value, &all->value));
  }
  for (PetscInt c = 0; c < row->count; ++c, ++all->count) {
    all->column[all->count] = row->column[c];
    all->value[all->count] = row->value[row->column[c]];
  }
  PetscFunctionReturn(0);
}

PetscErrorCode sb_pressure_matrix(const sb_pressure_system *system, Mat *matrix)
{
  const PetscInt n = (PetscInt)system->particles->free;
  row_sum        row = {0};
  rows           all = {.room = 32 * (size_t)n};
  double        *own;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc4(n, &row.value, n, &row.mark, n, &row.column, 3 * (size_t)n, &own));
  PetscCall(PetscMalloc1(n + 1, &all.start));
  PetscCall(PetscMalloc1(all.room, &all.column));
  PetscCall(PetscMalloc1(all.room, &all.value));
  for (PetscInt i = 0; i < n; ++i) {
    row.mark[i] = -1;
    own_gradient(system, (size_t)i, own + 3 * (size_t)i);
  }
  for (PetscInt i = 0; i < n; ++i) {
    all.start[i] = (PetscInt)all.count;
    fill_row(system, own, (size_t)i, &row);
    PetscCall(append(&all, &row));
    PetscCheck(all.count < PETSC_MAX_INT, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "the pressure matrix has more than 2^31 - 1 entries [E215]");
  }
  all.start[n] = (PetscInt)all.count;
  PetscCall(MatCreate(PETSC_COMM_SELF, matrix));
  PetscCall(MatSetSizes(*matrix, n, n, n, n));
  PetscCall(MatSetType(*matrix, MATSEQAIJ));
  PetscCall(MatSeqAIJSetPreallocationCSR(*matrix, all.start, all.column, all.value));
  PetscCall(MatSetOption(*matrix, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(PetscFree(all.start));
  PetscCall(PetscFree(all.column));
  PetscCall(PetscFree(all.value));
  PetscCall(PetscFree4(row.value, row.mark, row.column, own));
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
