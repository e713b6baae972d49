/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Smoothing kernels; see smoothing.h. */
#include "model/particles/smoothing.h"

#include <math.h>

#define PI        3.14159265358979323846
#define SQUARE(x) ((x) * (x))
#define CUBE(x)   ((x) * (x) * (x))

#define SB_SMOOTHING(name, scale_2, scale_3, f, slope, summary)                                                        \
  static double name##_value(double q) { return f; }                                                                   \
  static double name##_derivative(double q) { return slope; }
#include "model/particles/smoothing.def"
#undef SB_SMOOTHING

static const sb_entry *const entries[] = {
#define SB_SMOOTHING(title, scale_2, scale_3, f, slope, about)                                                         \
  &(const sb_smoothing){.name = #title,                                                                                \
                        .summary = about,                                                                              \
                        .scale = {scale_2, scale_3},                                                                   \
                        .value = title##_value,                                                                        \
                        .derivative = title##_derivative}                                                              \
       .entry,
#include "model/particles/smoothing.def"
#undef SB_SMOOTHING
};

const sb_list sb_smoothings = {
    .family = "smoothings",
    .title = "Smoothing kernels of particles",
    .about = "Named by option `smoothing`.",
    .brief = true,
    SB_LIST_ENTRIES(entries),
};

static double power(double x, int n) { return n == 2 ? x * x : x * x * x; }

double sb_smoothing_value(const sb_smoothing *kernel, int dimensions, double support, double r)
{
  const double q = r / support;
  return q < 1 ? kernel->scale[dimensions - 2] / power(support, dimensions) * kernel->value(q) : 0;
}

double sb_smoothing_slope(const sb_smoothing *kernel, int dimensions, double support, double r)
{
  const double q = r / support;
  if (!(q > 0 && q < 1)) return 0;
  return kernel->scale[dimensions - 2] / (power(support, dimensions) * support * r) * kernel->derivative(q);
}
