/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The claims of every integrator's table, measured both ways: what is claimed holds, what is not claimed does not.
 * (Orders: oscillator.c.) */
#include "tests/integrate/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double omega = 2; /* of scene oscillator, w^2 = k/m = 4 */

static void open_scene(sb_trial *trial, double h, const sb_variant *variant, const char *more)
{
  char pairs[512];
  snprintf(pairs, sizeof pairs, "%s %s", variant->pairs, more);
  sb_trial_open(trial, PETSC_COMM_WORLD, h, pairs, NULL, NULL);
}

typedef struct {
  double drag, factor; /* kg/s at mass 1, so 1/s; velocity_factor */
} braking;
static const braking free_of_it = {0, 1};

static void open_oscillator(sb_trial *trial, double h, const sb_variant *variant, double amplitude, braking brake)
{
  char more[160];
  snprintf(more, sizeof more, "scene=oscillator amplitude=%.17g drag=%.17g velocity_factor=%.17g", amplitude,
           brake.drag, brake.factor);
  open_scene(trial, h, variant, variant->method->traits & SB_PROJECTS_LENGTHS ? "scene=oscillator amplitude=0" : more);
}

/* One step on the oscillator from (u, v), scaled by 1/8 to stay where the spring is linear. */
static void step_from(const sb_variant *variant, double h, braking brake, const double start[2], double end[2])
{
  sb_trial trial;
  open_oscillator(&trial, h, variant, 0, brake);
  trial.position[3] = 1 + start[0] / 8;
  trial.velocity[3] = start[1] / 8;
  sb_trial_write(&trial);
  sb_trial_advance(&trial, 1);
  end[0] = 8 * (trial.position[3] - 1);
  end[1] = 8 * trial.velocity[3];
  sb_trial_close(&trial);
}

/* A linear map of the plane is symplectic exactly when its determinant is 1. */
static void symplectic(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "");
    double           a[2], b[2];
    step_from(&variant, 0.25, free_of_it, (double[2]){1, 0}, a);
    step_from(&variant, 0.25, free_of_it, (double[2]){0, 1}, b);
    const double determinant = a[0] * b[1] - a[1] * b[0];
    if (variant.method->traits & SB_SYMPLECTIC)
      sb_near(variant.label, "determinant", determinant, 1, 1e-13);
    else
      sb_holds(variant.label, "the determinant of a step is not 1", fabs(determinant - 1) > 1e-4);
  }
}

/* V15: N steps, velocities turned round, N steps. */
static void time_symmetric(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "scene=chain nodes=6 initial_mode=2 amplitude=0.1 ends=fixed_fixed");
    const bool       claimed = variant.method->traits & SB_TIME_SYMMETRIC;
    const int64_t    steps = claimed ? 10000 : 20;
    double           start[24], off = 0;
    sb_trial         trial;
    open_scene(&trial, 0.2, &variant, "");
    assert_int_equal(trial.vertices, 8);
    memcpy(start, trial.position, sizeof start);
    sb_trial_advance(&trial, steps);
    for (size_t k = 0; k < 24; ++k) trial.velocity[k] *= -1;
    sb_trial_write(&trial);
    sb_trial_advance(&trial, steps);
    for (size_t k = 0; k < 24; ++k) off += fabs(trial.position[k] - start[k]);
    if (claimed)
      sb_near(variant.label, "distance from the start", off, 0, 1e-11);
    else
      sb_holds(variant.label, "it does not come back", off > 1e-8);
    sb_trial_close(&trial);
  }
}

/* Sum over vertices of mass x cross v, about the origin, and of the sizes of its terms. */
static double angular_momentum(sb_trial *trial, double total[3])
{
  sb_energies energies;
  double      scale = 0;
  sb_must(sb_system_energies(trial->system, trial->x, trial->v, &energies));
  memcpy(total, energies.angular_momentum, 3 * sizeof *total);
  for (size_t i = 0; i < trial->vertices; ++i) {
    const double *x = &trial->position[3 * i], *v = &trial->velocity[3 * i];
    scale += trial->pose.mass[i] *
             sqrt((x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
  }
  return scale;
}

/* V23: a free sheet, noisy and spinning, with no forces from outside. */
static void angular_momentum_conserved(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "scene=cloth grid=3 pins=none gravity=[0,0,0] stiffness=10 "
                                                "max_iterations=10");
    const bool       claimed = variant.method->traits & SB_CONSERVES_ANGULAR_MOMENTUM;
    double           before[3], after[3], off = 0;
    sb_trial         trial;
    open_scene(&trial, claimed ? 0.005 : 0.02, &variant, "perturbation=0.05");
    for (size_t k = 0; k < trial.vertices; ++k) {
      trial.velocity[3 * k] = -trial.position[3 * k + 1];
      trial.velocity[3 * k + 1] = trial.position[3 * k];
      trial.velocity[3 * k + 2] = 0.3 * trial.position[3 * k];
    }
    sb_trial_write(&trial);
    const double scale = angular_momentum(&trial, before);
    sb_trial_advance(&trial, !claimed ? 50 : sb_variant_has_stages(&variant) ? 200 : 2000);
    angular_momentum(&trial, after);
    for (int k = 0; k < 3; ++k) off += fabs(after[k] - before[k]);
    if (claimed)
      sb_near(variant.label, "change of angular momentum", off, 0, 1e-11 * scale);
    else
      sb_holds(variant.label, "it does not conserve angular momentum", off > 1e-8 * scale);
    sb_trial_close(&trial);
  }
}

/* Advances one step at a time; the largest |u|, or infinity when the run is called diverged. */
static double largest_displacement(const sb_variant *variant, double z, int steps)
{
  double   largest = 0;
  sb_trial trial;
  open_scene(&trial, z / omega, variant, "scene=oscillator amplitude=0.01 start=previous");
  for (int n = 0; n < steps && trial.report.status == SB_OK; ++n) {
    sb_trial_advance(&trial, 1);
    largest = fmax(largest, fabs(trial.position[3] - 1));
  }
  if (trial.report.status == SB_CASE_DIVERGED)
    largest = INFINITY;
  else
    assert_int_equal(trial.report.status, SB_OK);
  sb_trial_close(&trial);
  return largest;
}

/* V8: bounded (within 20 amplitudes) just below the limit, diverged within 2000 steps above it: just above where growth
 * is steep; else 20 %, for what grows slowly is held back by springs that pass length 0. The limit itself:
 * amplification. */
static void stability_limit(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "");
    const double     limit = variant.method->stability_limit;
    const double     above = variant.method->traits & SB_SYMPLECTIC ? 1.005 : 1.2;
    if (isinf(limit)) {
      sb_holds(variant.label, "z = 10 does not grow", largest_displacement(&variant, 10, 200) <= 0.0101);
      sb_holds(variant.label, "z = 1000 does not grow", largest_displacement(&variant, 1000, 200) <= 0.0101);
    } else if (limit > 0) {
      sb_holds(variant.label, "0.995 of the limit is bounded",
               largest_displacement(&variant, 0.995 * limit, 2000) <= 0.2);
      sb_holds(variant.label, "above the limit it diverges",
               isinf(largest_displacement(&variant, above * limit, 2000)));
    } else {
      sb_holds(variant.label, "any step grows", largest_displacement(&variant, 0.5, 1000) > 0.02);
    }
  }
}

/* Its first step is not one of those that follow: they are measured in tests/integrate/stages.c. */
static bool begins_otherwise(const sb_variant *variant)
{
  return sb_variant_has_stages(variant) && variant->method->memory_name[0];
}

/* The larger |eigenvalue| of a step on the oscillator. */
static double spectral_radius(const sb_variant *variant, double z, braking brake)
{
  double a[2], b[2];
  step_from(variant, z / omega, brake, (double[2]){1, 0}, a);
  step_from(variant, z / omega, brake, (double[2]){0, 1}, b);
  const double half = (a[0] + b[1]) / 2, determinant = a[0] * b[1] - a[1] * b[0], square = half * half - determinant;
  return square < 0 ? sqrt(determinant) : fabs(half) + sqrt(square);
}

/* The table's phase of a step, or the leapfrog's, is the angle of the eigenvalues of the step's matrix. */
static void phase(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "");
    if (variant.method->traits & SB_PROJECTS_LENGTHS || begins_otherwise(&variant)) continue;
    const double limit = variant.method->stability_limit, until = limit > 0 && isfinite(limit) ? 0.99 * limit : 4;
    for (double z = 0.1; z < until; z += 0.3) {
      double a[2], b[2];
      step_from(&variant, z / omega, free_of_it, (double[2]){1, 0}, a);
      step_from(&variant, z / omega, free_of_it, (double[2]){0, 1}, b);
      const double half = (a[0] + b[1]) / 2, determinant = a[0] * b[1] - a[1] * b[0];
      const double want = variant.method->phase ? variant.method->phase(z) : 2 * asin(z / 2);
      sb_near(variant.label, "phase", atan2(sqrt(determinant - half * half), half), want, 1e-12);
    }
  }
}

/* V8, sharply, and where growth or decay is too slow to be seen in a run: a millionth either side of the limit. */
static void amplification(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "");
    const double     limit = variant.method->stability_limit;
    for (double z = 0.5; variant.method->growth && !begins_otherwise(&variant) && z < 4; z += 0.5)
      sb_near(variant.label, "growth", spectral_radius(&variant, z, free_of_it), variant.method->growth(z, 0, 1),
              1e-12);
    if (isinf(limit)) {
      sb_holds(variant.label, "z = 0.1 is stable", spectral_radius(&variant, 0.1, free_of_it) <= 1 + 1e-14);
      sb_holds(variant.label, "z = 5 is stable", spectral_radius(&variant, 5, free_of_it) <= 1 + 1e-14);
    } else if (limit > 0) {
      sb_holds(variant.label, "half the limit is stable",
               spectral_radius(&variant, 0.5 * limit, free_of_it) <= 1 + 1e-12);
      sb_holds(variant.label, "the limit is stable from below",
               spectral_radius(&variant, limit * (1 - 1e-6), free_of_it) <= 1 + 1e-12);
      sb_holds(variant.label, "it is not from above",
               spectral_radius(&variant, limit * (1 + 1e-6), free_of_it) > 1 + 1e-6);
    } else {
      sb_holds(variant.label, "z = 0.05 grows", spectral_radius(&variant, 0.05, free_of_it) > 1 + 1e-7);
    }
  }
}

/* The growth of a long run, for methods whose step has a memory, so that a step maps more than (x, v). If a pair rho
 * exp(+-i theta) of eigenvalues remains, u_n u_{n+2} - u_{n+1}^2 is a constant times rho^2n. */
static double growth_of_run(const sb_variant *variant, double z, braking brake)
{
  enum { FIRST = 100, APART = 200 };
  double   u[FIRST + APART + 3], square[2];
  sb_trial trial;
  open_oscillator(&trial, z / omega, variant, 1e-3, brake);
  for (int n = 0; n < FIRST + APART + 3; ++n) {
    sb_trial_advance(&trial, 1);
    u[n] = trial.position[3] - 1;
    assert_true(fabs(u[n]) < 0.9);
  }
  sb_trial_close(&trial);
  for (int i = 0; i < 2; ++i) {
    const double *w = &u[FIRST + i * APART];
    square[i] = w[0] * w[2] - w[1] * w[1];
  }
  return pow(square[1] / square[0], 0.5 / APART);
}

/* The table's growth under drag and a velocity factor. Stronger drag than 1/h makes symplectic Euler grow where it
 * would not without: h^2 w^2 + 2 h c > 4. */
static void growth_with_damping(void)
{
  static const braking brakes[] = {{0.02, 1}, {0, 0.999}, {0.015, 0.9995}, {1.2, 1}, {1.2, 0.9}};
  static const double  steps[] = {0.3, 1, 1.8, 2.2};
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "");
    const bool       remembers = variant.method->memory_name[0] != NULL;
    assert_true((variant.method->growth == NULL) == ((variant.method->traits & SB_PROJECTS_LENGTHS) != 0));
    if (!variant.method->growth) continue;
    for (size_t k = 0; k < 20; ++k) {
      const braking brake = brakes[k / 4];
      const double  z = steps[k % 4], want = variant.method->growth(z, z / omega * brake.drag, brake.factor);
      if (!remembers)
        sb_near(variant.label, "growth", spectral_radius(&variant, z, brake), want, 1e-12);
      else if (fabs(want - 1) < 0.01)
        sb_near(variant.label, "growth", growth_of_run(&variant, z, brake), want, 1e-10);
    }
  }
  const sb_integrator_method *euler = sb_integrator_method_find("symplectic_euler");
  assert_true(euler->growth(1.8, 0.37, 1) < 1 && euler->growth(1.8, 0.39, 1) > 1);
}

static void implicit_ones_own_a_minimizer(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "scene=oscillator amplitude=0.1");
    const bool       implicit = variant.method->traits & SB_MINIMIZES;
    sb_trial         trial;
    open_scene(&trial, 0.1, &variant, "");
    sb_trial_advance(&trial, 2);
    sb_holds(variant.label, "it has a minimiser exactly when it is implicit",
             (sb_integrator_minimizer(trial.integrator) != NULL) == implicit);
    if (sb_variant_has_stages(&variant))
      assert_in_range(trial.report.minimizer_iterations, 6, 12);
    else
      assert_int_equal(trial.report.minimizer_iterations, implicit ? 6 : 0);
    assert_true(trial.report.residual <= 1e-10);
    sb_trial_close(&trial);
  }
}

/* The list's names are found again, and a name that is not there is not. */
static void names_are_found(void)
{
  assert_true(sb_integrator_method_count() > 0);
  for (size_t i = 0; i < sb_integrator_method_count(); ++i) {
    const sb_integrator_method *method = sb_integrator_method_at(i);
    assert_ptr_equal(sb_integrator_method_find(method->name), method);
    assert_true(strlen(method->summary) > 0);
  }
  assert_null(sb_integrator_method_at(sb_integrator_method_count()));
  assert_null(sb_integrator_method_find("symplectic"));
}

PETSC_TEST_MAIN(names_are_found, symplectic, time_symmetric, angular_momentum_conserved, stability_limit, phase,
                growth_with_damping, amplification, implicit_ones_own_a_minimizer)
