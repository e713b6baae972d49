/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The linear oscillator: orders of convergence and exact discrete solutions.
 *
 * Scene `oscillator`: a mass on a spring along x, k/m = 4, w = 2, displacement u = x - 1, never through length 0, where
 * it would cease to be linear. z = h w. */
#include "tests/integrate/trial.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double omega = 2;

static void open_oscillator(sb_trial *trial, double z, const sb_variant *variant, const char *more)
{
  char pairs[512];
  snprintf(pairs, sizeof pairs, "scene=oscillator %s %s", variant->pairs, more);
  sb_trial_open(trial, PETSC_COMM_WORLD, z / omega, pairs, NULL, NULL);
}

static double displacement(const sb_trial *trial) { return trial->position[3] - 1; }
static double speed(const sb_trial *trial) { return trial->velocity[3]; }

static sb_variant variant_named(const char *name)
{
  sb_variant variant = {.method = sb_integrator_method_find(name)};
  assert_non_null(variant.method);
  snprintf(variant.label, sizeof variant.label, "%s", name);
  snprintf(variant.pairs, sizeof variant.pairs, "integrator=%s max_iterations=1", name);
  return variant;
}

/* Errors in x and v at T = 2.7 against u'' = -w^2 u - 2 b u', for n steps. */
static void errors_at_end(const sb_variant *variant, int n, double b, const char *more, double error[2])
{
  const double T = 2.7, a = 0.2, v0 = -0.3, f = sqrt(omega * omega - b * b), s = (v0 + b * a) / f;
  sb_trial     trial;
  const double u = exp(-b * T) * (a * cos(f * T) + s * sin(f * T));
  const double v = exp(-b * T) * f * (s * cos(f * T) - a * sin(f * T)) - b * u;
  open_oscillator(&trial, omega * T / n, variant, more);
  sb_trial_advance(&trial, n);
  assert_int_equal(trial.report.steps_done, n);
  error[0] = fabs(displacement(&trial) - u);
  error[1] = fabs(speed(&trial) - v);
  sb_trial_close(&trial);
}

/* Slopes from 1024 to 2048 steps, or from a 2^halvings-th of them. */
static void measure_orders(const sb_variant *variant, int halvings, double b, const char *more, double slope[2])
{
  double coarse[2], fine[2];
  errors_at_end(variant, 1024 >> halvings, b, more, coarse);
  errors_at_end(variant, 2048 >> halvings, b, more, fine);
  for (int i = 0; i < 2; ++i) slope[i] = log2(coarse[i] / fine[i]);
}

/* V1, V2: slopes of the error in x and in v; Verlet's start-up would show as order 1. */
static void orders_are_as_claimed(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "amplitude=0.2 initial_velocity=[-0.3,0,0]");
    const int        halvings = variant.method->order_position > 2 ? 1 : 0; /* else rounding shows */
    double           slope[2];
    if (variant.method->order_position == 0) continue;
    measure_orders(&variant, halvings, 0, "", slope);
    sb_near(variant.label, "order in x", slope[0], variant.method->order_position, 0.05);
    sb_near(variant.label, "order in v", slope[1], variant.method->order_velocity, 0.05);
  }
}

/* Drag changes the orders as stoermer_verlet.c and velocity_verlet.c say; Runge-Kutta methods keep theirs. */
static void orders_with_drag(void)
{
  const char *const start = "amplitude=0.2 initial_velocity=[-0.3,0,0]";
  const sb_variant  stoermer = variant_named("stoermer_verlet"), velocity = variant_named("velocity_verlet");
  const sb_variant  midpoint = variant_named("midpoint"), rk4 = variant_named("rk4");
  double            slope[2];
  char              more[128];
  snprintf(more, sizeof more, "%s drag=0.5", start);
  measure_orders(&stoermer, 0, 0.25, more, slope);
  sb_near(stoermer.label, "order in x with drag", slope[0], 2, 0.05);
  sb_near(stoermer.label, "order in v with drag", slope[1], 2, 0.05);
  measure_orders(&velocity, 0, 0.25, more, slope);
  sb_near(velocity.label, "order in v with drag", slope[1], 1, 0.05);
  measure_orders(&midpoint, 0, 0.25, more, slope);
  sb_near(midpoint.label, "order in v with drag", slope[1], 2, 0.05);
  measure_orders(&rk4, 1, 0.25, more, slope);
  sb_near(rk4.label, "order in v with drag", slope[1], 4, 0.05);
}

/* V2: x1 = x0 + h v0 + h^2/2 a0; the naive start, x_ = x0 - h v0, would give symplectic Euler's h^2 a0. */
static void verlet_starts_with_half_an_acceleration(void)
{
  static const char *const names[] = {"velocity_verlet", "stoermer_verlet"};
  for (size_t i = 0; i < 2; ++i) {
    const sb_variant variant = variant_named(names[i]);
    const double     h = 0.1;
    sb_trial         trial;
    open_oscillator(&trial, h * omega, &variant, "amplitude=0.2 initial_velocity=[0.3,0,0]");
    sb_trial_advance(&trial, 1);
    sb_near(names[i], "u after one step", displacement(&trial), 0.2 + h * 0.3 - 0.5 * h * h * 4 * 0.2, 1e-15);
    sb_trial_close(&trial);
  }
}

/* V3, V4: with c = u + i v/w, explicit Euler multiplies c by 1 - iz and implicit Euler by 1/(1 + iz) a step. */
static void euler_is_a_complex_power(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant     variant = sb_variant_at(i, "amplitude=1e-3 initial_velocity=[1e-3,0,0]");
    const bool           forward = sb_variant_is(&variant, "explicit_euler");
    const double         z = 0.05, n = 1000, tolerance = forward ? 1e-12 : 1e-11;
    const double         rounding = n * DBL_EPSILON; /* u is what is left of x = 1 + u, rounded at every step */
    const double complex step = forward ? 1 - I * z : 1 / (1 + I * z);
    const double complex want = (1e-3 + 1e-3 / omega * I) * cexp(n * clog(step));
    sb_trial             trial;
    if (!forward && !sb_variant_is(&variant, "implicit_euler")) continue;
    open_oscillator(&trial, z, &variant, "");
    sb_trial_advance(&trial, (int64_t)n);
    sb_near(variant.label, "u", displacement(&trial), creal(want), tolerance * cabs(want) + rounding);
    sb_near(variant.label, "v", speed(&trial), cimag(want) * omega, omega * (tolerance * cabs(want) + rounding));
    sb_trial_close(&trial);
  }
}

/* V3, V4: E_n/E_0 = (1 + z^2)^n, and its inverse. */
static void euler_energy_grows_or_decays(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "");
    const bool       forward = sb_variant_is(&variant, "explicit_euler");
    const double     z = forward ? 0.02 : 0.05;
    const int        n = forward ? 5000 : 50;
    sb_trial         trial;
    if (!forward && !sb_variant_is(&variant, "implicit_euler")) continue;
    open_oscillator(&trial, z, &variant, forward ? "amplitude=0.2" : "amplitude=0.5");
    const double u0 = displacement(&trial);
    sb_trial_advance(&trial, n);
    const double u = displacement(&trial), w = speed(&trial) / omega;
    const double grown = pow(1 + z * z, forward ? n : -n);
    sb_near(variant.label, "energy ratio", (u * u + w * w) / (u0 * u0 * grown), 1, forward ? 1e-12 : 1e-11);
    sb_trial_close(&trial);
  }
}

/* Largest change of u^2 + w^2 - cross u w - square u^2, relative to its start; w = v/w. */
static double shadow_drift(const sb_variant *variant, double z, double cross, double square, int64_t steps)
{
  double   first = 0, drift = 0;
  sb_trial trial;
  open_oscillator(&trial, z, variant, "amplitude=0.1 initial_velocity=[0.01,0,0]");
  for (int64_t done = 0; done <= steps; done += 100) {
    const double u = displacement(&trial), w = speed(&trial) / omega;
    const double shadow = u * u + w * w - cross * u * w - square * u * u;
    if (done == 0) first = shadow;
    drift = fmax(drift, fabs(shadow - first) / fabs(first));
    if (isnan(shadow)) drift = NAN;
    if (done < steps) sb_trial_advance(&trial, 100);
  }
  sb_trial_close(&trial);
  return drift;
}

/* V5: symplectic Euler keeps m v^2/2 + k x^2/2 - h k x v/2. */
static void symplectic_euler_keeps_its_energy(void)
{
  static const double zs[] = {0.1, 1, 1.9};
  const sb_variant    variant = variant_named("symplectic_euler");
  for (size_t i = 0; i < 3; ++i) {
    sb_near(variant.label, "drift of the shadow energy", shadow_drift(&variant, zs[i], zs[i], 0, 20000), 0, 1e-11);
  }
}

/* V6: velocity Verlet keeps m v^2/2 + k x^2/2 (1 - z^2/4); so does Stoermer's recurrence with its central velocity. */
static void verlet_keeps_its_energy(void)
{
  static const char *const names[] = {"velocity_verlet", "stoermer_verlet"};
  static const double      zs[] = {0.1, 1, 1.9};
  for (size_t i = 0; i < 6; ++i) {
    const sb_variant variant = variant_named(names[i / 3]);
    const double     z = zs[i % 3];
    sb_near(variant.label, "drift of the shadow energy", shadow_drift(&variant, z, 0, z * z / 4, 20000), 0, 1e-10);
  }
}

/* V7: from rest, u_n = A cos n theta, theta = 2 asin(z/2), for both Verlets; symplectic Euler's recurrence is the same
 * from u_1 = (1 - z^2) u_0, hence u_n = A cos((n + 1/2) theta)/cos(theta/2). */
static void phase_is_exact(void)
{
  static const char *const names[] = {"velocity_verlet", "stoermer_verlet", "symplectic_euler"};
  for (size_t i = 0; i < 3; ++i) {
    const sb_variant variant = variant_named(names[i]);
    const double     A = 0.5, z = 0.3, theta = 2 * asin(z / 2), shift = i == 2 ? 0.5 : 0;
    sb_trial         trial;
    open_oscillator(&trial, z, &variant, "amplitude=0.5");
    for (int n = 0; n < 5000;) {
      sb_trial_advance(&trial, 125);
      n += 125;
      const double want = A * cos((n + shift) * theta) / cos(shift * theta);
      sb_near(variant.label, "u", displacement(&trial), want, 1e-10 * A);
    }
    sb_trial_close(&trial);
  }
}

/* V8: just beyond the limit the growth a step is c + sqrt(c^2 - 1), c = z^2/2 - 1. */
static void growth_beyond_the_limit(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "amplitude=1e-6");
    const double     z = 2.01, c = z * z / 2 - 1;
    sb_trial         trial;
    if (variant.method->stability_limit != 2) continue;
    open_oscillator(&trial, z, &variant, "");
    sb_trial_advance(&trial, 60);
    const double before = displacement(&trial);
    sb_trial_advance(&trial, 1);
    sb_near(variant.label, "growth", -displacement(&trial) / before, c + sqrt(c * c - 1), 1e-6);
    sb_trial_close(&trial);
  }
}

/* |lambda| of explicit Euler with drag, from the determinant of n steps of two solutions: |lambda|^2n. */
static double damped_growth(double h, int n)
{
  static const char *const starts[] = {"amplitude=0.1", "amplitude=0 initial_velocity=[0.1,0,0]"};
  const sb_variant         variant = variant_named("explicit_euler");
  double                   state[2][2];
  for (int i = 0; i < 2; ++i) {
    char     more[96];
    sb_trial trial;
    snprintf(more, sizeof more, "%s drag=0.4", starts[i]);
    open_oscillator(&trial, h * omega, &variant, more);
    sb_trial_advance(&trial, n);
    state[i][0] = displacement(&trial) / 0.1;
    state[i][1] = speed(&trial) / 0.1;
    sb_trial_close(&trial);
  }
  return pow(state[0][0] * state[1][1] - state[0][1] * state[1][0], 0.5 / n);
}

/* V9: with drag c explicit Euler is stable exactly for h < c/k (underdamped): |lambda|^2 = 1 - h c/m + h^2 w^2. */
static void explicit_euler_with_drag(void)
{
  static const double ratios[] = {0.98, 0.999, 1.001, 1.02};
  const double        c = 0.4, limit = c / (omega * omega);
  for (size_t i = 0; i < 4; ++i) {
    const double h = ratios[i] * limit, got = damped_growth(h, 200);
    sb_near("explicit_euler", "growth with drag", got, sqrt(1 - h * c + h * h * omega * omega), 1e-8);
    sb_holds("explicit_euler", "it is stable exactly below c/k", (got < 1) == (ratios[i] < 1));
  }
}

PETSC_TEST_MAIN(orders_are_as_claimed, orders_with_drag, verlet_starts_with_half_an_acceleration,
                euler_is_a_complex_power, euler_energy_grows_or_decays, symplectic_euler_keeps_its_energy,
                verlet_keeps_its_energy, phase_is_exact, growth_beyond_the_limit, explicit_euler_with_drag)
