/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forces and Hessians of small scenes: finite and as the definitions give them; forces sum to zero, Hessians are
 * symmetric, a translation of the whole net costs nothing, and projected Hessians are positive semi-definite. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/scene.h"

enum { VERTICES_MAX = 64, ROOM = 3 * VERTICES_MAX, ROUNDINGS = 64 };

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  (void)argc;
  (void)argv;
  fuzz_start_petsc();
  return 0;
}

static void check_forces(const fuzz_scene *scene)
{
  static long double wanted[ROOM], scale[VERTICES_MAX];
  const size_t       n = scene->pose.vertices;
  long double        sum[3] = {0}, all = 0;
  const double      *force;
  Vec                f;
  FUZZ_MUST(sb_system_create_full(scene->system, &f));
  FUZZ_MUST(sb_system_elastic_forces(scene->system, scene->x, f));
  FUZZ_MUST(VecGetArrayRead(f, &force));
  fuzz_elastic_forces(&scene->pose, scene->pose.position, wanted, scale);
  for (size_t i = 0; i < n; ++i) {
    all += scale[i];
    for (size_t c = 0; c < 3; ++c) {
      const long double got = force[3 * i + c], off = fabsl(got - wanted[3 * i + c]);
      fuzz_require(off <= ROUNDINGS * DBL_EPSILON * scale[i], "forces are those of the definition");
      sum[c] += got;
    }
  }
  for (size_t c = 0; c < 3; ++c) fuzz_require(fabsl(sum[c]) <= ROUNDINGS * DBL_EPSILON * all, "forces sum to zero");
  FUZZ_MUST(VecRestoreArrayRead(f, &force));
  FUZZ_MUST(VecDestroy(&f));
}

/* out = sum of H_s d over springs, and the size of its terms at each vertex. */
static void multiply(const sb_pose *pose, double negative, const double *d, long double *out, long double *scale)
{
  memset(out, 0, 3 * pose->vertices * sizeof *out);
  memset(scale, 0, pose->vertices * sizeof *scale);
  for (size_t s = 0; s < pose->springs; ++s) {
    const size_t      a = (size_t)pose->ends[2 * s], b = (size_t)pose->ends[2 * s + 1];
    const long double k = pose->stiffness[s], l = pose->rest_length[s];
    long double       u[3], w[3], r = 0, along = 0;
    for (size_t c = 0; c < 3; ++c) {
      u[c] = (long double)pose->position[3 * a + c] - (long double)pose->position[3 * b + c];
      w[c] = (long double)d[3 * a + c] - (long double)d[3 * b + c];
      r += u[c] * u[c];
    }
    r = sqrtl(r);
    const long double across = (l > r ? negative : 1) * (1 - l / r);
    for (size_t c = 0; c < 3; ++c) along += (u[c] / r) * w[c];
    for (size_t c = 0; c < 3; ++c) {
      const long double part = k * (along * u[c] / r + across * (w[c] - along * u[c] / r));
      out[3 * a + c] += part;
      out[3 * b + c] -= part;
    }
    scale[a] += 8 * k * (1 + l / r);
    scale[b] += 8 * k * (1 + l / r);
  }
}

static void check_product(const fuzz_scene *scene, double negative, Mat matrix, Vec direction, Vec product)
{
  static long double wanted[ROOM], scale[VERTICES_MAX];
  const double      *got, *d;
  long double        energy = 0, all = 0;
  FUZZ_MUST(MatMult(matrix, direction, product));
  FUZZ_MUST(VecGetArrayRead(direction, &d));
  FUZZ_MUST(VecGetArrayRead(product, &got));
  multiply(&scene->pose, negative, d, wanted, scale);
  for (size_t i = 0; i < scene->pose.vertices; ++i) {
    all += scale[i];
    for (size_t c = 3 * i; c < 3 * i + 3; ++c) {
      fuzz_require(fabsl(got[c] - wanted[c]) <= ROUNDINGS * DBL_EPSILON * scale[i], "Hessians are as defined");
      energy += (long double)got[c] * d[c];
    }
  }
  if (negative == SB_HESSIAN_PROJECTED)
    fuzz_require(energy >= -ROUNDINGS * DBL_EPSILON * all, "projected Hessians are positive semi-definite");
  FUZZ_MUST(VecRestoreArrayRead(product, &got));
  FUZZ_MUST(VecRestoreArrayRead(direction, &d));
}

/* Coordinates in [-1, 1]; the first direction is a translation, which costs nothing. */
static void take_direction(fuzz_bytes *bytes, bool translation, Vec direction)
{
  double  *d, shift[3];
  PetscInt size;
  FUZZ_MUST(VecGetLocalSize(direction, &size));
  FUZZ_MUST(VecGetArrayWrite(direction, &d));
  for (int c = 0; c < 3; ++c) shift[c] = 2 * fuzz_unit(bytes) - 1;
  for (PetscInt i = 0; i < size; ++i) d[i] = translation ? shift[i % 3] : (double)fuzz_byte(bytes) / 127.5 - 1;
  FUZZ_MUST(VecRestoreArrayWrite(direction, &d));
}

static void check_hessian(fuzz_bytes *bytes, const fuzz_scene *scene, double negative)
{
  Mat       matrix;
  Vec       direction, product;
  PetscBool symmetric;
  FUZZ_MUST(sb_system_create_block_matrix(scene->system, &matrix));
  FUZZ_MUST(sb_system_create_unknowns(scene->system, &direction));
  FUZZ_MUST(VecDuplicate(direction, &product));
  FUZZ_MUST(sb_system_assemble_hessian(scene->system, negative, 0, scene->x, matrix));
  FUZZ_MUST(MatIsSymmetric(matrix, 0, &symmetric));
  fuzz_require(symmetric, "Hessians are symmetric");
  for (int k = 0; k < 3; ++k) {
    take_direction(bytes, k == 0, direction);
    check_product(scene, negative, matrix, direction, product);
  }
  FUZZ_MUST(VecDestroy(&product));
  FUZZ_MUST(VecDestroy(&direction));
  FUZZ_MUST(MatDestroy(&matrix));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static fuzz_scene scene;
  fuzz_bytes        bytes = {data, data + size};
  const double      negative = fuzz_byte(&bytes) % 5 * 0.25; /* projected, blended, exact */
  if (fuzz_scene_take(&bytes, VERTICES_MAX, false, &scene)) {
    check_forces(&scene);
    check_hessian(&bytes, &scene, negative);
  }
  fuzz_scene_clear(&scene);
  return 0;
}
