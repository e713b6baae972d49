/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Motions known in closed form, for every integrator: flight, fall, momentum, pinned vertices. */
#include "solvers/linear/linear_backend.h"
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
static void flight(void)
{
  static const double v0[3] = {0.3, -0.2, 0.5};
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, SHEET "gravity=[0,0,0]");
    const double     h = 0.01, n = (double)sb_variant_steps(&variant, 100);
    const double     tolerance = 1e-12 * sb_variant_rounding(&variant) * (1 + sqrt(0.38) * n * h);
    sb_trial         trial;
    open_scene(&trial, h, &variant, "initial_velocity=[0.3,-0.2,0.5]");
    sb_trial_advance(&trial, (int64_t)n);
    for (size_t k = 0; k < 3 * trial.vertices; ++k) {
      sb_near(variant.label, "x", trial.position[k], trial.pose.position[k] + n * h * v0[k % 3], tolerance);
    }
    sb_trial_close(&trial);
  }
}

static bool is_runge_kutta(const sb_variant *variant)
{
  return sb_variant_is(variant, "midpoint") || sb_variant_is(variant, "rk4");
}

/* In units of h v0: a step adds a third of the last one and 2/3 of v before the factor; the first is h v0. */
static double way_of_bdf2(double f, int steps)
{
  double way = 1, step = 1;
  for (int n = 1; n < steps; ++n) way += step = step / 3 + 2 * pow(f, n) / 3;
  return way;
}

/* Steps of flight are shortened by the velocity factor f: v_n = f^n v0 whatever the method; the way is
 * h v0 (f + ... + f^n) where the new velocity moves the position, h v0 (1 + ... + f^(n-1)) where the old one does. */
static void velocity_factor(void)
{
  const double h = 0.01, f = 0.9;
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, SHEET "gravity=[0,0,0]");
    const double     n = (double)sb_variant_steps(&variant, 20), old = (1 - pow(f, n)) / (1 - f);
    const bool       late =
        sb_variant_is(&variant, "explicit_euler") || is_runge_kutta(&variant) || sb_variant_solves(&variant);
    const bool   central = sb_variant_is(&variant, "stoermer_verlet");
    const double way = sb_variant_is(&variant, "bdf2") ? way_of_bdf2(f, (int)n)
                       : late                          ? old
                       : central                       ? 2 * f / (1 + f) * old
                                                       : f * old;
    sb_trial     trial;
    if (variant.method->traits & SB_PROJECTS_LENGTHS) continue; /* it has a damping of its own */
    open_scene(&trial, h, &variant, "initial_velocity=[1,0,0] velocity_factor=0.9");
    sb_trial_advance(&trial, (int64_t)n);
    sb_near(variant.label, "v", trial.velocity[0], pow(f, n), 1e-12);
    sb_near(variant.label, "way", trial.position[0] - trial.pose.position[0], h * way, 1e-12);
    sb_trial_close(&trial);
  }
}

/* V21: the centre of mass falls by g t^2/2 (order 2 and more), g t (t - h)/2 (explicit Euler), g t (t + h)/2 (the
 * others). */
static void fall(void)
{
  const double h = 0.01, g = -9.8, v0 = 2;
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, SHEET "gravity=[0,0,-9.8]");
    const double     n = (double)sb_variant_steps(&variant, 200), t = n * h;
    const int        order = variant.method->order_position;
    const double     shift = order >= 2 ? 0 : sb_variant_is(&variant, "explicit_euler") ? -h : h;
    const double     want = v0 * t + 0.5 * g * t * (t + shift);
    double           center[3];
    sb_trial         trial;
    open_scene(&trial, h, &variant, "initial_velocity=[0,0,2]");
    sb_trial_advance(&trial, (int64_t)n);
    sb_must(sb_system_center(trial.system, trial.x, center));
    sb_near(variant.label, "z of the centre of mass", center[2], want,
            1e-12 * sb_variant_rounding(&variant) * fabs(want));
    sb_near(variant.label, "x of the centre of mass", center[0], 0, 1e-12 * sb_variant_rounding(&variant));
    sb_trial_close(&trial);
  }
}

/* V22: no forces from outside, a noisy sheet: sum of m v is what it was. */
static void momentum(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, SHEET "gravity=[0,0,0]");
    sb_energies      energies;
    double           scale = 0;
    sb_trial         trial;
    open_scene(&trial, 0.005, &variant, "perturbation=0.05 initial_velocity=[0.5,0.25,-1]");
    sb_trial_advance(&trial, sb_variant_steps(&variant, 200));
    sb_must(sb_system_energies(trial.system, trial.x, trial.v, &energies));
    for (size_t k = 0; k < 3 * trial.vertices; ++k)
      scale += sb_variant_rounding(&variant) * fabs(trial.velocity[k]) / 16;
    sb_near(variant.label, "momentum in x", energies.momentum[0], 0.5, 1e-12 * scale);
    sb_near(variant.label, "momentum in y", energies.momentum[1], 0.25, 1e-12 * scale);
    sb_near(variant.label, "momentum in z", energies.momentum[2], -1, 1e-12 * scale);
    sb_trial_close(&trial);
  }
}

/* The momentum lost in one step, relative to the sums of |m v|, of the impulses h |f| of the springs and of |m x|/h.
 * These are the terms of the systems' right-hand sides, to which a tolerance is relative. */
static double momentum_lost(const sb_variant *variant, const char *more)
{
  const double h = 0.02;
  sb_energies  energies;
  PetscReal    pull, place;
  Vec          force;
  sb_trial     trial;
  open_scene(&trial, h, variant, more);
  sb_must(sb_system_create_full(trial.system, &force));
  sb_must(sb_system_elastic_forces(trial.system, trial.x, force));
  sb_must(VecNorm(force, NORM_1, &pull));
  sb_must(VecNorm(trial.x, NORM_1, &place));
  sb_must(VecDestroy(&force));
  sb_trial_advance(&trial, 1);
  sb_must(sb_system_energies(trial.system, trial.x, trial.v, &energies));
  const double *p = energies.momentum, lost = fabs(p[0] - 0.5) + fabs(p[1] - 0.25) + fabs(p[2] + 1);
  sb_trial_close(&trial);
  return lost / (1.75 + h * pull + place / 16 / h); /* m = 1/16 */
}

/* V22 by backends that iterate: momentum is kept as well as the system is solved, and lost when Jacobi is cut short. */
static void momentum_by_iterative_backends(void)
{
#define NOISY "scene=cloth grid=3 pins=none stiffness=1000 total_mass=1 gravity=[0,0,0] perturbation=0.05 "
  int ranks;
  sb_must(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  for (size_t i = 0; ranks == 1 && i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, NOISY "initial_velocity=[0.5,0.25,-1] max_iterations=1");
    if (!(variant.method->traits & SB_MINIMIZES)) continue;
    for (size_t b = 0; b < sb_linear_backend_count(); ++b) {
      const sb_linear_backend *backend = sb_linear_backend_at(b);
      char                     more[128];
      if (backend->missing || backend->traits & SB_DIRECT) continue;
      snprintf(more, sizeof more, "linear=%s linear_tolerance=1e-10%s", backend->name,
               strcmp(backend->name, "jacobi") == 0 ? " jacobi_omega=0.4" : "");
      sb_near(variant.label, more, momentum_lost(&variant, more), 0, 10 * 1e-10);
    }
    sb_holds(variant.label, "three iterations of Jacobi lose momentum",
             momentum_lost(&variant, "linear=jacobi linear_tolerance=0 linear_max_iterations=3 jacobi_omega=0.4") >
                 1e-6);
  }
}

/* Pinned vertices do not move by a bit, under gravity and beside moving ones. */
static void pinned_vertices_stay(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "scene=cloth grid=3 drag=0.01");
    int              pinned = 0;
    sb_trial         trial;
    open_scene(&trial, 0.001, &variant, "initial_velocity=[1,2,3]");
    for (size_t k = 0; k < 3 * trial.vertices; ++k) trial.velocity[k] = 1; /* of pinned vertices too: to be ignored */
    sb_trial_write(&trial);
    sb_trial_advance(&trial, sb_variant_steps(&variant, 20));
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

PETSC_TEST_MAIN(flight, velocity_factor, fall, momentum, pinned_vertices_stay, momentum_by_iterative_backends)
