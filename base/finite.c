/* The start-up check of finiteness; see finite.h. NaN and infinity are computed at run time from a zero that the
 * compiler may not look at, and put to every kind of question that the program asks. */
#include "base/finite.h"

#include <math.h>

bool sb_tells_finite(void)
{
  volatile double zero = 0;
  const double    nan_value = zero / zero, infinite = 1 / zero;
  return isnan(nan_value) && !isfinite(nan_value) && !isfinite(infinite) && isfinite(zero) && !(nan_value <= 1) &&
         !(nan_value >= 1) && infinite > 1;
}
