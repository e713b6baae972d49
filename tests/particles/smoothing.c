/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Smoothing kernels against quadrature, against their own differences, and against sums over a lattice. */
#include "tests/cmocka_all.h"

#include <math.h>
#include <string.h>

#include "model/particles/smoothing.h"

static void near(const char *what, double got, double want, double tolerance)
{
  if (!(fabs(got - want) <= tolerance)) fail_msg("%s is %.12g instead of %.12g", what, got, want);
}

/* Simpson's rule, on pieces between which cubic_spline's third derivative jumps. */
static double integral(const sb_smoothing *kernel, int dimensions, double support)
{
  enum { PARTS = 2000 };
  const double step = support / PARTS;
  double       sum = 0;
  for (int k = 0; k <= PARTS; ++k) {
    const double r = k * step, weight = k == 0 || k == PARTS ? 1 : k % 2 ? 4 : 2;
    const double shell = dimensions == 2 ? 2 * acos(-1) * r : 4 * acos(-1) * r * r;
    sum += weight * shell * sb_smoothing_value(kernel, dimensions, support, r);
  }
  return sum * step / 3;
}

static void integrals_are_one(void)
{
  assert_int_equal(sb_smoothing_count(), 4);
  for (size_t i = 0; i < sb_smoothing_count(); ++i)
    for (int dimensions = 2; dimensions <= 3; ++dimensions)
      near(sb_smoothing_at(i)->name, integral(sb_smoothing_at(i), dimensions, 0.7), 1, 1e-9);
}

static void slopes_are_derivatives(void)
{
  const double support = 0.7, step = 1e-5;
  for (size_t i = 0; i < sb_smoothing_count(); ++i) {
    const sb_smoothing *kernel = sb_smoothing_at(i);
    for (int dimensions = 2; dimensions <= 3; ++dimensions) {
      const double most = sb_smoothing_value(kernel, dimensions, support, 0);
      for (double r = 0.01; r < 0.69; r += 0.017) {
        const double above = sb_smoothing_value(kernel, dimensions, support, r + step);
        const double below = sb_smoothing_value(kernel, dimensions, support, r - step);
        near(kernel->name, r * sb_smoothing_slope(kernel, dimensions, support, r), (above - below) / (2 * step),
             1e-7 * most / support);
      }
      assert_true(sb_smoothing_value(kernel, dimensions, support, support) == 0);
      assert_true(sb_smoothing_slope(kernel, dimensions, support, support) == 0);
      assert_true(sb_smoothing_slope(kernel, dimensions, support, 0) == 0);
    }
  }
}

/* Sum of V W and of -V y dW/dy over a square lattice, by another program, to 5 decimals. */
static void sums_over_a_lattice(void)
{
  static const struct {
    double      support; /* in spacings */
    const char *kernel;
    double      density, gradient;
  } rows[] = {
      {2, "cubic_spline", 1.00086, 1.01310},  {2, "wendland_c2", 1.03760, 0.97623},
      {2, "wendland_c4", 1.04584, 0.86182},   {2.4, "cubic_spline", 0.99976, 0.99079},
      {2.4, "wendland_c2", 1.01795, 0.96385}, {2.4, "wendland_c4", 1.01311, 0.97764},
      {3, "cubic_spline", 1.00344, 1.00672},  {3, "wendland_c2", 1.00514, 0.99740},
      {3, "wendland_c4", 1.00298, 0.99058},   {4, "cubic_spline", 0.99996, 0.99910},
      {4, "wendland_c2", 1.00121, 0.99920},   {4, "wendland_c4", 1.00042, 0.99869},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
    const sb_smoothing *kernel = sb_smoothing_find(rows[k].kernel);
    const double        spacing = 0.05, support = rows[k].support * spacing, volume = spacing * spacing;
    double              density = 0, gradient = 0;
    for (int i = -4; i <= 4; ++i)
      for (int j = -4; j <= 4; ++j) {
        const double x = i * spacing, y = j * spacing, r = sqrt(x * x + y * y);
        density += volume * sb_smoothing_value(kernel, 2, support, r);
        gradient -= volume * y * y * sb_smoothing_slope(kernel, 2, support, r);
      }
    near(rows[k].kernel, density, rows[k].density, 6e-6);
    near(rows[k].kernel, gradient, rows[k].gradient, 6e-6);
  }
  assert_null(sb_smoothing_find("gauss"));
  assert_null(sb_smoothing_at(4));
}

TEST_MAIN(integrals_are_one, slopes_are_derivatives, sums_over_a_lattice)
