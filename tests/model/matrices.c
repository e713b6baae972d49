/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Assembled matrices against dense sums written out, on every number of ranks; V11, V37, and pin_method reduce. */
#include "tests/model/support.h"
#include "tests/petsc_tests.h"

#include <math.h>
#include <stdlib.h>

#include <petscksp.h>

#include <petscblaslapack.h>

#include "model/system/system.h"

static const char *const nets[] = {"scene=cloth grid=4 springs=crossed+bending perturbation=0.15 pins=corners4",
                                   "scene=curtain grid=3 perturbation=0.05",
                                   "scene=rope perturbation=5",
                                   "scene=oscillator",
                                   "scene=chain ends=free_free",
                                   "scene=cloth grid=3 perturbation=0.1 pins=[5,6,9,10]"};
enum { NETS = sizeof nets / sizeof nets[0] };

typedef struct {
  sb_options *options;
  sb_pose     pose;
  sb_system  *system;
  Vec         x, v;
} fixture;

static void open_net(fixture *f, const char *pairs, MPI_Comm comm)
{
  f->options = sb_test_scene(pairs, &f->pose);
  sb_test_vary(&f->pose, 3);
  assert_int_equal(sb_system_create(comm, &f->pose, f->options, &f->system), 0);
  assert_int_equal(sb_system_create_full(f->system, &f->x), 0);
  assert_int_equal(sb_system_create_full(f->system, &f->v), 0);
  assert_int_equal(sb_system_set_state(f->system, &f->pose, f->x, f->v), 0);
}

static void close_net(fixture *f)
{
  VecDestroy(&f->x);
  VecDestroy(&f->v);
  sb_system_destroy(&f->system);
  sb_pose_clear(&f->pose);
  sb_options_destroy(&f->options);
}

/* Free numbers of all vertices, -1 for pinned ones; returns how many are free. */
static int number_free(const sb_pose *pose, int *id)
{
  int count = 0;
  for (size_t i = 0; i < pose->vertices; ++i) id[i] = pose->pinned[i] ? -1 : count++;
  return count;
}

/* dense [3n][3n] = scale M + sum H_s over free vertices, by the formula of model.md section 1 entry by entry. */
static double *dense_hessian(const sb_pose *pose, double negative, double scale, int *order)
{
  int      *id = malloc(pose->vertices * sizeof *id);
  const int n = 3 * number_free(pose, id);
  double   *dense = calloc((size_t)n * (size_t)n + 1, sizeof *dense);
  for (size_t s = 0; s < pose->springs; ++s) {
    const int    ends[2] = {pose->ends[2 * s], pose->ends[2 * s + 1]};
    double       u[3], r = 0.0;
    const double k = pose->stiffness[s];
    for (int c = 0; c < 3; ++c) u[c] = pose->position[3 * ends[0] + c] - pose->position[3 * ends[1] + c];
    for (int c = 0; c < 3; ++c) r += u[c] * u[c];
    r = sqrt(r);
    double slack = 1.0 - pose->rest_length[s] / r;
    if (slack < 0.0) slack *= negative;
    for (int e = 0; e < 36; ++e) { /* ends p, q; axes a, b */
      const int    p = id[ends[e / 18]], q = id[ends[e / 9 % 2]], a = e / 3 % 3, b = e % 3;
      const double uu = u[a] * u[b] / (r * r), value = k * uu + k * slack * ((a == b) - uu);
      if (p >= 0 && q >= 0) dense[(3 * p + a) * n + 3 * q + b] += e / 18 == e / 9 % 2 ? value : -value;
    }
  }
  for (size_t i = 0; i < pose->vertices; ++i)
    for (int c = 0; c < 3 && id[i] >= 0; ++c) dense[(3 * id[i] + c) * (n + 1)] += scale * pose->mass[i];
  free(id);
  *order = n;
  return dense;
}

static double *dense_scalar(const sb_pose *pose, double h, int *order)
{
  int      *id = malloc(pose->vertices * sizeof *id);
  const int n = number_free(pose, id);
  double   *dense = calloc((size_t)n * (size_t)n + 1, sizeof *dense);
  for (size_t s = 0; s < pose->springs; ++s) {
    const int    p = id[pose->ends[2 * s]], q = id[pose->ends[2 * s + 1]];
    const double weight = h * h * pose->stiffness[s];
    if (p >= 0) dense[p * (n + 1)] += weight;
    if (q >= 0) dense[q * (n + 1)] += weight;
    if (p < 0 || q < 0) continue;
    dense[p * n + q] -= weight;
    dense[q * n + p] -= weight;
  }
  for (size_t i = 0; i < pose->vertices; ++i)
    if (id[i] >= 0) dense[id[i] * (n + 1)] += pose->mass[i];
  free(id);
  *order = n;
  return dense;
}

/* Every row that this rank has, entry by entry, zeros included. */
static void compare_rows(Mat matrix, const double *dense, int n)
{
  PetscInt rows, columns, start, end;
  double   size = 0.0;
  for (int e = 0; e < n * n; ++e) size = fmax(size, fabs(dense[e]));
  assert_int_equal(MatGetSize(matrix, &rows, &columns), 0);
  assert_true(rows == n && columns == n);
  MatGetOwnershipRange(matrix, &start, &end);
  for (PetscInt row = start; row < end; ++row) {
    PetscInt           count;
    const PetscInt    *column;
    const PetscScalar *value;
    double            *full = calloc((size_t)n, sizeof *full);
    MatGetRow(matrix, row, &count, &column, &value);
    for (PetscInt e = 0; e < count; ++e) full[column[e]] = value[e];
    MatRestoreRow(matrix, row, &count, &column, &value);
    for (int j = 0; j < n; ++j) assert_within(full[j], dense[row * n + j], 2e-14 * size);
    free(full);
  }
}

static void hessian_is_the_sum_of_its_blocks(void)
{
  for (size_t t = 0; t < NETS; ++t) {
    fixture f;
    Mat     matrix;
    open_net(&f, nets[t], PETSC_COMM_WORLD);
    assert_int_equal(sb_system_create_block_matrix(f.system, &matrix), 0);
    for (double negative = SB_HESSIAN_PROJECTED; negative <= SB_HESSIAN_EXACT; negative += 0.25)
      for (int scale = 0; scale < 2; ++scale) {
        int     n;
        double *dense = dense_hessian(&f.pose, negative, 50.0 * scale, &n);
        assert_int_equal(sb_system_assemble_hessian(f.system, negative, 50.0 * scale, f.x, matrix), 0);
        compare_rows(matrix, dense, n);
        free(dense);
      }
    MatDestroy(&matrix);
    close_net(&f);
  }
}

static void scalar_matrix_is_the_sum_of_its_springs(void)
{
  for (size_t t = 0; t < NETS; ++t) {
    fixture f;
    Mat     matrix;
    int     n;
    open_net(&f, nets[t], PETSC_COMM_WORLD);
    double *dense = dense_scalar(&f.pose, 0.1, &n);
    assert_int_equal(sb_system_create_scalar_matrix(f.system, 0.1, &matrix), 0);
    compare_rows(matrix, dense, n);
    free(dense);
    MatDestroy(&matrix);
    close_net(&f);
  }
}

/* The whole matrix on every rank, dense, row by row. */
static double *gather_rows(Mat matrix, MPI_Comm comm, int *order)
{
  PetscInt n, start, end;
  MatGetSize(matrix, &n, NULL);
  MatGetOwnershipRange(matrix, &start, &end);
  double *dense = calloc((size_t)(n * n) + 1, sizeof *dense);
  for (PetscInt row = start; row < end; ++row) {
    PetscInt           count;
    const PetscInt    *column;
    const PetscScalar *value;
    MatGetRow(matrix, row, &count, &column, &value);
    for (PetscInt e = 0; e < count; ++e) dense[row * n + column[e]] = value[e];
    MatRestoreRow(matrix, row, &count, &column, &value);
  }
  MPI_Allreduce(MPI_IN_PLACE, dense, n * n, MPI_DOUBLE, MPI_SUM, comm);
  *order = n;
  return dense;
}

static void matrices_are_symmetric_and_the_same_bits_on_all_ranks(void)
{
  for (size_t t = 0; t < NETS; ++t) {
    double *dense[2];
    int     n = 0;
    for (int alone = 0; alone < 2; ++alone) {
      fixture        f;
      Mat            matrix;
      const MPI_Comm comm = alone ? PETSC_COMM_SELF : PETSC_COMM_WORLD;
      open_net(&f, nets[t], comm);
      assert_int_equal(sb_system_create_block_matrix(f.system, &matrix), 0);
      assert_int_equal(sb_system_assemble_hessian(f.system, SB_HESSIAN_EXACT, 3.0, f.x, matrix), 0);
      dense[alone] = gather_rows(matrix, comm, &n);
      MatDestroy(&matrix);
      close_net(&f);
    }
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        assert_true(dense[0][i * n + j] == dense[1][i * n + j]);
        assert_true(dense[0][i * n + j] == dense[0][j * n + i]);
      }
    free(dense[0]);
    free(dense[1]);
  }
}

/* PETSc must see that values changed: a preconditioner is made again, x = D^-1 b halves when D doubles. */
static void assembled_matrices_are_seen_to_change(void)
{
  fixture   f;
  Mat       matrix;
  KSP       ksp;
  PC        pc;
  Vec       b, x;
  PetscReal norms[2];
  PetscBool known, symmetric;
  open_net(&f, nets[0], PETSC_COMM_WORLD);
  assert_int_equal(sb_system_create_block_matrix(f.system, &matrix), 0);
  MatCreateVecs(matrix, &x, &b);
  VecSet(b, 1.0);
  KSPCreate(PETSC_COMM_WORLD, &ksp);
  KSPSetType(ksp, KSPPREONLY);
  KSPGetPC(ksp, &pc);
  PCSetType(pc, PCJACOBI);
  for (int i = 0; i < 2; ++i) {
    assert_int_equal(sb_system_assemble_hessian(f.system, SB_HESSIAN_EXACT, 1e12 * (1 + i), f.x, matrix), 0);
    KSPSetOperators(ksp, matrix, matrix);
    assert_int_equal(KSPSolve(ksp, b, x), 0);
    VecNorm(x, NORM_2, &norms[i]);
  }
  assert_within(norms[0] / norms[1], 2.0, 1e-6);
  MatIsSymmetricKnown(matrix, &known, &symmetric);
  assert_true(known && symmetric);
  KSPDestroy(&ksp);
  VecDestroy(&x);
  VecDestroy(&b);
  MatDestroy(&matrix);
  close_net(&f);
}

/* (M + h^2 L) x over all vertices, restricted to free ones, is the reduced matrix times x_f less the coupling. */
static void pinned_vertices_reach_the_right_hand_side(void)
{
  const double h = 0.1;
  for (size_t t = 0; t < NETS; ++t) {
    fixture f;
    Vec     coupling;
    int     n = 0;
    open_net(&f, nets[t], PETSC_COMM_WORLD);
    int      *id = malloc(f.pose.vertices * sizeof *id);
    const int free_vertices = number_free(&f.pose, id);
    double   *expected = calloc(3 * (size_t)free_vertices + 1, sizeof *expected);
    for (size_t s = 0; s < f.pose.springs; ++s)
      for (int side = 0; side < 2; ++side) {
        const int from = f.pose.ends[2 * s + (size_t)side], to = f.pose.ends[2 * s + 1 - (size_t)side];
        if (id[from] < 0 || id[to] >= 0) continue;
        for (int c = 0; c < 3; ++c)
          expected[3 * id[from] + c] += h * h * f.pose.stiffness[s] * f.pose.position[3 * to + c];
        ++n;
      }
    assert_int_equal(sb_system_create_unknowns(f.system, &coupling), 0);
    assert_int_equal(sb_system_add_pinned_coupling(f.system, h, f.x, coupling), 0);
    const PetscScalar *value;
    PetscInt           start, end;
    VecGetOwnershipRange(coupling, &start, &end);
    VecGetArrayRead(coupling, &value);
    for (PetscInt i = start; i < end; ++i) assert_within(value[i - start], expected[i], 1e-12);
    VecRestoreArrayRead(coupling, &value);
    PetscInt coupled = f.system->coupled;
    MPI_Allreduce(MPI_IN_PLACE, &coupled, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD);
    assert_int_equal(coupled, n);
    VecDestroy(&coupling);
    free(id);
    free(expected);
    close_net(&f);
  }
}

static void eigenvalues(double *dense, int order, double *values)
{
  PetscBLASInt n = order, length = 8 * order, info = 0;
  double      *work = malloc(8 * (size_t)order * sizeof *work);
  LAPACKsyev_("N", "U", &n, dense, &n, values, work, &length, &info);
  free(work);
  assert_int_equal(info, 0);
}

/* V11. At rest the springs have no stiffness across: 2n eigenvalues are zero, n are those of the chain. */
static void chain_has_its_spectrum(void)
{
  enum { N = 50 };
  const char  *ends[] = {"fixed_fixed", "fixed_free", "free_free"};
  const double pi = acos(-1.0);
  for (int e = 0; e < 3; ++e) {
    char    pairs[128];
    sb_pose pose;
    Mat     matrix;
    Vec     x, v;
    int     n;
    snprintf(pairs, sizeof pairs, "scene=chain nodes=%d ends=%s amplitude=0 stiffness=3", N, ends[e]);
    sb_options *options = sb_test_scene(pairs, &pose);
    sb_system  *system;
    assert_int_equal(sb_system_create(PETSC_COMM_WORLD, &pose, options, &system), 0);
    sb_system_create_full(system, &x);
    sb_system_create_full(system, &v);
    sb_system_set_state(system, &pose, x, v);
    assert_int_equal(sb_system_create_block_matrix(system, &matrix), 0);
    assert_int_equal(sb_system_assemble_hessian(system, SB_HESSIAN_EXACT, 0.0, x, matrix), 0);
    double *dense = gather_rows(matrix, PETSC_COMM_WORLD, &n), values[3 * N];
    assert_int_equal(n, 3 * N);
    eigenvalues(dense, n, values);
    for (int i = 0; i < 2 * N; ++i) assert_within(values[i], 0.0, 1e-13);
    for (int j = 1; j <= N; ++j) {
      const double angles[] = {j * pi / (2 * (N + 1)), (2 * j - 1) * pi / (2 * (2 * N + 1)), (j - 1) * pi / (2 * N)};
      const double exact = 12.0 * sin(angles[e]) * sin(angles[e]);
      assert_within(values[2 * N + j - 1], exact, e == 2 && j == 1 ? 1e-13 : 1e-12 * exact);
    }
    free(dense);
    MatDestroy(&matrix);
    VecDestroy(&x);
    VecDestroy(&v);
    sb_system_destroy(&system);
    sb_pose_clear(&pose);
    sb_options_destroy(&options);
  }
}

/* V37. One spring, one end pinned, compressed: M/h^2 + H is positive definite iff (h^2 k/m)(L/l - 1) < 1. */
static void compression_makes_the_matrix_indefinite_at_the_stated_point(void)
{
  for (int side = -1; side <= 1; side += 2) {
    fixture f;
    Mat     matrix;
    int     n;
    double  values[3];
    open_net(&f, "scene=oscillator amplitude=-0.5", PETSC_COMM_WORLD);
    assert_int_equal(sb_system_create_block_matrix(f.system, &matrix), 0);
    const double critical = f.pose.stiffness[0] / f.pose.mass[1]; /* L/l - 1 = 1: 1/h^2 = k/m */
    assert_int_equal(
        sb_system_assemble_hessian(f.system, SB_HESSIAN_EXACT, critical / (1.0 + 0.001 * side), f.x, matrix), 0);
    double *dense = gather_rows(matrix, PETSC_COMM_WORLD, &n);
    assert_int_equal(n, 3);
    eigenvalues(dense, n, values);
    assert_int_equal(values[0] > 0.0, side < 0);
    assert_within(values[0], -0.001 * side * f.pose.stiffness[0], 2e-6 * f.pose.stiffness[0]);
    free(dense);
    MatDestroy(&matrix);
    close_net(&f);
  }
}

static void doubled_springs_are_refused(void)
{
  sb_pose     pose;
  sb_system  *system;
  Mat         matrix = NULL;
  sb_options *options = sb_test_scene("scene=rope nodes=3 pins=none", &pose);
  assert_true(sb_pose_add_spring(&pose, 1, 0, 1.0, SB_STRUCTURAL));
  assert_int_equal(sb_system_create(PETSC_COMM_SELF, &pose, options, &system), 0);
  PetscPushErrorHandler(PetscReturnErrorHandler, NULL);
  assert_int_equal(sb_system_create_block_matrix(system, &matrix), PETSC_ERR_ARG_WRONG);
  PetscPopErrorHandler();
  sb_system_destroy(&system);
  sb_pose_clear(&pose);
  sb_options_destroy(&options);
}

PETSC_TEST_MAIN(hessian_is_the_sum_of_its_blocks, scalar_matrix_is_the_sum_of_its_springs,
                matrices_are_symmetric_and_the_same_bits_on_all_ranks, assembled_matrices_are_seen_to_change,
                pinned_vertices_reach_the_right_hand_side, chain_has_its_spectrum,
                compression_makes_the_matrix_indefinite_at_the_stated_point, doubled_springs_are_refused)
