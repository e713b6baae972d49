/* Curves of minimisations; see curve.h. */
#include "experiments/curve.h"

#include <math.h>
#include <stdlib.h>

#define ROUNDING 1e-13 /* of the sums that a value of g is */

static bool grow(double **array, size_t count)
{
  double *grown = realloc(*array, count * sizeof *grown);
  if (grown) *array = grown;
  return grown != NULL;
}

bool sb_curve_reserve(sb_curve *curve, size_t count)
{
  if (count <= curve->capacity) return true;
  const size_t capacity = count > 2 * curve->capacity ? count : 2 * curve->capacity;
  if (!grow(&curve->objective, capacity) || !grow(&curve->gradient_norm, capacity) ||
      !grow(&curve->distance, capacity) || !grow(&curve->seconds, capacity))
    return false;
  curve->capacity = capacity;
  return true;
}

void sb_curve_clear(sb_curve *curve)
{
  free(curve->objective);
  free(curve->gradient_norm);
  free(curve->distance);
  free(curve->seconds);
  *curve = (sb_curve){0};
}

/* Lengthens the sums to `count`: frames that stopped earlier go on with their last value. */
static bool lengthen(sb_mean_curve *mean, size_t count)
{
  if (count <= mean->count) return true;
  if (!grow(&mean->error, count) || !grow(&mean->gradient_ratio, count) || !grow(&mean->seconds, count)) return false;
  for (size_t k = mean->count; k < count; ++k) {
    mean->error[k] = k ? mean->error[k - 1] : 0;
    mean->gradient_ratio[k] = k ? mean->gradient_ratio[k - 1] : 0;
    mean->seconds[k] = k ? mean->seconds[k - 1] : 0;
  }
  mean->count = count;
  return true;
}

bool sb_mean_curve_add(sb_mean_curve *mean, const sb_curve *curve, double objective_minimum, double noise)
{
  if (curve->count == 0) return true;
  const double range = curve->objective[0] - objective_minimum;
  if (!(range > ROUNDING * (fabs(curve->objective[0]) + fabs(objective_minimum)) + noise)) {
    mean->at_minimum++;
    return true;
  }
  if (!lengthen(mean, curve->count)) return false;
  for (size_t k = 0; k < mean->count; ++k) {
    const size_t own = k < curve->count ? k : curve->count - 1;
    mean->error[k] += fabs(curve->objective[own] - objective_minimum) / range;
    mean->gradient_ratio[k] += curve->gradient_norm[own] / curve->gradient_norm[0];
    mean->seconds[k] += curve->seconds[own];
  }
  mean->frames++;
  return true;
}

void sb_mean_curve_finish(sb_mean_curve *mean)
{
  const double frames = (double)mean->frames;
  for (size_t k = 0; k < mean->count; ++k) {
    mean->error[k] /= frames;
    mean->gradient_ratio[k] /= frames;
    mean->seconds[k] /= frames;
  }
}

void sb_mean_curve_clear(sb_mean_curve *mean)
{
  free(mean->error);
  free(mean->gradient_ratio);
  free(mean->seconds);
  *mean = (sb_mean_curve){0};
}
