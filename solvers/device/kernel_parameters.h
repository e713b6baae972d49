/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The places of numbers in the first argument of all kernels, and kinds of the kernels of implicit steps. Embedded in
 * front of the kernels. */
#ifndef __OPENCL_C_VERSION__
#pragma once
#endif
enum {
  P_H,
  P_HALF,
  P_FACTOR,
  P_DRAG,
  P_DAMPING,
  P_Q,
  P_P,
  P_HH,
  P_INERTIA,
  P_KEPT,
  P_GRAVITY,
  P_CENTER = P_GRAVITY + 3,
  P_LIMIT = P_CENTER + 3,
  P_COUNT
};

enum { FILL_ALL, FILL_SCALED };
enum { SUM_PRODUCTS, SUM_SIZES, SUM_LARGEST };
enum { GIVE_SET, GIVE_ADDED };
enum { PREDICT_FALLING, PREDICT_DRAGGED, PREDICT_DAMPED };
enum { CURVATURE_PROJECTED, CURVATURE_MAJORANT };
enum { BLOCKS_EXACT, BLOCKS_PROJECTED, BLOCKS_LAPLACIAN };
