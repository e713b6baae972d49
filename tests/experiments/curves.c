/* Means of convergence curves: arithmetic over frames, frames that stopped early going on with their last value. */
#include <math.h>

#include "experiments/curve.h"
#include "tests/cmocka_all.h"

static void fill(sb_curve *curve, size_t count, double scale)
{
  assert_true(sb_curve_reserve(curve, count));
  curve->count = count;
  for (size_t k = 0; k < count; ++k) {
    curve->objective[k] = 5 + scale * pow(0.5, (double)k);
    curve->gradient_norm[k] = pow(0.1, (double)k);
    curve->distance[k] = 0;
    curve->seconds[k] = scale * (double)k;
  }
}

static void the_mean_is_arithmetic_and_short_curves_go_on(void **state)
{
  (void)state;
  sb_curve      curve = {0};
  sb_mean_curve mean = {0};
  fill(&curve, 2, 4);
  assert_true(sb_mean_curve_add(&mean, &curve, 5, 0));
  fill(&curve, 4, 8);
  assert_true(sb_mean_curve_add(&mean, &curve, 5, 0));
  fill(&curve, 3, 2);
  assert_true(sb_mean_curve_add(&mean, &curve, 5, 0));
  sb_mean_curve_finish(&mean);
  assert_int_equal(mean.count, 4);
  assert_int_equal(mean.frames, 3);
  const double error[] = {1, 0.5, (0.5 + 0.25 + 0.25) / 3, (0.5 + 0.125 + 0.25) / 3};
  const double seconds[] = {0, 14.0 / 3, (4.0 + 16 + 4) / 3, (4.0 + 24 + 4) / 3};
  for (size_t k = 0; k < 4; ++k) {
    assert_true(fabs(mean.error[k] - error[k]) <= 1e-15);
    assert_true(fabs(mean.seconds[k] - seconds[k]) <= 1e-14);
  }
  assert_true(fabs(mean.gradient_ratio[3] - (0.1 + 0.001 + 0.01) / 3) <= 1e-16);
  sb_curve_clear(&curve);
  sb_mean_curve_clear(&mean);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_mean_is_arithmetic_and_short_curves_go_on)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
