/* SPDX-License-Identifier: GPL-3.0-or-later */
/* V30: names are arbitrary. The same net with its vertices and springs renumbered, and the ends of springs exchanged,
 * moves the same way up to the order of sums. Long runs are not compared: a sheet that folds forgets its start. */
#include "tests/integrate/trial.h"

#include <stdlib.h>
#include <string.h>

/* Calm: no noise, a small kick, damped, and steps so short that explicit Euler does not even double its errors. */
#define H    0.0005
#define CALM "scene=cloth grid=4 stiffness=100 drag=0.01 initial_velocity=[0.1,0.05,0] gravity=[0,0,-0.5]"

/* A bijection of 0 … count - 1: `stride` is coprime to every count below it that is not a multiple of it. */
static size_t renamed(size_t i, size_t count)
{
  const size_t stride = 7919;
  return (stride * i + 5) % count;
}

static void *copied(const void *from, size_t bytes)
{
  void *copy = malloc(bytes);
  assert_non_null(copy);
  return memcpy(copy, from, bytes);
}

static void rename_vertices(sb_pose *pose)
{
  const size_t n = pose->vertices;
  double      *position = copied(pose->position, 3 * n * sizeof *position);
  double      *velocity = copied(pose->velocity, 3 * n * sizeof *velocity);
  double      *mass = copied(pose->mass, n * sizeof *mass);
  bool        *pinned = copied(pose->pinned, n * sizeof *pinned);
  for (size_t i = 0; i < n; ++i) {
    const size_t to = renamed(i, n);
    memcpy(&pose->position[3 * to], &position[3 * i], 3 * sizeof *position);
    memcpy(&pose->velocity[3 * to], &velocity[3 * i], 3 * sizeof *velocity);
    pose->mass[to] = mass[i];
    pose->pinned[to] = pinned[i];
  }
  free(position);
  free(velocity);
  free(mass);
  free(pinned);
}

static void rename_springs(sb_pose *pose)
{
  const size_t m = pose->springs;
  int32_t     *ends = copied(pose->ends, 2 * m * sizeof *ends);
  double      *stiffness = copied(pose->stiffness, m * sizeof *stiffness);
  double      *rest_length = copied(pose->rest_length, m * sizeof *rest_length);
  for (size_t s = 0; s < m; ++s) {
    const size_t to = renamed(s, m), swap = s % 2;
    pose->ends[2 * to] = (int32_t)renamed((size_t)ends[2 * s + swap], pose->vertices);
    pose->ends[2 * to + 1] = (int32_t)renamed((size_t)ends[2 * s + 1 - swap], pose->vertices);
    pose->stiffness[to] = stiffness[s];
    pose->rest_length[to] = rest_length[s];
  }
  free(ends);
  free(stiffness);
  free(rest_length);
}

static void rename_all(sb_pose *pose, const double *unused)
{
  (void)unused;
  rename_vertices(pose);
  rename_springs(pose);
}

static void compare(const sb_variant *variant, const sb_trial *plain, const sb_trial *other, double tolerance)
{
  for (size_t i = 0; i < plain->vertices; ++i) {
    const size_t to = renamed(i, plain->vertices);
    for (size_t c = 0; c < 3; ++c) {
      sb_near(variant->label, "x under other names", other->position[3 * to + c], plain->position[3 * i + c],
              tolerance);
      sb_near(variant->label, "h v under other names", H * other->velocity[3 * to + c], H * plain->velocity[3 * i + c],
              tolerance);
    }
  }
}

static void other_names(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, CALM);
    const int64_t    steps = sb_variant_steps(&variant, 300);
    sb_trial         plain, other;
    if (variant.method->traits & SB_PROJECTS_LENGTHS) continue; /* the order of springs is part of the method */
    sb_trial_open(&plain, PETSC_COMM_WORLD, H, variant.pairs, NULL, NULL);
    sb_trial_open(&other, PETSC_COMM_WORLD, H, variant.pairs, rename_all, NULL);
    sb_trial_advance(&plain, 1);
    sb_trial_advance(&other, 1);
    compare(&variant, &plain, &other, 1e-14);
    sb_trial_advance(&plain, steps - 1);
    sb_trial_advance(&other, steps - 1);
    assert_int_equal(plain.step, steps);
    compare(&variant, &plain, &other, 1e-10);
    sb_trial_close(&plain);
    sb_trial_close(&other);
  }
}

PETSC_TEST_MAIN(other_names)
