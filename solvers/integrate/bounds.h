/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The blow-up test, shared by the integrators: whether a run has left its bounds, and the text for the report. */
#pragma once

#include "solvers/integrate/integrator_method.h"

typedef struct {
  const sb_system     *system;  /* borrowed */
  sb_contact          *contact; /* NULL: none */
  const sb_step_watch *watch;   /* the setup's */
  double               h_seconds, radius;
  double               center[3]; /* m: the last exact centre of mass, see sb_system_array_is_bounded */
} sb_bounds;

void sb_bounds_prepare(sb_bounds *bounds, const sb_integrator_setup *setup);

/* Counts one finished step, the `step`-th of the run, into the report; passes its positions (local array, [owned][3],
 * read) to contact's measures; and tests them. If they are out of bounds, the report gets SB_CASE_DIVERGED and a reason
 * with step, time and vertex. No allocation. Collective; on one rank no message is sent. */
PetscErrorCode sb_bounds_finish_step(sb_bounds *bounds, int64_t step, const double *position,
                                     sb_advance_report *report);

/* The same for positions that are known to be in bounds. */
void sb_bounds_finish_near_step(sb_bounds *bounds, int64_t step, sb_advance_report *report);

/* For the end of a call: a velocity that is not finite, or whose square is not, counts as diverged at step `step`,
 * since the next step would show it in the positions. Collective; on one rank no message is sent. */
PetscErrorCode sb_bounds_check_velocity(const sb_integrator_setup *setup, int64_t step, Vec v,
                                        sb_advance_report *report);
/* Adds the spring farthest from its rest length to the reason of a run that diverged. Collective. */
PetscErrorCode sb_bounds_name_spring(const sb_system *system, Vec x, sb_advance_report *report);
