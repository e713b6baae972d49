/* The pressure system; see pressure.h. */
#include "model/particles/pressure.h"

#include <math.h>
#include <string.h>

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

/* On particle i, of each neighbour j that is free: -(m_j q_i + m_i q_j) grad W_ij, of a wall without its q. */
void sb_pressure_acceleration(const sb_particles *particles, const sb_particle_pairs *pairs, const double *q,
                              double *acceleration)
{
  for (size_t i = 0; i < particles->free; ++i) {
    const double own = q[i] / particles->mass[i];
    double       sum[3] = {0, 0, 0};
    for (size_t k = pairs->start[i]; k < pairs->start[i + 1]; ++k) {
      const size_t j = (size_t)pairs->other[k];
      const double weight = particles->mass[j] * own + (j < particles->free ? q[j] : 0);
      for (int c = 0; c < 3; ++c) sum[c] -= weight * pairs->gradient[k][c];
    }
    memcpy(acceleration + 3 * i, sum, sizeof sum);
  }
}

void sb_pressure_product(const sb_particles *particles, const sb_particle_pairs *pairs, double h_seconds,
                         const double *q, double *scratch, double *product)
{
  memset(scratch + 3 * particles->free, 0, 3 * (particles->count - particles->free) * sizeof *scratch);
  sb_pressure_acceleration(particles, pairs, q, scratch);
  sb_pressure_rate(particles, pairs, scratch, product);
  for (size_t i = 0; i < particles->free; ++i) product[i] *= -h_seconds * h_seconds;
}

/* Row i of h D M^-1/2 along one axis: columns of free particles. */
static PetscErrorCode set_row(const sb_particles *particles, const sb_particle_pairs *pairs, double h, size_t i,
                              int axis, Mat rows)
{
  const PetscInt row = (PetscInt)i;
  double         own = 0;

  PetscFunctionBeginUser;
  for (size_t k = pairs->start[i]; k < pairs->start[i + 1]; ++k) {
    const PetscInt j = pairs->other[k];
    const double   entry = particles->mass[j] * pairs->gradient[k][axis];
    own += entry;
    if ((size_t)j >= particles->free) continue;
    const double scaled = -h * entry / sqrt(particles->mass[j]);
    PetscCall(MatSetValues(rows, 1, &row, 1, &j, &scaled, ADD_VALUES));
  }
  own *= h / sqrt(particles->mass[i]);
  PetscCall(MatSetValues(rows, 1, &row, 1, &row, &own, ADD_VALUES));
  PetscFunctionReturn(0);
}

/* A is a sum over axes of B B^T, B = h D M^-1/2 along one: PETSc multiplies and adds sparse matrices. */
static PetscErrorCode create_factor(const sb_particles *particles, const sb_particle_pairs *pairs, double h, int axis,
                                    Mat *factor)
{
  const PetscInt n = (PetscInt)particles->free;
  PetscInt      *room;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(n, &room));
  for (PetscInt i = 0; i < n; ++i) room[i] = (PetscInt)(pairs->start[i + 1] - pairs->start[i]) + 1;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 0, room, factor));
  for (PetscInt i = 0; i < n; ++i) PetscCall(set_row(particles, pairs, h, (size_t)i, axis, *factor));
  PetscCall(MatAssemblyBegin(*factor, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*factor, MAT_FINAL_ASSEMBLY));
  PetscCall(PetscFree(room));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_pressure_matrix(const sb_particles *particles, const sb_particle_pairs *pairs, double h_seconds,
                                  Mat *matrix)
{
  PetscFunctionBeginUser;
  *matrix = NULL;
  for (int axis = 0; axis < particles->dimensions; ++axis) {
    Mat factor, transposed, square;
    PetscCall(create_factor(particles, pairs, h_seconds, axis, &factor));
    PetscCall(MatTranspose(factor, MAT_INITIAL_MATRIX, &transposed));
    PetscCall(MatMatMult(factor, transposed, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &square));
    PetscCall(MatDestroy(&transposed));
    PetscCall(MatDestroy(&factor));
    if (*matrix) {
      PetscCall(MatAXPY(*matrix, 1, square, SAME_NONZERO_PATTERN));
      PetscCall(MatDestroy(&square));
    } else {
      *matrix = square;
    }
  }
  PetscCall(MatSetOption(*matrix, MAT_SYMMETRIC, PETSC_TRUE));
  PetscFunctionReturn(0);
}
