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
static void seen_at_the_right_step(void **unused)
{
  (void)unused;
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
    assert_non_null(strstr(whole.report.reason, "more than 100 initial diagonals (125 m)"));
    assert_true(0.75 * fabs(whole.position[3]) > radius && isfinite(whole.position[3]));
    assert_string_equal(whole.report.reason, parts.report.reason);
    assert_true(whole.position[3] == parts.position[3]);
    sb_trial_close(&whole);
    sb_trial_close(&parts);
  }
}

/* A coordinate that is no number ends the first step. */
static void not_finite_at_the_start(void **unused)
{
  (void)unused;
  static const double bad[] = {NAN, INFINITY};
  for (size_t i = 0; i < 2 * sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i / 2, "scene=cloth grid=3");
    /* the slopes of rk4's stages carry it to the positions of neighbours, of which 5 is the first */
    const int first = sb_variant_is(&variant, "rk4") ? 5 : 9;
    char      reason[64];
    sb_trial  trial;
    if (variant.method->traits & SB_IMPLICIT) continue;
    sb_trial_open(&trial, PETSC_COMM_WORLD, 0.001, variant.pairs, NULL, NULL);
    trial.velocity[3 * 9] = bad[i % 2];
    sb_trial_write(&trial);
    sb_trial_advance(&trial, 10);
    assert_int_equal(trial.report.status, SB_CASE_DIVERGED);
    assert_int_equal(trial.report.steps_done, 1);
    snprintf(reason, sizeof reason, "step 1 (t = 0.001 s): vertex %d is not finite", first);
    assert_string_equal(trial.report.reason, reason);
    sb_trial_close(&trial);
  }
}

/* In an implicit step the matrix, the right-hand side or the state may be the one to say so; the run ends at once. */
static void not_finite_in_an_implicit_step(void **unused)
{
  (void)unused;
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "scene=cloth grid=3");
    sb_trial         trial;
    if (!(variant.method->traits & SB_IMPLICIT)) continue;
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

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(seen_at_the_right_step),
      cmocka_unit_test(not_finite_at_the_start),
      cmocka_unit_test(not_finite_in_an_implicit_step),
  };
  return sb_trial_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
