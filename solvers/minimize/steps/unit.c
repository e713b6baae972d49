/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The whole step: a = 1. */
#include "solvers/minimize/descent.h"

static PetscErrorCode take(void *state, sb_descent *descent)
{
  PetscFunctionBeginUser;
  (void)state;
  PetscCall(sb_system_add_unknowns(descent->system, -1, descent->direction, descent->z));
  descent->length = 1;
  PetscFunctionReturn(0);
}

const sb_step_rule sb_step_rule_unit = {.name = "unit", .summary = "the whole step, without a test of g", .take = take};
