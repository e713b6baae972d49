/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The curve of one minimisation, and the mean and spread of several: error by iteration and by time. Local. */
#pragma once

#include <stddef.h>

#include "base/arena.h"

/* The measures of an iterate.
 * - error: (g_k - g*)/(g_0 - g*) (Liu et al. 2013).
 * - gradient: |grad g_k|/|grad g_0| in the 2-norm (Wang 2015).
 * - residual: the same in the maximum norm, in which one vertex counts as much as all (Jacobson 2026).
 * - force: |grad g_k|_2 over that of the external forces, which does not depend on the start.
 * - place: |z_k - z*|_inf over the motion of the step, the visible error, which g does not show if springs are stiff.
 * - reaction: |R_k - R*|/|R*|, R = sum m (z - y)/h^2, the force that the springs of pinned vertices exert on the
 *   others. */
typedef enum {
  SB_CURVE_ERROR,
  SB_CURVE_GRADIENT,
  SB_CURVE_RESIDUAL,
  SB_CURVE_FORCE,
  SB_CURVE_PLACE,
  SB_CURVE_REACTION,
  SB_CURVE_METRICS
} sb_curve_metric;

/* One entry per iterate, number 0 the start. Arrays are in the arena. */
typedef struct {
  sb_arena *arena;
  size_t    count;
  double   *objective, *gradient_norm, *distance;            /* g (g* is subtracted later); J, N, m */
  double   *gradient_largest, *place_error, *reaction_error; /* N; relative as above */
  double   *strain;                                          /* largest |r/l - 1| */
  double   *seconds, *work; /* since the start, without checks; s, iterations of local-global */
} sb_curve;

/* Adds an entry, zeroed. */
void sb_curve_extend(sb_curve *curve);

/* One frame, by iterate. */
typedef struct {
  size_t  count;
  double *value[SB_CURVE_METRICS], *seconds, *work;
} sb_frame_curve;

/* By iterate, over frames. */
typedef struct {
  double *mean, *median, *least, *largest;
} sb_spread;

/* Mean, median and range over frames of each metric, and the means of time and work. A frame whose method stopped early
 * keeps its last value, and its last time, from there on. Differences of g up to 1e-13 (|g_0| + |g*|) + noise are
 * rounding, and their absolute value is the error. If a value is lower than g* by more, its error is 0, and `below`
 * reports that g* is not the lowest g. If the start is the minimum to rounding, no error is defined: `at_minimum`
 * counts the frame, and the means omit it. */
typedef struct {
  sb_arena       *arena;
  size_t          frames, at_minimum, count; /* count: iterates of the longest frame */
  double          below;                     /* J: largest g* - g beyond rounding; 0: never */
  sb_frame_curve *frame;                     /* [frames] */
  sb_spread       spread[SB_CURVE_METRICS];  /* [count] each, once finished */
  double         *seconds, *work;
} sb_mean_curve;

/* `external`: |f_ext|_2, N; if it is 0 the measure `force` is NAN. */
void sb_mean_curve_add(sb_mean_curve *mean, const sb_curve *curve, double objective_minimum, double noise,
                       double external);
/* Fills spread, seconds and work. */
void sb_mean_curve_finish(sb_mean_curve *mean);
