/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Divergence is a result: seen at the end of the very step that left the bounds, named, and with the state of that
 * step. */
#include "tests/integrate/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The pin thrice as heavy as the mass: the centre is a quarter of the way to it, the mass is the one farther off. */
static void heavy_pin(sb_pose *pose, const double *unused)
{
  (void)unused;
  pose->mass[0] = 3;
}

/* a = -4 (|x| - 1) sign x, the oscillator on its line, also beyond length 0. */
static double pull(double x) { return x > 0 ? -4 * (x - 1) : -4 * (x + 1); }

/* One step of a Runge-Kutta method whose stages follow each other at `at`, with `weight` in the mean. */
static void runge_kutta(int stages, const double *at, const double *weight, double h, double state[2])
{
  const double x = state[0], v = state[1];
  double       stage[2] = {x, v}, slope[2] = {0, 0}, mean[2] = {0, 0};
  for (int i = 0; i < stages; ++i) {
    stage[0] = x + at[i] * h * slope[0];
    stage[1] = v + at[i] * h * slope[1];
    slope[0] = stage[1];
    slope[1] = pull(stage[0]);
    for (int c = 0; c < 2; ++c) mean[c] += weight[i] * slope[c];
  }
  for (int c = 0; c < 2; ++c) state[c] += h * mean[c];
}

/* One step by the formulas of docs/model.md; v is at half steps for the methods that leapfrog. */
static void foretell(const sb_variant *variant, double h, double state[2])
{
  const double old = state[1];
  if (sb_variant_is(variant, "midpoint")) {
    runge_kutta(2, (double[]){0, 0.5}, (double[]){0, 1}, h, state);
  } else if (sb_variant_is(variant, "rk4")) {
    runge_kutta(4, (double[]){0, 0.5, 0.5, 1}, (double[]){1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, h, state);
  } else {
    state[1] += h * pull(state[0]);
    state[0] += h * (sb_variant_is(variant, "explicit_euler") ? old : state[1]);
  }
}

/* The step at whose end the oscillator is farther from the centre of mass than `radius`; 0: none. */
static int64_t expected_step(const sb_variant *variant, double h, double x, double radius)
{
  double     state[2] = {x, 0};
  const bool leaps = sb_variant_is(variant, "velocity_verlet") || sb_variant_is(variant, "stoermer_verlet");
  if (leaps) state[1] = -0.5 * h * pull(x);
  for (int64_t n = 1; n <= 5000; ++n) {
    foretell(variant, h, state);
    if (0.75 * fabs(state[0]) > radius) return n;
  }
  return 0;
}

/* V8 beyond the limit, with the step foretold by a scalar recurrence; one call or many see the same. */
static void seen_at_the_right_step(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "scene=oscillator amplitude=0.25");
    const double     limit = variant.method->stability_limit, radius = 100 * 1.25;
    const double     h = sb_variant_is(&variant, "rk4") ? 1.2 * limit / 2 : 1.005;
    char             begins[64];
    sb_trial         whole, parts;
    if (isinf(limit)) continue;
    const int64_t want = expected_step(&variant, h, 1.25, radius);
    assert_in_range(want, 5, 2000);
    sb_trial_open(&whole, PETSC_COMM_WORLD, h, variant.pairs, heavy_pin, NULL);
    sb_trial_open(&parts, PETSC_COMM_WORLD, h, variant.pairs, heavy_pin, NULL);
    sb_trial_advance(&whole, 2000);
    while (parts.report.status == SB_OK && parts.step < 2000) sb_trial_advance(&parts, 7);
    assert_int_equal(whole.report.status, SB_CASE_DIVERGED);
    assert_int_equal(whole.report.steps_done, want);
    assert_int_equal(parts.step, want);
    snprintf(begins, sizeof begins, "step %d (t = %.6g s): vertex 1 is ", (int)want, (double)want * h);
    assert_memory_equal(whole.report.reason, begins, strlen(begins));
    assert_non_null(strstr(whole.report.reason, "more than 100 initial diagonals (125 m); spring 0 (0-1) is "));
    assert_non_null(strstr(whole.report.reason, " times as long as at rest"));
    assert_true(0.75 * fabs(whole.position[3]) > radius && isfinite(whole.position[3]));
    assert_string_equal(whole.report.reason, parts.report.reason);
    assert_true(whole.position[3] == parts.position[3]);
    sb_trial_close(&whole);
    sb_trial_close(&parts);
  }
}

/* "spring S (A-B)" is a spring of the net, and it ends at `vertex`. */
static void names_a_spring_of(const char *reason, const sb_pose *pose, int vertex)
{
  int         spring, first, second;
  const char *words = strstr(reason, "spring ");
  assert_non_null(words);
  assert_int_equal(sscanf(words, "spring %d (%d-%d)", &spring, &first, &second), 3);
  assert_in_range(spring, 0, pose->springs - 1);
  assert_true(pose->ends[2 * spring] == first && pose->ends[2 * spring + 1] == second);
  assert_true(first == vertex || second == vertex);
}

/* A coordinate that is no number ends the first step. */
static void not_finite_at_the_start(void)
{
  static const double bad[] = {NAN, INFINITY};
  for (size_t i = 0; i < 2 * sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i / 2, "scene=cloth grid=3");
    /* the slopes of rk4's stages carry it to the positions of neighbours, of which 5 is the first */
    const int first = sb_variant_is(&variant, "rk4") ? 5 : 9;
    char      reason[128];
    sb_trial  trial;
    if (sb_variant_solves(&variant)) continue;
    sb_trial_open(&trial, PETSC_COMM_WORLD, 0.001, variant.pairs, NULL, NULL);
    trial.velocity[3 * 9] = bad[i % 2];
    sb_trial_write(&trial);
    sb_trial_advance(&trial, 10);
    assert_int_equal(trial.report.status, SB_CASE_DIVERGED);
    assert_int_equal(trial.report.steps_done, 1);
    snprintf(reason, sizeof reason, "step 1 (t = 0.001 s): vertex %d is not finite; the length of spring ", first);
    assert_memory_equal(trial.report.reason, reason, strlen(reason));
    names_a_spring_of(trial.report.reason, &trial.pose, first);
    sb_trial_close(&trial);
  }
}

/* In an implicit step the matrix, the right-hand side or the state may be the one to say so; the run ends at once. */
static void not_finite_in_an_implicit_step(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "scene=cloth grid=3");
    sb_trial         trial;
    if (!sb_variant_solves(&variant)) continue;
    sb_trial_open(&trial, PETSC_COMM_WORLD, 0.001, variant.pairs, NULL, NULL);
    trial.velocity[3 * 9] = NAN;
    sb_trial_write(&trial);
    sb_trial_advance(&trial, 10);
    assert_true(trial.report.status != SB_OK && sb_status_is_result(trial.report.status));
    assert_true(trial.report.steps_done <= 1);
    assert_true(strlen(trial.report.reason) > 0);
    sb_trial_close(&trial);
  }
}

/* A field without a value after t = 0.105, h = 0.01: no method asks for it before its 11th step, which ends at 0.11, if
 * it ends, and a step later it is in every position. Seen in the step that meets it when a call ends there (velocities
 * are looked at, too), at most one step later in a long call; an implicit step refuses at once. */
static void forces_without_a_value(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "scene=cloth grid=3 stiffness=50 wind=expression:z=sqrt(0.105-t)");
    const bool       implicit = sb_variant_solves(&variant);
    sb_trial         whole, parts;
    sb_trial_open(&whole, PETSC_COMM_WORLD, 0.01, variant.pairs, NULL, NULL);
    sb_trial_open(&parts, PETSC_COMM_WORLD, 0.01, variant.pairs, NULL, NULL);
    sb_trial_advance(&whole, 30);
    while (parts.report.status == SB_OK && parts.step < 30) sb_trial_advance(&parts, 1);
    assert_int_equal(whole.report.status, implicit ? SB_CASE_NOT_CONVERGED : SB_CASE_DIVERGED);
    assert_int_equal(parts.report.status, whole.report.status);
    const int64_t met = parts.step;
    assert_in_range(met, implicit ? 10 : 11, 12);
    assert_in_range(whole.report.steps_done, met, met + 1);
    assert_non_null(strstr(whole.report.reason, "not finite"));
    for (size_t k = 0; implicit && k < 3 * whole.vertices; ++k) assert_true(isfinite(whole.position[k]));
    sb_trial_close(&whole);
    sb_trial_close(&parts);
  }
}

/* A velocity whose square overflows has no kinetic energy that could be stored. */
static void velocities_too_large_for_an_energy(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "scene=oscillator amplitude=0.25");
    sb_trial         trial;
    if (variant.method->traits & (SB_MINIMIZES | SB_SOLVES | SB_PROJECTS_LENGTHS)) continue;
    sb_trial_open(&trial, PETSC_COMM_WORLD, 1e-200, variant.pairs, NULL, NULL);
    trial.velocity[4] = 1e200;
    sb_trial_write(&trial);
    sb_trial_advance(&trial, 1);
    assert_int_equal(trial.report.status, SB_CASE_DIVERGED);
    assert_non_null(strstr(trial.report.reason, "step 1 (t = 1e-200 s): the velocity of vertex 1 is not finite"));
    sb_trial_close(&trial);
  }
}

static void make_point(sb_pose *pose, const double *unused)
{
  (void)unused;
  assert_true(sb_pose_allocate(pose, 1));
  pose->mass[0] = 0.3;
}

/* Vertices that all start in one place give no length to measure a distance by: they fall, and only what is not finite
 * has diverged. */
static void net_without_extent(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "gravity=[0.3,0.7,-9.81]");
    sb_trial         trial;
    int              ranks;
    sb_must(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
    if (ranks > 1) break;
    sb_trial_open(&trial, PETSC_COMM_WORLD, 0.001, variant.pairs, make_point, NULL);
    sb_trial_advance(&trial, 50);
    assert_int_equal(trial.report.status, SB_OK);
    assert_int_equal(trial.step, 50);
    sb_near(variant.label, "fall", trial.position[2], -0.5 * 9.81 * 0.05 * 0.05, 5e-4);
    trial.velocity[1] = 1e308; /* m/s: y is beyond all numbers after 1.8 s */
    sb_trial_write(&trial);
    if (!sb_variant_solves(&variant)) {
      sb_trial_advance(&trial, 5000);
      sb_holds(variant.label, "a place that is not finite", trial.report.status == SB_CASE_DIVERGED);
    }
    sb_trial_close(&trial);
  }
}

PETSC_TEST_MAIN(net_without_extent, forces_without_a_value, velocities_too_large_for_an_energy, seen_at_the_right_step,
                not_finite_at_the_start, not_finite_in_an_implicit_step)
