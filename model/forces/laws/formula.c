/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A law by formulas in r, l (m) and k (N/m): law_energy E, law_force E' and law_stiffness E''. */
#include "base/option_ids.h"
#include "model/forces/law.h"
#include "model/maths/formula.h"

#include <math.h>
#include <stdio.h>

enum { FORMULAS = 3 };

typedef struct {
  sb_formula *formula[FORMULAS];
} formulas;

static bool prepare(void *state, const sb_options *options, sb_diagnostics *diagnostics)
{
  static const sb_option_id ids[FORMULAS] = {SB_OPT_law_energy, SB_OPT_law_force, SB_OPT_law_stiffness};
  formulas                 *f = state;
  char                      why[256];
  for (int i = 0; i < FORMULAS; ++i) {
    const char *text = sb_options_text(options, ids[i]);
    if (*text == '\0')
      return sb_error_at(diagnostics, sb_options_location(options, SB_OPT_law), "E106",
                         "law=formula needs %s, a formula in r, l and k", sb_option_at(ids[i])->name);
    f->formula[i] = sb_formula_create(text, (const char *const[]){"r", "l", "k"}, 3, why, sizeof why);
    if (!f->formula[i]) return sb_error_at(diagnostics, sb_options_location(options, ids[i]), "E104", "%s", why);
  }
  return true;
}

static void evaluate(void *state, const sb_law_points *p)
{
  const formulas *f = state;
  double *const   result[FORMULAS] = {p->energy, p->first, p->second};
  for (int i = 0; i < FORMULAS; ++i)
    sb_formula_evaluate(f->formula[i], (const double *const[]){p->length, p->rest_length, p->stiffness},
                        (size_t)p->count, result[i]);
}

static void destroy(void *state)
{
  formulas *f = state;
  for (int i = 0; i < FORMULAS; ++i) sb_formula_destroy(&f->formula[i]);
}

const sb_law_method sb_law_formula = {.name = "formula",
                                      .summary = "formulas in r, l and k for E, E' and E''",
                                      .reads = "law_energy law_force law_stiffness",
                                      .state_bytes = sizeof(formulas),
                                      .prepare = prepare,
                                      .evaluate = evaluate,
                                      .bounds = {-INFINITY, INFINITY, true},
                                      .destroy = destroy};
