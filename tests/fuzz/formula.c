/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formulas of fields and paths: what is accepted gives the same bits each time, singly and in bulk. */
#include <stdlib.h>
#include <string.h>

#include "model/maths/formula.h"
#include "tests/fuzz/fuzz.h"

enum { VARIABLES = 4, POINTS = 520 /* more than are taken singly */, FEW = 3 };

static double *make_arguments(void)
{
  double *values = malloc(VARIABLES * POINTS * sizeof *values);
  if (!values) abort();
  for (size_t i = 0; i < VARIABLES * POINTS; ++i) values[i] = i % POINTS == 0 ? 0.0 : (double)(i % 97) / 16.0 - 3.0;
  return values;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char *const names[VARIABLES] = {"x", "y", "z", "t"};
  static double           *values;
  if (!values) values = make_arguments();
  const double *arguments[VARIABLES];
  for (size_t i = 0; i < VARIABLES; ++i) arguments[i] = values + i * POINTS;
  double      few[FEW] = {0}, many[POINTS] = {0};
  char       *text = fuzz_text(data, size), why[256] = "";
  sb_formula *formula = sb_formula_create(text, names, VARIABLES, why, sizeof why);
  fuzz_require(formula || *why, "a refusal has a reason");
  if (formula) {
    sb_formula_evaluate(formula, arguments, FEW, few);
    if (size < 64) {
      sb_formula_evaluate(formula, arguments, POINTS, many);
      fuzz_require(memcmp(few, many, sizeof few) == 0, "bulk and single evaluation give the same bits");
    }
    sb_formula_evaluate(formula, arguments, FEW, many);
    fuzz_require(memcmp(few, many, sizeof few) == 0, "evaluation can be repeated");
  }
  sb_formula_destroy(&formula);
  free(text);
  return 0;
}
