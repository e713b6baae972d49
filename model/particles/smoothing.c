/* Smoothing kernels; see smoothing.h. */
#include "model/particles/smoothing.h"

#include <math.h>
#include <string.h>

#define PI        3.14159265358979323846
#define SQUARE(x) ((x) * (x))
#define CUBE(x)   ((x) * (x) * (x))

#define SB_SMOOTHING(name, scale_2, scale_3, f, slope, summary)                                                        \
  static double name##_value(double q) { return f; }                                                                   \
  static double name##_derivative(double q) { return slope; }
#include "model/particles/smoothing.def"
#undef SB_SMOOTHING

static const sb_smoothing kernels[] = {
#define SB_SMOOTHING(name, scale_2, scale_3, f, slope, summary)                                                        \
  {#name, summary, {scale_2, scale_3}, name##_value, name##_derivative},
#include "model/particles/smoothing.def"
#undef SB_SMOOTHING
};

size_t sb_smoothing_count(void) { return sizeof kernels / sizeof *kernels; }

const sb_smoothing *sb_smoothing_at(size_t i) { return i < sb_smoothing_count() ? &kernels[i] : NULL; }

const sb_smoothing *sb_smoothing_find(const char *name)
{
  for (size_t i = 0; i < sb_smoothing_count(); ++i)
    if (strcmp(kernels[i].name, name) == 0) return &kernels[i];
  return NULL;
}

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
