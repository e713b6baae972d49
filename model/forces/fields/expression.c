/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An acceleration given by formulas in x, y, z (m) and t (s), one for each component. */
#include "model/forces/field.h"
#include "model/maths/formula_triple.h"

static bool prepare(void *state, const sb_composite *value)
{
  char why[8];
  return sb_formula_triple_prepare(state, value, why, sizeof why);
}

static void evaluate(void *state, const sb_composite *value, double t_seconds, size_t count, const double *position,
                     double *acceleration)
{
  (void)value;
  sb_formula_triple_evaluate(state, t_seconds, count, position, acceleration);
}

static void destroy(void *state) { sb_formula_triple_clear(state); }

const sb_field_kind sb_field_expression = {
    .form = {.name = "expression",
             .summary = "formulas in x, y, z and t, one per component",
             .parts = 3,
             .part = {{"x", SB_PART_FORMULA, "m/s^2", "0", "", "acceleration along x"},
                      {"y", SB_PART_FORMULA, "m/s^2", "0", "", "acceleration along y"},
                      {"z", SB_PART_FORMULA, "m/s^2", "0", "", "acceleration along z"}},
             .check = sb_formula_triple_check},
    .state_bytes = sizeof(sb_formula_triple),
    .prepare = prepare,
    .evaluate = evaluate,
    .destroy = destroy,
};
