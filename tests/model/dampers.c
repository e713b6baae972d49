/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dampers along springs (docs/model.md section 1) on a sheet with every kind of spring, moved and moving at random. */
#include "tests/model/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "model/forces/kernels.h"

enum { SIDE = 5, VERTICES = SIDE * SIDE, N = 3 * VERTICES };

typedef struct {
  sb_options *options;
  sb_pose     pose;
  sb_springs  springs;
  double      v[N];
} net;

static int make_net(void **state)
{
  net *made = calloc(1, sizeof *made);
  *state = made;
  made->options = sb_test_scene("scene=cloth grid=4 springs=crossed+bending perturbation=0.15 pins=none", &made->pose);
  const sb_pose *pose = &made->pose;
  made->springs = (sb_springs){.count = (int)pose->springs,
                               .first = malloc(pose->springs * sizeof(int)),
                               .second = malloc(pose->springs * sizeof(int)),
                               .stiffness = pose->stiffness,
                               .rest_length = pose->rest_length};
  for (size_t s = 0; s < pose->springs; ++s) {
    made->springs.first[s] = pose->ends[2 * s];
    made->springs.second[s] = pose->ends[2 * s + 1];
  }
  for (size_t i = 0; i < N; ++i) made->v[i] = 2.0 * sb_random_unit(5, i) - 1.0;
  return 0;
}

static int free_net(void **state)
{
  net *old = *state;
  free(old->springs.first);
  free(old->springs.second);
  sb_pose_clear(&old->pose);
  sb_options_destroy(&old->options);
  free(old);
  return 0;
}

static void cross(const double a[3], const double b[3], double c[3])
{
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

/* Power is -k_d times the sum of squared rates of length, from a difference quotient of the lengths. */
static void power_is_lost_to_changes_of_length(void **state)
{
  const net    *m = *state;
  const double *x = m->pose.position, damping = 0.7, dt = 1e-6;
  double        force[N] = {0}, power = 0.0, expected = 0.0;
  sb_kernel_add_damping(&m->springs, damping, 0, x, m->v, force);
  for (int i = 0; i < N; ++i) power += force[i] * m->v[i];
  for (int s = 0; s < m->springs.count; ++s) {
    const int a = 3 * m->springs.first[s], b = 3 * m->springs.second[s];
    double    after = 0.0, before = 0.0;
    for (int c = 0; c < 3; ++c) {
      const double d = x[a + c] - x[b + c], rate = m->v[a + c] - m->v[b + c];
      after += (d + dt * rate) * (d + dt * rate);
      before += (d - dt * rate) * (d - dt * rate);
    }
    const double rate = (sqrt(after) - sqrt(before)) / (2.0 * dt);
    expected -= damping * rate * rate;
  }
  assert_true(expected < -1.0);
  assert_within(power, expected, 1e-8 * -expected);
}

static void momenta_stay(void **state)
{
  const net    *m = *state;
  const double *x = m->pose.position;
  double        force[N] = {0}, sum[3] = {0}, torque[3] = {0}, size = 0.0;
  sb_kernel_add_damping(&m->springs, 0.7, 0, x, m->v, force);
  for (int i = 0; i < VERTICES; ++i) {
    double moment[3];
    cross(x + 3 * i, force + 3 * i, moment);
    for (int c = 0; c < 3; ++c) {
      sum[c] += force[3 * i + c];
      torque[c] += moment[c];
      size += fabs(force[3 * i + c]);
    }
  }
  assert_true(size > 1.0);
  for (int c = 0; c < 3; ++c) {
    assert_within(sum[c], 0.0, 1e-15 * size);
    assert_within(torque[c], 0.0, 1e-15 * size);
  }
}

static void rigid_motions_are_free(void **state)
{
  const net    *m = *state;
  const double *x = m->pose.position, spin[3] = {0.3, -1.1, 0.8};
  double        force[N] = {0}, rigid[N];
  for (int i = 0; i < VERTICES; ++i) {
    cross(spin, x + 3 * i, rigid + 3 * i);
    for (int c = 0; c < 3; ++c) rigid[3 * i + c] += c - 0.5;
  }
  sb_kernel_add_damping(&m->springs, 0.7, 0, x, rigid, force);
  for (int i = 0; i < N; ++i) assert_within(force[i], 0.0, 1e-14);
}

static int    ends[2] = {0, 1};
static double values[2] = {6.0, 2.0};

static sb_springs one_spring(void) { return (sb_springs){1, &ends[0], &ends[1], &values[0], &values[1], NULL, {NULL}}; }

static void one_damper_by_hand(void **state)
{
  (void)state;
  const double     x[6] = {4, 0, 3, 0, 0, 0}, v[6] = {1, 9, 2, -4, 2, 2}; /* u = (0.8, 0, 0.6), dv.u = 4 */
  double           force[6] = {10, 0, 0, 0, 0, 0};
  const sb_springs spring = one_spring();
  sb_kernel_add_damping(&spring, 0.125, 0.0625, x, v, force);
  assert_within(force[0], 10.0 - 1.6, 1e-15);
  assert_within(force[2], -1.2, 1e-15);
  assert_within(force[3], 1.6, 1e-15);
  assert_within(force[5], 1.2, 1e-15);
  assert_true(force[1] == 0.0 && force[4] == 0.0);
}

static void a_damper_of_no_length_does_nothing(void **state)
{
  (void)state;
  const double     x[6] = {1, 2, 3, 1, 2, 3}, v[6] = {1, 2, 3, -4, 5, 6}, lost[6] = {NAN, 2, 3, 1, 2, 3};
  double           force[6] = {0};
  const sb_springs spring = one_spring();
  sb_kernel_add_damping(&spring, 0.5, 0, x, v, force);
  for (int i = 0; i < 6; ++i) assert_true(force[i] == 0.0);
  sb_kernel_add_damping(&spring, 0.5, 0, lost, v, force);
  assert_true(isnan(force[0]) && isnan(force[5]));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(power_is_lost_to_changes_of_length),
                                     cmocka_unit_test(momenta_stay), cmocka_unit_test(rigid_motions_are_free),
                                     cmocka_unit_test(one_damper_by_hand),
                                     cmocka_unit_test(a_damper_of_no_length_does_nothing)};
  return cmocka_run_group_tests(tests, make_net, free_net);
}
