/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Curves of minimisations; see curve.h. */
#include "drivers/curve.h"

#include <math.h>
#include <stdlib.h>

#include "base/order_statistics.h"

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
      !grow(&curve->distance, capacity) || !grow(&curve->gradient_largest, capacity) ||
      !grow(&curve->place_error, capacity) || !grow(&curve->reaction_error, capacity) ||
      !grow(&curve->strain, capacity) || !grow(&curve->seconds, capacity) || !grow(&curve->work, capacity))
    return false;
  curve->capacity = capacity;
  return true;
}

void sb_curve_clear(sb_curve *curve)
{
  free(curve->objective);
  free(curve->gradient_norm);
  free(curve->distance);
  free(curve->gradient_largest);
  free(curve->place_error);
  free(curve->reaction_error);
  free(curve->strain);
  free(curve->seconds);
  free(curve->work);
  *curve = (sb_curve){0};
}

static void clear_frame(sb_frame_curve *frame)
{
  for (int m = 0; m < SB_CURVE_METRICS; ++m) free(frame->value[m]);
  free(frame->seconds);
  free(frame->work);
}

static bool grow_frame(sb_frame_curve *frame, size_t count)
{
  bool good = grow(&frame->seconds, count) && grow(&frame->work, count);
  for (int m = 0; m < SB_CURVE_METRICS; ++m) good = good && grow(&frame->value[m], count);
  frame->count = count;
  return good;
}

bool sb_mean_curve_add(sb_mean_curve *mean, const sb_curve *curve, double objective_minimum, double noise,
                       double external)
{
  if (curve->count == 0) return true;
  const double range = curve->objective[0] - objective_minimum;
  const double rounding = ROUNDING * (fabs(curve->objective[0]) + fabs(objective_minimum)) + noise;
  if (!(range > rounding)) {
    mean->at_minimum++;
    return true;
  }
  sb_frame_curve *frames = realloc(mean->frame, (mean->frames + 1) * sizeof *frames);
  if (!frames) return false;
  mean->frame = frames;
  sb_frame_curve *frame = &frames[mean->frames++];
  *frame = (sb_frame_curve){0};
  if (!grow_frame(frame, curve->count)) return false;
  for (size_t k = 0; k < curve->count; ++k) {
    const double excess = curve->objective[k] - objective_minimum;
    if (excess < -rounding) mean->below = fmax(mean->below, -excess);
    frame->value[SB_CURVE_ERROR][k] = excess < -rounding ? 0 : fabs(excess) / range;
    frame->value[SB_CURVE_GRADIENT][k] = curve->gradient_norm[k] / curve->gradient_norm[0];
    frame->value[SB_CURVE_RESIDUAL][k] = curve->gradient_largest[k] / curve->gradient_largest[0];
    frame->value[SB_CURVE_FORCE][k] = external > 0 ? curve->gradient_norm[k] / external : NAN;
    frame->value[SB_CURVE_PLACE][k] = curve->place_error[k];
    frame->value[SB_CURVE_REACTION][k] = curve->reaction_error[k];
    frame->seconds[k] = curve->seconds[k];
    frame->work[k] = curve->work[k];
  }
  if (curve->count > mean->count) mean->count = curve->count;
  return true;
}

/* spread[k] of `count` values, which are put in order. */
static void summarize(const sb_spread *spread, size_t k, double *values, size_t count)
{
  double sum = 0;
  for (size_t f = 0; f < count; ++f) sum += values[f];
  sb_sort(values, count);
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

/* The index of a frame's value at iterate k. */
static size_t place_of(const sb_frame_curve *frame, size_t k) { return k < frame->count ? k : frame->count - 1; }

bool sb_mean_curve_finish(sb_mean_curve *mean)
{
  double *values = NULL;
  if (mean->frames == 0) return true;
  bool room = grow(&values, mean->frames) && grow(&mean->seconds, mean->count) && grow(&mean->work, mean->count);
  for (int m = 0; m < SB_CURVE_METRICS; ++m) room = room && grow_spread(&mean->spread[m], mean->count);
  for (size_t k = 0; room && k < mean->count; ++k) {
    double seconds = 0, work = 0;
    for (int m = 0; m < SB_CURVE_METRICS; ++m) {
      for (size_t f = 0; f < mean->frames; ++f) values[f] = mean->frame[f].value[m][place_of(&mean->frame[f], k)];
      summarize(&mean->spread[m], k, values, mean->frames);
    }
    for (size_t f = 0; f < mean->frames; ++f) {
      seconds += mean->frame[f].seconds[place_of(&mean->frame[f], k)];
      work += mean->frame[f].work[place_of(&mean->frame[f], k)];
    }
    mean->seconds[k] = seconds / (double)mean->frames;
    mean->work[k] = work / (double)mean->frames;
  }
  free(values);
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
  for (int m = 0; m < SB_CURVE_METRICS; ++m) clear_spread(&mean->spread[m]);
  free(mean->seconds);
  free(mean->work);
  *mean = (sb_mean_curve){0};
}
