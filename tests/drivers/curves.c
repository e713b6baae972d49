/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Means, medians and ranges of convergence curves over frames, of which those that stopped early go on with their last
 * value. */
#include <math.h>

#include "drivers/curve.h"
#include "tests/cmocka_all.h"

static void fill(sb_curve *curve, size_t count, double scale)
{
  curve->count = 0;
  while (curve->count < count) sb_curve_extend(curve);
  for (size_t k = 0; k < count; ++k) {
    curve->objective[k] = 5 + scale * pow(0.5, (double)k);
    curve->gradient_norm[k] = pow(0.1, (double)k);
    curve->distance[k] = curve->strain[k] = 0;
    curve->gradient_largest[k] = 3 * pow(0.2, (double)k);
    curve->place_error[k] = scale / (double)(k + 1);
    curve->reaction_error[k] = scale + (double)k;
    curve->seconds[k] = scale * (double)k;
  }
}

static void the_mean_is_arithmetic_and_short_curves_go_on(void)
{
  sb_curve      curve = {.arena = sb_arena_create()};
  sb_mean_curve mean = {.arena = curve.arena};
  fill(&curve, 2, 4);
  sb_mean_curve_add(&mean, &curve, 5, 0, 4);
  fill(&curve, 4, 8);
  sb_mean_curve_add(&mean, &curve, 5, 0, 4);
  fill(&curve, 3, 2);
  sb_mean_curve_add(&mean, &curve, 5, 0, 4);
  sb_mean_curve_finish(&mean);
  assert_int_equal(mean.count, 4);
  assert_int_equal(mean.frames, 3);
  const double error[] = {1, 0.5, (0.5 + 0.25 + 0.25) / 3, (0.5 + 0.125 + 0.25) / 3};
  const double seconds[] = {0, 14.0 / 3, (4.0 + 16 + 4) / 3, (4.0 + 24 + 4) / 3};
  for (size_t k = 0; k < 4; ++k) {
    assert_true(fabs(mean.spread[SB_CURVE_ERROR].mean[k] - error[k]) <= 1e-15);
    assert_true(fabs(mean.seconds[k] - seconds[k]) <= 1e-14);
  }
  assert_true(fabs(mean.spread[SB_CURVE_GRADIENT].mean[3] - (0.1 + 0.001 + 0.01) / 3) <= 1e-16);
  assert_true(fabs(mean.spread[SB_CURVE_RESIDUAL].mean[1] - 0.2) <= 1e-16);
  assert_true(fabs(mean.spread[SB_CURVE_FORCE].mean[3] - (0.1 + 0.001 + 0.01) / 3 / 4) <= 1e-16);
  assert_true(fabs(mean.spread[SB_CURVE_PLACE].mean[1] - (2.0 + 4 + 1) / 3) <= 1e-15);
  assert_true(fabs(mean.spread[SB_CURVE_REACTION].median[3] - (4.0 + 1)) <= 1e-15);
  sb_arena_destroy(&curve.arena);
}

/* The spread of three frames, and of two, whose median is between them. They are not in the order of the errors. */
static void the_spread_is_of_frames(void)
{
  sb_curve      curve = {.arena = sb_arena_create()};
  sb_mean_curve mean = {.arena = curve.arena};
  const double  after[] = {0.5, 0.02, 0.1};
  for (int frame = 0; frame < 3; ++frame) {
    fill(&curve, 2, 4);
    curve.objective[1] = 5 + 4 * after[frame];
    curve.gradient_norm[1] = after[frame] / 10;
    sb_mean_curve_add(&mean, &curve, 5, 0, 4);
    if (frame != 1) continue;
    sb_mean_curve_finish(&mean);
    assert_true(fabs(mean.spread[SB_CURVE_ERROR].median[1] - 0.26) <= 1e-15);
  }
  sb_mean_curve_finish(&mean);
  assert_true(fabs(mean.spread[SB_CURVE_ERROR].median[1] - 0.1) <= 1e-15 &&
              fabs(mean.spread[SB_CURVE_ERROR].least[1] - 0.02) <= 1e-15);
  assert_true(fabs(mean.spread[SB_CURVE_ERROR].largest[1] - 0.5) <= 1e-15 &&
              mean.spread[SB_CURVE_ERROR].median[0] == 1 && mean.spread[SB_CURVE_ERROR].least[0] == 1);
  assert_true(fabs(mean.spread[SB_CURVE_GRADIENT].median[1] - 0.01) <= 1e-16);
  assert_true(fabs(mean.spread[SB_CURVE_GRADIENT].largest[1] - 0.05) <= 1e-16);
  sb_arena_destroy(&curve.arena);
}

/* A value below g* is a lower minimum: its error is 0, it cancels no other error, and `below` is the largest such
 * difference. A value below g* by rounding only counts as a distance. */
static void what_is_below_is_told(void)
{
  sb_curve      curve = {.arena = sb_arena_create()};
  sb_mean_curve mean = {.arena = curve.arena};
  for (int frame = 0; frame < 2; ++frame) {
    fill(&curve, 3, 4);
    curve.objective[1] = frame ? 6 : 4;
    curve.objective[2] = frame ? 4.5 : 5;
    sb_mean_curve_add(&mean, &curve, 5, 0, 4);
  }
  sb_mean_curve_finish(&mean);
  const double *error = mean.spread[SB_CURVE_ERROR].mean;
  assert_true(mean.below == 1 && error[0] == 1 && error[1] == 0.125 && error[2] == 0);
  mean = (sb_mean_curve){.arena = curve.arena};
  fill(&curve, 2, 4);
  curve.objective[1] = 5 - 0x1p-20;
  sb_mean_curve_add(&mean, &curve, 5, 0x1p-19, 4);
  sb_mean_curve_finish(&mean);
  assert_true(mean.below == 0 && mean.spread[SB_CURVE_ERROR].mean[1] == 0x1p-22);
  sb_arena_destroy(&curve.arena);
}

/* A start that is the minimum, to the rounding of g or to the noise told, is counted and left out. */
static void a_start_at_the_minimum_is_left_out(void)
{
  sb_curve      curve = {.arena = sb_arena_create()};
  sb_mean_curve mean = {.arena = curve.arena};
  fill(&curve, 2, 4e-13);
  sb_mean_curve_add(&mean, &curve, 5, 0, 4);
  fill(&curve, 2, 4e-6);
  sb_mean_curve_add(&mean, &curve, 5, 1e-5, 4);
  assert_true(mean.frames == 0 && mean.at_minimum == 2 && mean.count == 0);
  sb_mean_curve_add(&mean, &curve, 5, 1e-7, 4);
  assert_true(mean.frames == 1 && mean.at_minimum == 2 && mean.count == 2);
  sb_arena_destroy(&curve.arena);
}

TEST_MAIN(the_mean_is_arithmetic_and_short_curves_go_on, the_spread_is_of_frames, what_is_below_is_told,
          a_start_at_the_minimum_is_left_out)
