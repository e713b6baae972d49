/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symmetries that hold to the bit for explicit integrators: units scaled by powers of two, the mirror image; and the
 * change of axes, which reorders sums, for one step. */
#include "tests/integrate/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Pins, noise, drag, gravity and a velocity factor, all with numbers that scale exactly. */
#define SCENE                                                                                                          \
  "scene=cloth grid=3 total_mass=1 stiffness=20 perturbation=0.03125 initial_velocity=[1,-2,0.5] "                     \
  "velocity_factor=0.996 "

static void open_scene(sb_trial *trial, double h, const sb_variant *variant, const char *more, sb_adjust adjust)
{
  char pairs[512];
  snprintf(pairs, sizeof pairs, "%s %s", variant->pairs, more);
  sb_trial_open(trial, PETSC_COMM_WORLD, h, pairs, adjust, NULL);
}

/* Lengths by 2^3, times by 2^-2, masses by 2^5; so velocities by 2^5, stiffness by 2^9. */
static void scale_units(sb_pose *pose, const double *unused)
{
  (void)unused;
  for (size_t i = 0; i < pose->vertices; ++i) pose->mass[i] *= 0x1p5;
  for (size_t k = 0; k < 3 * pose->vertices; ++k) {
    pose->position[k] *= 0x1p3;
    pose->velocity[k] *= 0x1p5;
  }
  for (size_t s = 0; s < pose->springs; ++s) {
    pose->rest_length[s] *= 0x1p3;
    pose->stiffness[s] *= 0x1p9;
  }
}

/* V28: accelerations scale by 2^7, drag by 2^7. */
static void powers_of_two(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "");
    const int64_t    steps = sb_variant_steps(&variant, 200);
    sb_trial         metres, others;
    if (variant.method->traits & SB_MINIMIZES) continue;
    open_scene(&metres, 0.0078125, &variant, SCENE "gravity=[0,0.5,-9.75] drag=0.015625", NULL);
    open_scene(&others, 0.001953125, &variant, SCENE "gravity=[0,64,-1248] drag=2", scale_units);
    sb_trial_advance(&metres, steps);
    sb_trial_advance(&others, steps);
    assert_int_equal(metres.report.steps_done, steps);
    for (size_t k = 0; k < 3 * metres.vertices; ++k) {
      sb_holds(variant.label, "positions scale to the bit", others.position[k] == 0x1p3 * metres.position[k]);
      sb_holds(variant.label, "velocities scale to the bit", others.velocity[k] == 0x1p5 * metres.velocity[k]);
    }
    sb_trial_close(&metres);
    sb_trial_close(&others);
  }
}

static void mirror(sb_pose *pose, const double *unused)
{
  (void)unused;
  for (size_t i = 0; i < pose->vertices; ++i) {
    pose->position[3 * i] *= -1;
    pose->velocity[3 * i] *= -1;
  }
}

/* V29: x -> -x. */
static void mirror_image(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, SCENE "drag=0.01");
    const int64_t    steps = sb_variant_steps(&variant, 200);
    sb_trial         left, right;
    if (variant.method->traits & SB_MINIMIZES) continue;
    open_scene(&left, 0.005, &variant, "gravity=[1,0,-9]", NULL);
    open_scene(&right, 0.005, &variant, "gravity=[-1,0,-9]", mirror);
    sb_trial_advance(&left, steps);
    sb_trial_advance(&right, steps);
    for (size_t k = 0; k < 3 * left.vertices; ++k) {
      const double sign = k % 3 == 0 ? -1 : 1;
      sb_holds(variant.label, "positions are mirrored to the bit", right.position[k] == sign * left.position[k]);
      sb_holds(variant.label, "velocities are mirrored to the bit", right.velocity[k] == sign * left.velocity[k]);
    }
    sb_trial_close(&left);
    sb_trial_close(&right);
  }
}

static void turn(double vector[3])
{
  const double first = vector[0];
  vector[0] = vector[1];
  vector[1] = vector[2];
  vector[2] = first;
}

static void turn_axes(sb_pose *pose, const double *unused)
{
  (void)unused;
  for (size_t i = 0; i < pose->vertices; ++i) {
    turn(&pose->position[3 * i]);
    turn(&pose->velocity[3 * i]);
  }
}

/* V29: (x, y, z) -> (y, z, x), one step. */
static void other_axes(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, SCENE);
    sb_trial         before, after;
    open_scene(&before, 0.005, &variant, "gravity=[1,2,-9]", NULL);
    open_scene(&after, 0.005, &variant, "gravity=[2,-9,1]", turn_axes);
    sb_trial_advance(&before, 1);
    sb_trial_advance(&after, 1);
    for (size_t k = 0; k < before.vertices; ++k) {
      turn(&before.position[3 * k]);
      turn(&before.velocity[3 * k]);
    }
    for (size_t k = 0; k < 3 * before.vertices; ++k) {
      sb_near(variant.label, "x with other axes", after.position[k], before.position[k], 1e-13);
      sb_near(variant.label, "h v with other axes", 0.005 * after.velocity[k], 0.005 * before.velocity[k], 1e-13);
    }
    sb_trial_close(&before);
    sb_trial_close(&after);
  }
}

PETSC_TEST_MAIN(powers_of_two, mirror_image, other_axes)
