/* SPDX-License-Identifier: GPL-3.0-or-later */
/* V46: on a nonlinear sheet over a short time, p = log2(|x_h - x_{h/2}| / |x_{h/2} - x_{h/4}|) is the order of the
 * method, and the accurate ones go to the solution that another program found: tests/known/sheet.csv, see there. */
#include "tests/integrate/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHEET "scene=cloth grid=3 springs=triangulated stiffness=50 pins=corners2 gravity=[0,0,-9.8] "
static const double duration = 0.25;
enum { NUMBERS = 3 * 16, COARSEST = 50 };

/* The same deformation as in tests/known/reference.py: springs are stretched and compressed by a tenth. */
static void deform(sb_pose *pose, const double *unused)
{
  (void)unused;
  for (size_t i = 0; i < pose->vertices; ++i) {
    double *x = &pose->position[3 * i], *v = &pose->velocity[3 * i];
    if (pose->pinned[i]) continue;
    const double u = x[0], w = x[1];
    x[0] += 0.10 * u * (1 - w);
    x[1] -= 0.05 * (1 - w);
    x[2] += 0.10 * (1 - w) * (1 + u);
    v[0] = 0.3 * w;
    v[1] = -0.2 * u;
    v[2] = 0.5 * u * w;
  }
}

static void final_state(const char *pairs, int steps, double state[2 * NUMBERS])
{
  sb_trial trial;
  sb_trial_open(&trial, PETSC_COMM_WORLD, duration / steps, pairs, deform, NULL);
  sb_trial_advance(&trial, steps);
  assert_int_equal(trial.report.steps_done, steps);
  assert_int_equal(trial.report.unconverged, 0);
  assert_int_equal(3 * trial.vertices, NUMBERS);
  memcpy(state, trial.position, NUMBERS * sizeof *state);
  memcpy(state + NUMBERS, trial.velocity, NUMBERS * sizeof *state);
  sb_trial_close(&trial);
}

static double norm_of_difference(const double *a, const double *b)
{
  double sum = 0;
  for (int i = 0; i < NUMBERS; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(sum);
}

/* First order needs many steps, implicit ones cost more. */
static int coarsest_steps(const sb_variant *variant)
{
  if (variant->method->order_position > 1) return sb_variant_has_stages(variant) ? 2 * COARSEST : COARSEST;
  return variant->method->traits & SB_MINIMIZES ? 16 * COARSEST : 64 * COARSEST;
}

static double order(double states[3][2 * NUMBERS], int from)
{
  return log2(norm_of_difference(&states[0][from], &states[1][from]) /
              norm_of_difference(&states[1][from], &states[2][from]));
}

static void methods_converge_to_themselves(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, SHEET "max_iterations=1000 gradient_tolerance=1e-7");
    double           states[3][2 * NUMBERS];
    if (variant.method->order_position == 0) continue;
    const int coarsest = coarsest_steps(&variant);
    for (int n = 0; n < 3; ++n) final_state(variant.pairs, coarsest << n, states[n]);
    sb_near(variant.label, "order of x", order(states, 0), variant.method->order_position, 0.1);
    sb_near(variant.label, "order of v", order(states, NUMBERS), variant.method->order_velocity, 0.1);
  }
}

static void read_reference(double state[2 * NUMBERS])
{
  char        line[400];
  const char *folder = getenv("SB_KNOWN");
  assert_non_null(folder);
  snprintf(line, sizeof line, "%s/sheet.csv", folder);
  FILE *file = fopen(line, "r");
  assert_non_null(file);
  int vertex = 0;
  while (vertex < NUMBERS / 3 && fgets(line, sizeof line, file)) {
    double *x = &state[3 * vertex], *v = x + NUMBERS;
    if (sscanf(line, "%*d,%lf,%lf,%lf,%lf,%lf,%lf", &x[0], &x[1], &x[2], &v[0], &v[1], &v[2]) == 6) ++vertex;
  }
  fclose(file);
  assert_int_equal(3 * vertex, NUMBERS);
}

/* The error at the finest step bounds the distance to the true solution: |x_h - x| <= C h^p. */
static void methods_converge_to_the_solution(void)
{
  double reference[2 * NUMBERS], coarse[2 * NUMBERS], fine[2 * NUMBERS];
  read_reference(reference);
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, SHEET "max_iterations=1000 gradient_tolerance=1e-7");
    const int        p = variant.method->order_position, steps = 2 * coarsest_steps(&variant);
    if (p == 0) continue;
    final_state(variant.pairs, steps, coarse);
    final_state(variant.pairs, 2 * steps, fine);
    const double errors[2] = {norm_of_difference(coarse, reference), norm_of_difference(fine, reference)};
    print_message("%s: %.3g %.3g\n", variant.label, errors[0], errors[1]);
    sb_near(variant.label, "order against the reference", log2(errors[0] / errors[1]), p, 0.1);
  }
}

PETSC_TEST_MAIN(methods_converge_to_themselves, methods_converge_to_the_solution)
