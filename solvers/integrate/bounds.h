/* Has a run left its bounds? Shared by the integrators: the test after every step and the words for the report. */
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

/* Counts one finished step, the `step`-th of the run, into the report, shows the positions it led to to contact's
 * measures, and tests them: local array, [owned][3] is read. When they have left the bounds the report gets
 * SB_CASE_DIVERGED and a reason that names step, time and vertex. No allocation. Collective; on one rank nothing is
 * sent. */
PetscErrorCode sb_bounds_finish_step(sb_bounds *bounds, int64_t step, const double *position,
                                     sb_advance_report *report);

/* At the end of a call: a velocity that is not finite, or whose square is not, has diverged too, at step `step`: the
 * next step would have shown it in the positions. Collective; on one rank nothing is sent. */
PetscErrorCode sb_bounds_check_velocity(const sb_integrator_setup *setup, int64_t step, Vec v,
                                        sb_advance_report *report);
/* Adds to the reason of a run that diverged which spring is farthest from its rest length. Collective. */
PetscErrorCode sb_bounds_name_spring(const sb_system *system, Vec x, sb_advance_report *report);
