/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The places of numbers in the first argument of the kernels of steps. Embedded in front of step_kernels.h. */
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
  P_KEPT,
  P_GRAVITY,
  P_CENTER = P_GRAVITY + 3,
  P_LIMIT = P_CENTER + 3,
  P_COUNT
};
