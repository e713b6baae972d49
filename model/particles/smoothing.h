/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Smoothing kernels of particle methods, W(r) = scale/H^d f(r/H), 0 from r = H on, with integral 1. H is the radius of
 * the support and d the number of dimensions, 2 or 3. Wendland: Adv. Comput. Math. 4, 1995; Dehnen, Aly: MNRAS 425,
 * 2012. Local. */
#pragma once

#include "base/entry.h"

typedef struct {
  SB_ENTRY_HEAD;
  double scale[2];                /* in 2 and in 3 dimensions */
  double (*value)(double q);      /* f, q in [0, 1) */
  double (*derivative)(double q); /* f' */
} sb_smoothing;

SB_DECLARE_LIST(sb_smoothing, sb_smoothings)

/* W in 1/m^d at a distance of r >= 0 m. */
double sb_smoothing_value(const sb_smoothing *kernel, int dimensions, double support, double r);
/* W'(r)/r in 1/m^(d + 2); times x_ij it is the gradient of W at x_i. 0 at r = 0, where W'(r)/r is not defined. */
double sb_smoothing_slope(const sb_smoothing *kernel, int dimensions, double support, double r);
