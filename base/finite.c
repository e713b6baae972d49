/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The start-up check of finiteness; see finite.h. NaN and infinity are computed at run time from a zero that is hidden
 * from the compiler, and passed to every kind of test that the program makes. */
#include "base/finite.h"

#include <math.h>

bool sb_tells_finite(void)
{
  volatile double zero = 0;
  const double    nan_value = zero / zero, infinite = 1 / zero;
  return isnan(nan_value) && !isfinite(nan_value) && !isfinite(infinite) && isfinite(zero) && !(nan_value <= 1) &&
         !(nan_value >= 1) && infinite > 1;
}
