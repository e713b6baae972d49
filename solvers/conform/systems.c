/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Linear systems of sheets and chains; see systems.h. */
#include "solvers/conform/systems.h"

#include <math.h>

#include "base/guard.h"

static PetscErrorCode create_empty(PetscInt n, PetscInt row_length, PetscInt block, Mat *made)
{
  PetscInt local = PETSC_DECIDE, blocks = n / block;
  Mat      A;

  PetscFunctionBeginUser;
  PetscCall(PetscSplitOwnership(PETSC_COMM_WORLD, &local, &blocks));
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, local * block, local * block, n, n, row_length, NULL, row_length, NULL, &A));
  PetscCall(MatSetBlockSize(A, block));
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(MatSetOption(A, MAT_IGNORE_OFF_PROC_ENTRIES, PETSC_TRUE));
  *made = A;
  PetscFunctionReturn(0);
}

static PetscErrorCode finish(Mat A)
{
  PetscFunctionBeginUser;
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_banded_matrix(PetscInt n, PetscInt bandwidth, PetscInt block, sb_entry_function entry,
                                const void *context, Mat *A)
{
  PetscInt first, end;

  PetscFunctionBeginUser;
  PetscCall(create_empty(n, 2 * bandwidth + 1, block, A));
  PetscCall(MatGetOwnershipRange(*A, &first, &end));
  for (PetscInt i = first; i < end; ++i) {
    for (PetscInt j = PetscMax(0, i - bandwidth); j <= PetscMin(n - 1, i + bandwidth); ++j) {
      const double value = entry(context, i, j);
      if (i == j || value != 0.0) PetscCall(MatSetValue(*A, i, j, value, INSERT_VALUES));
    }
  }
  PetscCall(finish(*A));
  PetscFunctionReturn(0);
}

PetscInt sb_sheet_free(const sb_sheet_system *s) { return (s->cells + 1) * (s->cells + 1) - 2; }

/* Number among the free vertices, -1 when pinned: vertices 0 and `cells`. */
static PetscInt free_id(const sb_sheet_system *s, int vertex)
{
  if (vertex == 0 || vertex == s->cells) return -1;
  return vertex - (vertex < s->cells ? 1 : 2);
}

static void rotate(double angle, int axis, double p[3])
{
  const int    a = (axis + 1) % 3, b = (axis + 2) % 3;
  const double turned = cos(angle) * p[a] - sin(angle) * p[b];
  p[b] = sin(angle) * p[a] + cos(angle) * p[b];
  p[a] = turned;
}

/* H_s/k = u u^T + (1 - 1/stretch)(I - u u^T) of a spring in direction (di, dj, 0), then rotated. */
static void spring_block(const sb_sheet_system *s, int di, int dj, double H[9])
{
  const double length = hypot(di, dj), slack = 1.0 - 1.0 / s->stretch;
  double       u[3] = {di / length, dj / length, 0.0};
  for (int axis = 0; axis < 3; ++axis) rotate(s->angle, axis, u);
  for (int i = 0; i < 9; ++i) H[i] = (1.0 - slack) * u[i / 3] * u[i % 3] + (i / 3 == i % 3 ? slack : 0.0);
}

static PetscErrorCode add(Mat A, PetscInt block, PetscInt row, PetscInt column, double factor, const double *values)
{
  PetscFunctionBeginUser;
  if (row < 0 || column < 0) PetscFunctionReturn(0);
  for (PetscInt i = 0; i < block; ++i) {
    for (PetscInt j = 0; j < block; ++j) {
      PetscCall(MatSetValue(A, block * row + i, block * column + j, factor * values[block * i + j], ADD_VALUES));
    }
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode add_spring(Mat A, const sb_sheet_system *s, PetscInt block, int i, int j, int di, int dj)
{
  static const double one[1] = {1.0};
  double              H[9];

  PetscFunctionBeginUser;
  if (i + di < 0 || i + di > s->cells || j + dj > s->cells) PetscFunctionReturn(0);
  spring_block(s, di, dj, H);
  const double  *values = block == 1 ? one : H;
  const PetscInt p = free_id(s, j * (s->cells + 1) + i), q = free_id(s, (j + dj) * (s->cells + 1) + i + di);
  PetscCall(add(A, block, p, p, s->ratio, values));
  PetscCall(add(A, block, q, q, s->ratio, values));
  PetscCall(add(A, block, p, q, -s->ratio, values));
  PetscCall(add(A, block, q, p, -s->ratio, values));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_sheet_matrix(const sb_sheet_system *s, PetscInt block, Mat *made)
{
  const PetscInt n = block * sb_sheet_free(s);
  PetscInt       first, end;
  Mat            A;

  PetscFunctionBeginUser;
  PetscCall(create_empty(n, 7 * block, block, &A));
  PetscCall(MatGetOwnershipRange(A, &first, &end));
  for (PetscInt row = first; row < end; ++row) PetscCall(MatSetValue(A, row, row, 1.0, ADD_VALUES));
  for (int j = 0; j <= s->cells; ++j) {
    for (int i = 0; i <= s->cells; ++i) {
      PetscCall(add_spring(A, s, block, i, j, 1, 0));
      PetscCall(add_spring(A, s, block, i, j, 0, 1));
      PetscCall(add_spring(A, s, block, i, j, -1, 1));
    }
  }
  PetscCall(finish(A));
  *made = A;
  PetscFunctionReturn(0);
}

PetscErrorCode sb_fill(Vec v, double (*value)(PetscInt index))
{
  PetscInt first, end;

  PetscFunctionBeginUser;
  PetscCall(VecGetOwnershipRange(v, &first, &end));
  for (PetscInt i = first; i < end; ++i) PetscCall(VecSetValue(v, i, value(i), INSERT_VALUES));
  PetscCall(VecAssemblyBegin(v));
  PetscCall(VecAssemblyEnd(v));
  PetscFunctionReturn(0);
}

double sb_waves(PetscInt index) { return sin(1.0 + 0.7 * (double)index) + 0.3 * cos(0.11 * (double)(index * index)); }

PetscErrorCode sb_distance(Vec x, Vec y, double *distance)
{
  Vec       difference;
  PetscReal error, size;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(x, &difference));
  PetscCall(VecWAXPY(difference, -1.0, y, x));
  PetscCall(VecNorm(difference, NORM_2, &error));
  PetscCall(VecNorm(y, NORM_2, &size));
  PetscCall(VecDestroy(&difference));
  *distance = error / size;
  PetscFunctionReturn(0);
}

/* With ghosts. */
static PetscErrorCode count_entries(Vec v, PetscInt *count)
{
  Vec local;

  PetscFunctionBeginUser;
  PetscCall(VecGhostGetLocalForm(v, &local));
  PetscCall(VecGetLocalSize(local ? local : v, count));
  PetscCall(VecGhostRestoreLocalForm(v, &local));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_guard_vector(Vec v, double **array)
{
  PetscInt count;

  PetscFunctionBeginUser;
  PetscCall(count_entries(v, &count));
  *array = sb_guard_array((size_t)count);
  PetscCheck(*array, PETSC_COMM_SELF, PETSC_ERR_MEM, "out of memory");
  PetscCall(VecPlaceArray(v, *array));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_guard_destroy(Vec *v, double *array)
{
  PetscInt count;

  PetscFunctionBeginUser;
  PetscCall(count_entries(*v, &count));
  PetscCall(VecResetArray(*v));
  PetscCall(VecDestroy(v));
  sb_guard_free(array, (size_t)count);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_linear_problem_create(Mat A, int columns, sb_linear_problem *p)
{
  Mat product = A;

  PetscFunctionBeginUser;
  *p = (sb_linear_problem){.A = A, .columns = columns, .definite = true};
  if (columns > 1) PetscCall(MatCreateMAIJ(A, columns, &product));
  PetscCall(MatCreateVecs(product, &p->x, &p->b));
  PetscCall(VecDuplicate(p->x, &p->exact));
  PetscCall(sb_guard_vector(p->x, &p->guarded));
  PetscCall(sb_fill(p->exact, sb_waves));
  PetscCall(MatMult(product, p->exact, p->b));
  if (columns > 1) PetscCall(MatDestroy(&product));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_linear_problem_free(sb_linear_problem *p)
{
  PetscFunctionBeginUser;
  PetscCall(VecDestroy(&p->b));
  PetscCall(sb_guard_destroy(&p->x, p->guarded));
  PetscCall(VecDestroy(&p->exact));
  PetscCall(MatDestroy(&p->A));
  PetscFunctionReturn(0);
}
