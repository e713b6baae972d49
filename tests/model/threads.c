/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Passes over vertices that threads share: on every number of ranks the bits of one thread. */
#include "tests/model/support.h"
#include "tests/petsc_tests.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/system/system.h"

enum { PARTS = 2, RESULTS = 3 + PARTS };

/* The local arrays of one rank. */
typedef struct {
  size_t  count[RESULTS];
  double *value[RESULTS];
} results;

static void keep(results *r, int which, size_t count, const double *value)
{
  r->count[which] = count;
  r->value[which] = malloc((count + 1) * sizeof *value);
  if (count > 0) memcpy(r->value[which], value, count * sizeof *value);
}

static void keep_vector(results *r, int which, Vec vector)
{
  PetscInt      count;
  const double *value;
  assert_int_equal(VecGetLocalSize(vector, &count), 0);
  assert_int_equal(VecGetArrayRead(vector, &value), 0);
  keep(r, which, (size_t)count, value);
  assert_int_equal(VecRestoreArrayRead(vector, &value), 0);
}

static void keep_matrix(results *r, int which, const sb_system *system, Mat matrix)
{
  Mat part[PARTS] = {matrix, NULL};
  if (system->ranks > 1) assert_int_equal(MatMPIAIJGetSeqAIJ(matrix, &part[0], &part[1], NULL), 0);
  for (int p = 0; p < PARTS; ++p) {
    MatInfo       info = {0};
    const double *value = NULL;
    if (part[p]) assert_int_equal(MatGetInfo(part[p], MAT_LOCAL, &info), 0);
    if (part[p]) assert_int_equal(MatSeqAIJGetArrayRead(part[p], &value), 0);
    keep(r, which + p, (size_t)info.nz_used, value);
    if (part[p]) assert_int_equal(MatSeqAIJRestoreArrayRead(part[p], &value), 0);
  }
}

/* Forces, local step, energy, and the Hessian half projected, by so many threads. */
static void compute(sb_system *system, int threads, Vec x, results *r)
{
  Vec    force, constant, rhs;
  Mat    matrix;
  double energy;
  sb_system_create_full(system, &force);
  assert_int_equal(sb_system_set_threads(system, 1), 0);
  assert_int_equal(sb_system_create_block_matrix(system, &matrix), 0);
  assert_int_equal(sb_system_assemble_hessian(system, 1.0, 0.0, force, matrix), 0); /* leaves other blocks behind */
  assert_int_equal(sb_system_set_threads(system, threads), 0);
  sb_system_create_unknowns(system, &constant);
  sb_system_create_unknowns(system, &rhs);
  VecSet(constant, 0.7);
  assert_int_equal(sb_system_elastic_forces(system, x, force), 0);
  assert_int_equal(sb_system_local_step(system, 1e-3, x, constant, rhs), 0);
  assert_int_equal(sb_system_elastic_energy(system, x, &energy), 0);
  assert_int_equal(sb_system_assemble_hessian(system, 0.5, 900.0, x, matrix), 0);
  keep_vector(r, 0, force);
  keep_vector(r, 1, rhs);
  keep(r, 2, 1, &energy);
  keep_matrix(r, 3, system, matrix);
  VecDestroy(&force);
  VecDestroy(&constant);
  VecDestroy(&rhs);
  MatDestroy(&matrix);
}

static void compare(const results *got, const results *want)
{
  for (int i = 0; i < RESULTS; ++i) {
    assert_int_equal(got->count[i], want->count[i]);
    for (size_t n = 0; n < want->count[i]; ++n)
      if (!(isnan(got->value[i][n]) && isnan(want->value[i][n])))
        assert_memory_equal(&got->value[i][n], &want->value[i][n], sizeof(double));
  }
}

static void release(results *r)
{
  for (int i = 0; i < RESULTS; ++i) free(r->value[i]);
}

typedef enum { AS_IT_IS, FOLDED, LOST } oddity;

static void try_net(const char *pairs, oddity what)
{
  sb_pose     pose;
  sb_options *options = sb_test_scene(pairs, &pose);
  sb_system  *system;
  Vec         x, v;
  results     want;
  sb_test_vary(&pose, 3);
  for (size_t i = 128; i + 1 < pose.vertices && what != AS_IT_IS; i += 128)
    for (size_t c = 0; c < 3; ++c) pose.position[3 * i + c] = what == LOST ? NAN : pose.position[3 * i + 3 + c];
  assert_int_equal(sb_system_create(PETSC_COMM_WORLD, &pose, options, &system), 0);
  assert_int_equal(system->threads, 1); /* too few vertices to share them unasked */
  sb_system_create_full(system, &x);
  sb_system_create_full(system, &v);
  assert_int_equal(sb_system_set_state(system, &pose, x, v), 0);
  compute(system, 1, x, &want);
  for (int threads = 2; threads <= 5; threads += system->ranks > 1 ? 3 : 1) {
    results got;
    compute(system, threads, x, &got);
    assert_true(!system->bands || system->bands->parts > 1 || system->owned <= 128);
    compare(&got, &want);
    release(&got);
  }
  release(&want);
  VecDestroy(&x);
  VecDestroy(&v);
  sb_system_destroy(&system);
  sb_pose_clear(&pose);
  sb_options_destroy(&options);
}

static void threads_change_no_bit(void)
{
  static const char *const more[] = {"", "pin_method=row_replace", "pin_method=penalty", "springs=triangulated"};
  for (int i = 0; i < 8; ++i)
    for (int what = AS_IT_IS; what <= LOST; ++what) {
      char pairs[200];
      snprintf(pairs, sizeof pairs, "scene=cloth grid=%d perturbation=0.1 threads=4 %s %s", 22 + i,
               i % 4 == 3 ? "" : "springs=crossed+bending", more[i % 4]);
      try_net(pairs, (oddity)what);
    }
}

static void assemble(sb_system *system, const sb_pose *pose)
{
  Vec x, v;
  Mat matrix;
  sb_system_create_full(system, &x);
  sb_system_create_full(system, &v);
  assert_int_equal(sb_system_set_state(system, pose, x, v), 0);
  assert_int_equal(sb_system_create_block_matrix(system, &matrix), 0);
  assert_int_equal(sb_system_assemble_hessian(system, 0.0, 900.0, x, matrix), 0);
  VecDestroy(&x);
  VecDestroy(&v);
  MatDestroy(&matrix);
}

/* Option `threads` is heeded where there are vertices enough: an assembly has as many, and none that is not asked for.
 */
static void large_nets_are_shared(void)
{
  static const int asked[] = {1, 2, 3};
  const int        before = sb_test_threads();
  for (size_t i = 0; i < sizeof asked / sizeof *asked; ++i) {
    char       pairs[100];
    sb_pose    pose;
    sb_system *system;
    snprintf(pairs, sizeof pairs, "scene=cloth grid=199 threads=%d", asked[i]);
    sb_options *options = sb_test_scene(pairs, &pose);
    assert_int_equal(sb_system_create(PETSC_COMM_WORLD, &pose, options, &system), 0);
    assert_int_equal(system->threads, asked[i]);
    assert_int_equal(system->bands->threads, asked[i]);
    if (system->ranks == 1) assert_int_equal(system->bands->parts, asked[i]); /* else inner and outer ones */
    assemble(system, &pose);
#ifdef _OPENMP
    assert_int_equal(sb_test_threads(), before + asked[i] - 1);
#else
    assert_int_equal(sb_test_threads(), before);
#endif
    sb_system_destroy(&system);
    sb_pose_clear(&pose);
    sb_options_destroy(&options);
  }
}

PETSC_TEST_MAIN(large_nets_are_shared, threads_change_no_bit)
