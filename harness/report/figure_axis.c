/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ends and ticks of axes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/number.h"
#include "harness/report/figure_axis.h"
#include "harness/sweep/sweep.h"

double sb_figure_step(double span)
{
  const double power = pow(10, floor(log10(span / 5))), parts = span / 5 / power;
  return power * (parts < 1.5 ? 1 : parts < 3.5 ? 2 : parts < 7.5 ? 5 : 10);
}

/* The number of the form 1, 2 or 5 times a power of ten that is next below. */
static double round_down(double number)
{
  const double power = pow(10, floor(log10(number))), parts = number / power;
  return power * (parts >= 5 ? 5 : parts >= 2 ? 2 : 1);
}

static bool is_round(double number) { return fabs(round_down(number * (1 + 1e-9)) - number) < 1e-6 * number; }

double sb_figure_round_between(double low, double high)
{
  const double slack = 1e-9, next = round_down(high * (1 - slack));
  const bool   single = next > low * (1 + slack) && round_down(next * (1 - slack)) <= low * (1 + slack);
  return is_round(low) && is_round(high) && single ? next : 0;
}

/* Makes room for ticks where the ends are nearly the same number, or lie the wrong way round because the user gave one
 * of them beyond all points. */
static void widen(sb_figure_axis *axis, const double given[2])
{
  const double most = fmax(fabs(axis->low), fabs(axis->high));
  const double missing = SB_LEAST_WIDTH * most - (axis->high - axis->low);
  if (!isnan(given[0]) && !isnan(given[1])) return; /* the reader of sweep files has seen them */
  if (axis->high <= axis->low && !isnan(given[0]))
    axis->high = axis->logarithmic ? 10 * axis->low : axis->low + fmax(fabs(axis->low), 1);
  else if (axis->high <= axis->low && !isnan(given[1]))
    axis->low = axis->logarithmic ? axis->high / 10 : axis->high - fmax(fabs(axis->high), 1);
  else if (missing > 0 && axis->high > axis->low) {
    axis->low -= missing / 2;
    axis->high += missing / 2;
  }
}

void sb_figure_settle_axis(sb_figure_axis *axis, const double given[2], bool tight, bool rounded)
{
  static const double none[2] = {NAN, NAN};
  if (isnan(axis->low)) axis->low = axis->logarithmic ? 1 : 0, axis->high = axis->logarithmic ? 10 : 1;
  widen(axis, none);
  double low = axis->low, high = axis->high;
  if (low == high) tight = false;
  if (axis->logarithmic && !tight) {
    const double factor = fmax(pow(high / low, 0.05), low == high ? 3 : 1.15);
    axis->low = rounded ? round_down(low / factor) : low / factor;
    axis->high = rounded ? 1 / round_down(1 / (high * factor)) : high * factor;
  } else if (!axis->logarithmic) {
    if (low > 0 && low < (tight ? 0.1 : 0.4) * high) low = 0;
    const double step = sb_figure_step(high > low ? high - low : fmax(fabs(high), 1));
    axis->low = tight || low == 0 ? low : step * floor(low / step - 0.2);
    axis->high = tight ? high : step * ceil(high / step + 0.2);
  }
  if (!isnan(given[0])) axis->low = given[0];
  if (!isnan(given[1])) axis->high = given[1];
  widen(axis, given);
}

double sb_figure_offset(const sb_figure_axis *axis)
{
  enum { MOST_DIGITS = 17 };
  const double span = axis->high - axis->low, middle = axis->low + span / 2;
  char         text[SB_NUMBER_TEXT];
  double       offset = 0;
  for (int digits = 1; span < 1e-4 * fabs(middle) && digits <= MOST_DIGITS; ++digits) {
    snprintf(text, sizeof text, "%.*e", digits - 1, middle);
    offset = strtod(text, NULL);
    if (fabs(offset - middle) <= 5 * span) break;
  }
  return offset;
}

bool sb_figure_has_decades(const sb_figure_axis *axis)
{
  const double last = round_down(1.001 * axis->high);
  return round_down(0.999 * last) >= 0.999 * axis->low;
}
