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

static void clear_frame(sb_frame_curve *frame)
{
  free(frame->error);
  free(frame->gradient_ratio);
  free(frame->seconds);
}

bool sb_mean_curve_add(sb_mean_curve *mean, const sb_curve *curve, double objective_minimum, double noise)
{
  if (curve->count == 0) return true;
  const double range = curve->objective[0] - objective_minimum;
  if (!(range > ROUNDING * (fabs(curve->objective[0]) + fabs(objective_minimum)) + noise)) {
    mean->at_minimum++;
    return true;
  }
  sb_frame_curve *frames = realloc(mean->frame, (mean->frames + 1) * sizeof *frames);
  if (!frames) return false;
  mean->frame = frames;
  sb_frame_curve *frame = &frames[mean->frames++];
  *frame = (sb_frame_curve){.count = curve->count};
  if (!grow(&frame->error, curve->count) || !grow(&frame->gradient_ratio, curve->count) ||
      !grow(&frame->seconds, curve->count))
    return false;
  for (size_t k = 0; k < curve->count; ++k) {
    frame->error[k] = fabs(curve->objective[k] - objective_minimum) / range;
    frame->gradient_ratio[k] = curve->gradient_norm[k] / curve->gradient_norm[0];
    frame->seconds[k] = curve->seconds[k];
  }
  if (curve->count > mean->count) mean->count = curve->count;
  return true;
}

static int by_size(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* spread[k] of `count` values, which are put in order. */
static void summarize(const sb_spread *spread, size_t k, double *values, size_t count)
{
  double sum = 0;
  for (size_t f = 0; f < count; ++f) sum += values[f];
  qsort(values, count, sizeof *values, by_size);
  spread->mean[k] = sum / (double)count;
  spread->median[k] = (values[(count - 1) / 2] + values[count / 2]) / 2;
  spread->least[k] = values[0];
  spread->largest[k] = values[count - 1];
}

static bool grow_spread(sb_spread *spread, size_t count)
{
  return grow(&spread->mean, count) && grow(&spread->median, count) && grow(&spread->least, count) &&
         grow(&spread->largest, count);
}

bool sb_mean_curve_finish(sb_mean_curve *mean)
{
  double *error = NULL, *ratio = NULL;
  if (mean->frames == 0) return true;
  const bool room = grow(&error, mean->frames) && grow(&ratio, mean->frames) && grow(&mean->seconds, mean->count) &&
                    grow_spread(&mean->error, mean->count) && grow_spread(&mean->gradient_ratio, mean->count);
  for (size_t k = 0; room && k < mean->count; ++k) {
    double seconds = 0;
    for (size_t f = 0; f < mean->frames; ++f) {
      const sb_frame_curve *frame = &mean->frame[f];
      const size_t          own = k < frame->count ? k : frame->count - 1;
      error[f] = frame->error[own];
      ratio[f] = frame->gradient_ratio[own];
      seconds += frame->seconds[own];
    }
    summarize(&mean->error, k, error, mean->frames);
    summarize(&mean->gradient_ratio, k, ratio, mean->frames);
    mean->seconds[k] = seconds / (double)mean->frames;
  }
  free(error);
  free(ratio);
  return room;
}

static void clear_spread(sb_spread *spread)
{
  free(spread->mean);
  free(spread->median);
  free(spread->least);
  free(spread->largest);
}

void sb_mean_curve_clear(sb_mean_curve *mean)
{
  for (size_t f = 0; f < mean->frames; ++f) clear_frame(&mean->frame[f]);
  free(mean->frame);
  clear_spread(&mean->error);
  clear_spread(&mean->gradient_ratio);
  free(mean->seconds);
  *mean = (sb_mean_curve){0};
}
