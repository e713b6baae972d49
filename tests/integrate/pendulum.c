/* SPDX-License-Identifier: GPL-3.0-or-later */
/* V25: a mass on a stiff spring is a pendulum. Its period is T = 4 sqrt(l/g) K(sin(theta/2)), K the complete elliptic
 * integral of the first kind of that modulus; stiffness k lengthens it by a part of order m g/(k l), steps by h^2. */
#include "tests/integrate/trial.h"

#include <math.h>

/* number: angle from the vertical, stiffness. m = g = l = 1; the spring has the length that its tension gives it. */
static void make_pendulum(sb_pose *pose, const double *number)
{
  const double length = 1 + cos(number[0]) / number[1];
  assert_true(sb_pose_allocate(pose, 2));
  pose->pinned[0] = true;
  pose->position[3] = length * sin(number[0]);
  pose->position[4] = -length * cos(number[0]);
  assert_true(sb_pose_add_spring(pose, 0, 1, number[1], SB_STRUCTURAL));
  pose->rest_length[0] = 1;
}

/* K(k) by the arithmetic-geometric mean. */
static double elliptic_integral(double modulus)
{
  double a = 1, b = sqrt(1 - modulus * modulus);
  for (int i = 0; i < 40; ++i) {
    const double mean = 0.5 * (a + b);
    b = sqrt(a * b);
    a = mean;
  }
  return M_PI / (2 * a);
}

/* Time of the n-th passage through x = 0, by Hermite's cubic through the two steps around it. */
static double passage(const double before[2], const double after[2], double h)
{
  double low = 0, high = 1;
  for (int i = 0; i < 100; ++i) {
    const double t = 0.5 * (low + high), s = 1 - t;
    const double x = s * s * (1 + 2 * t) * before[0] + t * s * s * h * before[1] + t * t * (3 - 2 * t) * after[0] -
                     t * t * s * h * after[1];
    if ((x > 0) == (before[0] > 0))
      low = t;
    else
      high = t;
  }
  return 0.5 * (low + high) * h;
}

/* The time between the first and the fifth passage: two periods, halved. */
static double period(const char *pairs, double h, double angle, double stiffness)
{
  sb_trial trial;
  double   first = 0, last = 0;
  int      passages = 0;
  sb_trial_open(&trial, PETSC_COMM_WORLD, h, pairs, make_pendulum, (double[]){angle, stiffness});
  for (int step = 0; passages < 5 && step < 1e6; ++step) {
    const double before[2] = {trial.position[3], trial.velocity[3]};
    sb_trial_advance(&trial, 1);
    const double after[2] = {trial.position[3], trial.velocity[3]};
    if ((before[0] > 0) == (after[0] > 0)) continue;
    last = step * h + passage(before, after, h);
    if (++passages == 1) first = last;
  }
  sb_trial_close(&trial);
  return (last - first) / 2;
}

static void stiff_springs_make_pendulums(void)
{
  static const double angles[] = {M_PI / 6, M_PI / 2};
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "gravity=[0,-1,0]");
    if (variant.method->order_position < 2) continue;
    for (int a = 0; a < 2; ++a) {
      const double exact = 4 * elliptic_integral(sin(angles[a] / 2)), h = 1e-3;
      for (double k = 1e3; k < 2e4; k *= 10)
        sb_near(variant.label, "period", period(variant.pairs, h, angles[a], k) / exact, 1, 5 / k + h * h);
    }
  }
}

/* Differences of the period between h, h/2 and h/4 at one stiffness. */
static void periods_have_the_order_of_the_method(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "gravity=[0,-1,0]");
    double           T[3];
    if (variant.method->order_position != 2) continue;
    for (int n = 0; n < 3; ++n) T[n] = period(variant.pairs, 0.02 / (1 << n), M_PI / 6, 50);
    sb_near(variant.label, "order of the period", log2((T[0] - T[1]) / (T[1] - T[2])), 2, 0.1);
  }
}

PETSC_TEST_MAIN(stiff_springs_make_pendulums, periods_have_the_order_of_the_method)
