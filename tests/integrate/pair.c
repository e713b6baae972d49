/* SPDX-License-Identifier: GPL-3.0-or-later */
/* V24: two masses on a spring that turn about their centre, the exact motion of a spring that keeps its length. */
#include "tests/integrate/trial.h"

#include <math.h>
#include <stdio.h>

/* A spring of 1 m at rest, pulled apart to number[0] m, its masses sent round the origin at number[1] m/s. */
static void make_pair(sb_pose *pose, const double *number)
{
  assert_true(sb_pose_allocate(pose, 2));
  pose->position[0] = 0.5;
  pose->position[3] = -0.5;
  assert_true(sb_pose_add_spring(pose, 0, 1, 4, SB_STRUCTURAL));
  for (int i = 0; i < 2; ++i) {
    pose->position[3 * i] *= number[0];
    pose->velocity[3 * i + 1] = i == 0 ? number[1] : -number[1];
  }
}

#define CONVERGED "max_iterations=10 "

static const double pair_length = 1.25;

/* w^2 = 2k (1 - L/l)/m of the circular orbit. */
static double pair_frequency(void) { return sqrt(2 * 4 * (1 - 1 / pair_length)); }

static void open_pair(sb_trial *trial, double h, double speed, const sb_variant *variant)
{
  sb_trial_open(trial, PETSC_COMM_WORLD, h, variant->pairs, make_pair, (double[]){pair_length, speed});
}

/* The angle of a step on the discrete circle, and the speed to start with. Verlet's methods: theta = 2 asin(h w/2),
 * with the central velocity r sin(theta)/h. The midpoint rule, whose force is that of the chord's middle, at r
 * cos(theta/2) from the centre: tan(theta/2) = h w'/2 with w'^2 = 2k (1 - L/(l cos(theta/2)))/m, and 2 r
 * tan(theta/2)/h. */
static double angle_of_step(const sb_variant *variant, double h, double *speed)
{
  const double r = pair_length / 2;
  double       theta = 2 * asin(h * pair_frequency() / 2);
  *speed = r * sin(theta) / h;
  if (!sb_variant_is(variant, "petsc_ts") && !sb_variant_is(variant, "implicit_midpoint")) return theta;
  for (int i = 0; i < 60; ++i) theta = 2 * atan(h / 2 * sqrt(2 * 4 * (1 - 1 / (pair_length * cos(theta / 2)))));
  *speed = 2 * r * tan(theta / 2) / h;
  return theta;
}

/* V24: the discrete orbit is a circle, too; the period is off by h^2. */
static void pair_on_its_discrete_circle(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, CONVERGED "gravity=[0,0,0]");
    const double     h = 0.1, r = pair_length / 2;
    double           speed, theta = angle_of_step(&variant, h, &speed);
    sb_trial         trial;
    if (variant.method->order_position != 2 || !(variant.method->traits & SB_SYMPLECTIC)) continue;
    open_pair(&trial, h, speed, &variant);
    for (int n = 100; n <= 1000; n += 100) {
      sb_trial_advance(&trial, 100);
      sb_near(variant.label, "x", trial.position[0], r * cos(n * theta), 1e-11);
      sb_near(variant.label, "y", trial.position[1], r * sin(n * theta), 1e-11);
      sb_near(variant.label, "v_x", trial.velocity[0], -speed * sin(n * theta), 1e-11);
    }
    sb_trial_close(&trial);
  }
}

/* Largest departure from the circle over `steps` steps from step `from`, started at the speed of the exact orbit. */
static void radius_drift(const sb_variant *variant, double h, int steps, double drift[2])
{
  const double r = pair_length / 2;
  sb_trial     trial;
  open_pair(&trial, h, r * pair_frequency(), variant);
  for (int half = 0; half < 2; ++half) {
    drift[half] = 0;
    for (int n = 0; n < steps; ++n) {
      sb_trial_advance(&trial, 1);
      drift[half] = fmax(drift[half], fabs(hypot(trial.position[0], trial.position[1]) - r));
    }
  }
  sb_trial_close(&trial);
}

/* V24: started like the exact orbit, the radius stays within C (h w)^2, and no farther in the second half. */
static void pair_keeps_its_radius(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, CONVERGED "gravity=[0,0,0]");
    double           coarse[2], fine[2];
    if (variant.method->order_position != 2 || !(variant.method->traits & SB_SYMPLECTIC)) continue;
    radius_drift(&variant, 0.08, 400, coarse);
    radius_drift(&variant, 0.04, 800, fine);
    sb_near(variant.label, "order of the radius", log2(coarse[0] / fine[0]), 2, 0.05);
    sb_holds(variant.label, "there is no trend", coarse[1] <= 1.01 * coarse[0] && fine[1] <= 1.01 * fine[0]);
  }
}

/* V23: what implicit Euler loses. The relative place is x+ = (x + h v)/s, s = 1 + h^2 2k/m (1 - L/l+), along which the
 * spring pulls, so a step divides the angular momentum by s, exactly. */
static void implicit_euler_loses_angular_momentum(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "gravity=[0,0,0] gradient_tolerance=1e-13");
    const double     h = 0.1, first = pair_length * pair_length / 2 * pair_frequency();
    double           expected = first;
    char             pairs[400];
    sb_trial         trial;
    if (!(variant.method->traits & SB_ENDS_AT_MINIMUM)) continue;
    snprintf(pairs, sizeof pairs, "%s max_iterations=400", variant.pairs);
    sb_trial_open(&trial, PETSC_COMM_WORLD, h, pairs, make_pair,
                  (double[]){pair_length, pair_length / 2 * pair_frequency()});
    for (int n = 0; n < 50; ++n) {
      const double *x = trial.position, *v = trial.velocity;
      sb_trial_advance(&trial, 1);
      const double length = hypot(x[0] - x[3], x[1] - x[4]);
      const double momentum = x[0] * v[1] - x[1] * v[0] + x[3] * v[4] - x[4] * v[3];
      expected /= 1 + h * h * 8 * (1 - 1 / length);
      sb_near(variant.label, "angular momentum", momentum / expected, 1, 1e-11);
    }
    sb_holds(variant.label, "it is lost", expected < 0.9 * first);
    sb_trial_close(&trial);
  }
}

PETSC_TEST_MAIN(pair_on_its_discrete_circle, pair_keeps_its_radius, implicit_euler_loses_angular_momentum)
