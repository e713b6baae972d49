/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Three formulas as one map of points; see formula_triple.h. */
#include "model/maths/formula_triple.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const variables[SB_FORMULA_VARIABLES_MAX] = {"x", "y", "z", "t"};

/* Reasons name the part: "y: 'foo' at …". */
static sb_formula *read_part(const sb_composite *value, size_t part, char *why, size_t size)
{
  char        reason[224] = "";
  sb_formula *formula =
      sb_formula_create(value->formula[part], variables, SB_FORMULA_VARIABLES_MAX, reason, sizeof reason);
  if (!formula) snprintf(why, size, "%s: %s", value->form->part[part].name, reason);
  return formula;
}

bool sb_formula_triple_prepare(sb_formula_triple *triple, const sb_composite *value, char *why, size_t size)
{
  double *block = calloc((SB_FORMULA_VARIABLES_MAX + 1) * SB_TRIPLE_BLOCK, sizeof *block);
  triple->argument[0] = block;
  for (size_t c = 0; block && c < SB_FORMULA_VARIABLES_MAX; ++c) triple->argument[c] = block + c * SB_TRIPLE_BLOCK;
  if (!block) {
    snprintf(why, size, "out of memory");
    return false;
  }
  triple->result = block + SB_FORMULA_VARIABLES_MAX * SB_TRIPLE_BLOCK;
  for (size_t c = 0; c < 3; ++c)
    if (!(triple->formula[c] = read_part(value, c, why, size))) return false;
  return true;
}

void sb_formula_triple_clear(sb_formula_triple *triple)
{
  for (size_t c = 0; c < 3; ++c) sb_formula_destroy(&triple->formula[c]);
  free(triple->argument[0]); /* all arrays are one piece */
  *triple = (sb_formula_triple){0};
}

static void evaluate_block(sb_formula_triple *triple, size_t count, const double *point, double *result)
{
  for (size_t i = 0; i < count; ++i)
    for (size_t c = 0; c < 3; ++c) triple->argument[c][i] = point[3 * i + c];
  for (size_t c = 0; c < 3; ++c) {
    sb_formula_evaluate(triple->formula[c], (const double *const *)triple->argument, count, triple->result);
    for (size_t i = 0; i < count; ++i) result[3 * i + c] = triple->result[i];
  }
}

void sb_formula_triple_evaluate(sb_formula_triple *triple, double t_seconds, size_t count, const double *point,
                                double *result)
{
  const size_t longest = count < SB_TRIPLE_BLOCK ? count : SB_TRIPLE_BLOCK;
  for (size_t i = 0; i < longest; ++i) triple->argument[3][i] = t_seconds;
  for (size_t first = 0; first < count; first += SB_TRIPLE_BLOCK) {
    const size_t here = count - first < SB_TRIPLE_BLOCK ? count - first : SB_TRIPLE_BLOCK;
    evaluate_block(triple, here, point + 3 * first, result + 3 * first);
  }
}

bool sb_formula_triple_check(const sb_composite *value, char *why, size_t size)
{
  bool good = true;
  for (size_t c = 0; good && c < 3; ++c) {
    sb_formula *formula = read_part(value, c, why, size);
    good = formula != NULL;
    sb_formula_destroy(&formula);
  }
  return good;
}
