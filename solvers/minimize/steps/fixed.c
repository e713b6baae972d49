/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same part of every step: a = step_length. On (laplacian, none) the best in the long run is 2/(2 - rho), rho the
 * largest eigenvalue of I - P^-1 H, which contracts by rho/(2 - rho). */
#include "solvers/minimize/descent.h"

typedef struct {
  double length;
} fixed;

static PetscErrorCode prepare(void *state, const sb_descent *descent, const sb_options *options)
{
  (void)descent;
  ((fixed *)state)->length = SB_REAL(options, step_length);
  return 0;
}

static PetscErrorCode take(void *state, sb_descent *descent)
{
  const double length = ((fixed *)state)->length;

  PetscFunctionBeginUser;
  PetscCall(sb_system_add_unknowns(descent->system, -length, descent->direction, descent->z));
  descent->length = length;
  PetscFunctionReturn(0);
}

const sb_step_rule sb_step_rule_fixed = {.name = "fixed",
                                         .summary = "the same multiple of every step",
                                         .uses = "step_length",
                                         .state_bytes = sizeof(fixed),
                                         .prepare = prepare,
                                         .take = take};
