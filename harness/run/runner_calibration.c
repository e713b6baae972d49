/* The quiet machine; see runner_calibration.h. A decile of deciles, not the least: on a machine whose clock wanders by
 * 3 % the one luckiest loop of a long sweep makes all others look slow. */
#include "harness/run/runner_calibration.h"

#include <string.h>

#include "base/order_statistics.h"

void sb_calibrations_add(sb_calibrations *c, const json_t *row)
{
  const double seconds = json_number_value(json_object_get(json_object_get(row, "timing"), "calibration_s"));
  if (seconds > 0) c->seconds[c->count++ % SB_CALIBRATIONS_KEPT] = seconds;
}

double sb_calibrations_quiet(const sb_calibrations *c)
{
  double       sorted[SB_CALIBRATIONS_KEPT];
  const size_t kept = c->count < SB_CALIBRATIONS_KEPT ? c->count : SB_CALIBRATIONS_KEPT;
  if (kept == 0) return 0;
  memcpy(sorted, c->seconds, kept * sizeof *sorted);
  sb_sort(sorted, kept);
  return sb_quantile(sorted, kept, 0.1);
}
