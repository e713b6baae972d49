/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Curves of minimisations; see curve.h. */
#include "drivers/curve.h"

#include <math.h>

#include "base/order_statistics.h"

#define ROUNDING 1e-13 /* of the sums that a value of g is */

void sb_curve_extend(sb_curve *c)
{
  double **const arrays[] = {&c->objective,        &c->gradient_norm, &c->distance,
                             &c->gradient_largest, &c->place_error,   &c->reaction_error,
                             &c->strain,           &c->seconds,       &c->work};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
    *arrays[i] = sb_arena_grow(c->arena, *arrays[i], c->count, sizeof **arrays[i]);
  ++c->count;
}

static double *take(sb_arena *arena, size_t count) { return sb_arena_take(arena, count, sizeof(double)); }

void sb_mean_curve_add(sb_mean_curve *mean, const sb_curve *curve, double objective_minimum, double noise,
                       double external)
{
  sb_frame_curve frame = {
      .count = curve->count, .seconds = take(mean->arena, curve->count), .work = take(mean->arena, curve->count)};
  if (curve->count == 0) return;
  const double range = curve->objective[0] - objective_minimum;
  const double rounding = ROUNDING * (fabs(curve->objective[0]) + fabs(objective_minimum)) + noise;
  if (!(range > rounding)) {
    mean->at_minimum++;
    return;
  }
  for (int m = 0; m < SB_CURVE_METRICS; ++m) frame.value[m] = take(mean->arena, curve->count);
  for (size_t k = 0; k < curve->count; ++k) {
    const double excess = curve->objective[k] - objective_minimum;
    if (excess < -rounding) mean->below = fmax(mean->below, -excess);
    frame.value[SB_CURVE_ERROR][k] = excess < -rounding ? 0 : fabs(excess) / range;
    frame.value[SB_CURVE_GRADIENT][k] = curve->gradient_norm[k] / curve->gradient_norm[0];
    frame.value[SB_CURVE_RESIDUAL][k] = curve->gradient_largest[k] / curve->gradient_largest[0];
    frame.value[SB_CURVE_FORCE][k] = external > 0 ? curve->gradient_norm[k] / external : NAN;
    frame.value[SB_CURVE_PLACE][k] = curve->place_error[k];
    frame.value[SB_CURVE_REACTION][k] = curve->reaction_error[k];
    frame.seconds[k] = curve->seconds[k];
    frame.work[k] = curve->work[k];
  }
  *SB_NEW_ITEM(mean->arena, mean->frame, mean->frames) = frame;
  if (curve->count > mean->count) mean->count = curve->count;
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

/* The index of a frame's value at iterate k. */
static size_t place_of(const sb_frame_curve *frame, size_t k) { return k < frame->count ? k : frame->count - 1; }

void sb_mean_curve_finish(sb_mean_curve *mean)
{
  sb_arena    *arena = mean->arena;
  const size_t count = mean->count;
  double      *values = take(arena, mean->frames);
  mean->seconds = take(arena, count);
  mean->work = take(arena, count);
  for (int m = 0; m < SB_CURVE_METRICS; ++m)
    mean->spread[m] = (sb_spread){take(arena, count), take(arena, count), take(arena, count), take(arena, count)};
  for (size_t k = 0; k < count; ++k) {
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
}
