/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A displacement given by formulas in the place of rest x, y, z (m) and t (s): x(t) = x(0) + (x, y, z)(x(0), t). The
 * formulas are zero at t = 0: this is checked at the origin when they are read, and at the points once these are known.
 */
#include <math.h>
#include <stdio.h>

#include "model/forces/path.h"
#include "model/maths/formula_triple.h"

static bool prepare(void *state, const sb_composite *value)
{
  char why[8];
  return sb_formula_triple_prepare(state, value, why, sizeof why);
}

static void place(void *state, const sb_composite *value, double t_seconds, size_t count, const double *rest,
                  double *place)
{
  (void)value;
  sb_formula_triple_evaluate(state, t_seconds, count, rest, place);
  for (size_t i = 0; i < 3 * count; ++i) place[i] += rest[i];
}

static void destroy(void *state) { sb_formula_triple_clear(state); }

/* A formula without a value at the origin is accepted: no point need be there. */
static bool check(const sb_composite *value, char *why, size_t size)
{
  sb_formula_triple triple = {0};
  const double      origin[3] = {0};
  double            displacement[3] = {0};
  bool              good = sb_formula_triple_prepare(&triple, value, why, size);
  if (good) sb_formula_triple_evaluate(&triple, 0.0, 1, origin, displacement);
  for (size_t c = 0; good && c < 3; ++c) {
    good = !isfinite(displacement[c]) || fabs(displacement[c]) <= SB_PATH_START_TOLERANCE;
    if (good) continue;
    snprintf(why, size, "%s: '%.80s' is %.6g at the origin at t = 0, but a path must start at rest",
             value->form->part[c].name, value->formula[c], displacement[c]);
  }
  sb_formula_triple_clear(&triple);
  return good;
}

const sb_path_kind sb_path_expression = {
    .form = {.name = "expression",
             .summary = "displacement by formulas in the rest position x, y, z and t, zero at t = 0",
             .parts = 3,
             .part = {{"x", SB_PART_FORMULA, "m", "0", "", "displacement along x"},
                      {"y", SB_PART_FORMULA, "m", "0", "", "displacement along y"},
                      {"z", SB_PART_FORMULA, "m", "0", "", "displacement along z"}},
             .check = check},
    .state_bytes = sizeof(sb_formula_triple),
    .prepare = prepare,
    .place = place,
    .destroy = destroy,
};
