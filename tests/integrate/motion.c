/* Motions known in closed form, for every integrator: flight, fall, momentum, a rotating pair, pinned vertices. */
#include "tests/integrate/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A free sheet of 16 vertices at rest length; its fastest mode has w = 36. */
#define SHEET "scene=cloth grid=3 pins=none stiffness=10 total_mass=1 "

static void open_scene(sb_trial *trial, double h, const sb_variant *variant, const char *more)
{
  char pairs[512];
  snprintf(pairs, sizeof pairs, "%s %s", variant->pairs, more);
  sb_trial_open(trial, PETSC_COMM_WORLD, h, pairs, NULL, NULL);
}

/* V20: a net at rest length with velocity v0: x = x0 + n h v0. */
static void flight(void **unused)
{
  (void)unused;
  static const double v0[3] = {0.3, -0.2, 0.5};
  const double        h = 0.01, n = 100, tolerance = 1e-12 * (1 + sqrt(0.38) * n * h);
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, SHEET "gravity=[0,0,0]");
    sb_trial         trial;
    open_scene(&trial, h, &variant, "initial_velocity=[0.3,-0.2,0.5]");
    sb_trial_advance(&trial, (int64_t)n);
    for (size_t k = 0; k < 3 * trial.vertices; ++k) {
      sb_near(variant.label, "x", trial.position[k], trial.pose.position[k] + n * h * v0[k % 3], tolerance);
    }
    sb_trial_close(&trial);
  }
}

/* Steps of flight are shortened by the velocity factor f: v_n = f^n v0 whatever the method; the way is
 * h v0 (f + ... + f^n) where the new velocity moves the position, h v0 (1 + ... + f^(n-1)) where the old one does. */
static void velocity_factor(void **unused)
{
  (void)unused;
  const double h = 0.01, f = 0.9, n = 20, old = (1 - pow(f, n)) / (1 - f);
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, SHEET "gravity=[0,0,0]");
    const bool       late = sb_variant_is(&variant, "explicit_euler") || variant.method->traits & SB_IMPLICIT;
    const bool       central = sb_variant_is(&variant, "stoermer_verlet");
    const double     way = late ? old : central ? 2 * f / (1 + f) * old : f * old;
    sb_trial         trial;
    open_scene(&trial, h, &variant, "initial_velocity=[1,0,0] velocity_factor=0.9");
    sb_trial_advance(&trial, (int64_t)n);
    sb_near(variant.label, "v", trial.velocity[0], pow(f, n), 1e-12);
    sb_near(variant.label, "way", trial.position[0] - trial.pose.position[0], h * way, 1e-12);
    sb_trial_close(&trial);
  }
}

/* V21: the centre of mass falls by g t^2/2 (Verlet), g t (t - h)/2 (explicit Euler), g t (t + h)/2 (the others). */
static void fall(void **unused)
{
  (void)unused;
  const double h = 0.01, n = 200, t = n * h, g = -9.8, v0 = 2;
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, SHEET "gravity=[0,0,-9.8]");
    const int        order = variant.method->order_position;
    const double     shift = order == 2 ? 0 : sb_variant_is(&variant, "explicit_euler") ? -h : h;
    const double     want = v0 * t + 0.5 * g * t * (t + shift);
    double           center[3];
    sb_trial         trial;
    open_scene(&trial, h, &variant, "initial_velocity=[0,0,2]");
    sb_trial_advance(&trial, (int64_t)n);
    sb_must(sb_system_center(trial.system, trial.x, center));
    sb_near(variant.label, "z of the centre of mass", center[2], want, 1e-12 * fabs(want));
    sb_near(variant.label, "x of the centre of mass", center[0], 0, 1e-12);
    sb_trial_close(&trial);
  }
}

/* V22: no forces from outside, a noisy sheet: sum of m v is what it was. */
static void momentum(void **unused)
{
  (void)unused;
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, SHEET "gravity=[0,0,0]");
    sb_energies      energies;
    double           scale = 0;
    sb_trial         trial;
    open_scene(&trial, 0.005, &variant, "perturbation=0.05 initial_velocity=[0.5,0.25,-1]");
    sb_trial_advance(&trial, 200);
    sb_must(sb_system_energies(trial.system, trial.x, trial.v, &energies));
    for (size_t k = 0; k < 3 * trial.vertices; ++k) scale += fabs(trial.velocity[k]) / 16;
    sb_near(variant.label, "momentum in x", energies.momentum[0], 0.5, 1e-12 * scale);
    sb_near(variant.label, "momentum in y", energies.momentum[1], 0.25, 1e-12 * scale);
    sb_near(variant.label, "momentum in z", energies.momentum[2], -1, 1e-12 * scale);
    sb_trial_close(&trial);
  }
}

/* Pinned vertices do not move by a bit, under gravity and beside moving ones. */
static void pinned_vertices_stay(void **unused)
{
  (void)unused;
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "scene=cloth grid=3 drag=0.01");
    int              pinned = 0;
    sb_trial         trial;
    open_scene(&trial, 0.001, &variant, "initial_velocity=[1,2,3]");
    for (size_t k = 0; k < 3 * trial.vertices; ++k) trial.velocity[k] = 1; /* of pinned vertices too: to be ignored */
    sb_trial_write(&trial);
    sb_trial_advance(&trial, 20);
    for (size_t k = 0; k < trial.vertices; ++k) {
      const bool stays = memcmp(&trial.position[3 * k], &trial.pose.position[3 * k], 3 * sizeof(double)) == 0;
      const bool still = trial.velocity[3 * k] == 0 && trial.velocity[3 * k + 1] == 0 && trial.velocity[3 * k + 2] == 0;
      sb_holds(variant.label, "pinned vertices stay, and only they", stays == trial.pose.pinned[k]);
      sb_holds(variant.label, "pinned vertices have no velocity, and only they", still == trial.pose.pinned[k]);
      pinned += trial.pose.pinned[k];
    }
    assert_int_equal(pinned, 2);
    sb_trial_close(&trial);
  }
}

/* Two masses 1 m apart at rest, pulled apart to `length` and set rotating about the origin at `speed`. */
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

static const double pair_length = 1.25;

/* w^2 = 2k (1 - L/l)/m of the circular orbit. */
static double pair_frequency(void) { return sqrt(2 * 4 * (1 - 1 / pair_length)); }

static void open_pair(sb_trial *trial, double h, double speed, const sb_variant *variant)
{
  sb_trial_open(trial, PETSC_COMM_WORLD, h, variant->pairs, make_pair, (double[]){pair_length, speed});
}

/* V24: the discrete orbit of Verlet's methods is a circle, too, turning by theta = 2 asin(h w/2) a step when it starts
 * with the central velocity r sin(theta)/h; the period is off by h^2. */
static void pair_on_its_discrete_circle(void **unused)
{
  (void)unused;
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "gravity=[0,0,0]");
    const double     h = 0.1, theta = 2 * asin(h * pair_frequency() / 2), r = pair_length / 2;
    sb_trial         trial;
    if (variant.method->order_position != 2) continue;
    open_pair(&trial, h, r * sin(theta) / h, &variant);
    for (int n = 100; n <= 1000; n += 100) {
      sb_trial_advance(&trial, 100);
      sb_near(variant.label, "x", trial.position[0], r * cos(n * theta), 1e-11);
      sb_near(variant.label, "y", trial.position[1], r * sin(n * theta), 1e-11);
      sb_near(variant.label, "v_x", trial.velocity[0], -r * sin(theta) / h * sin(n * theta), 1e-11);
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
static void pair_keeps_its_radius(void **unused)
{
  (void)unused;
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "gravity=[0,0,0]");
    double           coarse[2], fine[2];
    if (variant.method->order_position != 2) continue;
    radius_drift(&variant, 0.08, 400, coarse);
    radius_drift(&variant, 0.04, 800, fine);
    sb_near(variant.label, "order of the radius", log2(coarse[0] / fine[0]), 2, 0.05);
    sb_holds(variant.label, "there is no trend", coarse[1] <= 1.01 * coarse[0] && fine[1] <= 1.01 * fine[0]);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(flight),
    cmocka_unit_test(velocity_factor),
    cmocka_unit_test(fall),
    cmocka_unit_test(momentum),
    cmocka_unit_test(pinned_vertices_stay),
    cmocka_unit_test(pair_on_its_discrete_circle),
    cmocka_unit_test(pair_keeps_its_radius),
  };
  return sb_trial_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
