/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steady clock and phase accumulators; see profile.h. */
#include "base/profile.h"

#include <stddef.h>
#include <time.h>

const char *sb_operation_name(sb_operation operation)
{
  static const char *const names[SB_OPERATION_COUNT] = {
      [SB_OPERATION_ENERGY] = "energies",      [SB_OPERATION_GRADIENT] = "gradients",
      [SB_OPERATION_CURVATURE] = "curvatures", [SB_OPERATION_PRODUCT] = "products",
      [SB_OPERATION_ASSEMBLY] = "assemblies",  [SB_OPERATION_FACTORIZATION] = "factorizations",
      [SB_OPERATION_SOLVE] = "solves",         [SB_OPERATION_PASS] = "passes",
  };
  return (unsigned)operation < SB_OPERATION_COUNT ? names[operation] : "unknown";
}

double sb_clock_seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void sb_profile_add(sb_profile *profile, sb_phase phase, double started_seconds)
{
  profile->seconds[phase] += sb_clock_seconds() - started_seconds;
  profile->calls[phase]++;
}
