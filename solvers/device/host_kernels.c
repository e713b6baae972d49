/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernels of explicit steps as C. This file is compiled twice, with SB_SINGLE and without. */
#include <math.h>
#include <stdbool.h>

#include "solvers/device/step_host.h"
#include "solvers/device/step_parameters.h"

#ifdef SB_SINGLE
#define real     float
#define root     sqrtf
#define SB_TABLE sb_step_kernels_single
#else
#define real     double
#define root     sqrt
#define SB_TABLE sb_step_kernels_double
#endif
#define global
#define SB_KERNEL(name, items) static inline void name(const int i, SB_ARGUMENTS)
#define SB_BEGIN               (void)0
#define SB_SET(flag, value)    __atomic_store_n(flag, value, __ATOMIC_RELAXED)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "solvers/device/step_kernels.h"
#pragma GCC diagnostic pop

#define SB_KERNEL_NAME(name)                                                                                           \
  static void run_##name(int from, int to, void *const *b, const int *n)                                               \
  {                                                                                                                    \
    for (int i = from; i < to; ++i)                                                                                    \
      name(i, b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], n[0], n[1], n[2], n[3], n[4],  \
           n[5]);                                                                                                      \
  }
#include "solvers/device/step_kernels.def"
#undef SB_KERNEL_NAME

sb_host_kernel *const SB_TABLE[] = {
#define SB_KERNEL_NAME(name) run_##name,
#include "solvers/device/step_kernels.def"
#undef SB_KERNEL_NAME
};
