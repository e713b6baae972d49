/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels as C. This file is compiled four times: for explicit steps and, with SB_BY_VERTEX, for nets, each with
 * SB_SINGLE and without. */
#include "solvers/device/host_kernels.h"

#include <math.h>
#include <stdbool.h>

#include "solvers/device/kernel_parameters.h"

#ifdef SB_SINGLE
#define real           float
#define root           sqrtf
#define absolute       fabsf
#define SB_TABLE(name) sb_##name##_kernels_single
#else
#define real           double
#define root           sqrt
#define absolute       fabs
#define SB_TABLE(name) sb_##name##_kernels_double
#endif
#define global
#define SB_KERNEL(name, items) static inline void name(const int i, SB_ARGUMENTS)
#define SB_BEGIN               (void)0
#define SB_SET(flag, value)    __atomic_store_n(flag, value, __ATOMIC_RELAXED)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-function"
#include "solvers/device/kernel_common.h"
#ifdef SB_BY_VERTEX
#define SB_KERNELS "solvers/device/net_kernels.def"
#include "solvers/device/net_kernels.h"
#else
#define SB_KERNELS "solvers/device/step_kernels.def"
#include "solvers/device/step_kernels.h"
#endif
#pragma GCC diagnostic pop

#define SB_KERNEL_NAME(name)                                                                                           \
  static void run_##name(int from, int to, void *const *b, const int *n, const double *s)                              \
  {                                                                                                                    \
    const real r[] = {(real)s[0], (real)s[1], (real)s[2]};                                                             \
    for (int i = from; i < to; ++i)                                                                                    \
      name(i, b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], n[0], n[1], n[2], n[3], n[4],  \
           n[5], r[0], r[1], r[2]);                                                                                    \
  }
#include SB_KERNELS
#undef SB_KERNEL_NAME

#ifdef SB_BY_VERTEX
sb_host_kernel *const SB_TABLE(net)[] = {
#else
sb_host_kernel *const SB_TABLE(step)[] = {
#endif
#define SB_KERNEL_NAME(name) run_##name,
#include SB_KERNELS
#undef SB_KERNEL_NAME
};
