/* Work of the minimiser in the steps of a run, over all calls of the integrator. */
#pragma once

#include "drivers/setup.h"

typedef struct {
  int64_t steps_done, unconverged, inaccurate; /* as sb_advance_report counts them */
  long    minimizer_iterations, linear_iterations, projected;
  double  residual; /* the worst */
} sb_work;

/* The columns that sb_work_record fills: for the tables of drivers. */
#define SB_WORK_COLUMNS                                                                                                \
  {"minimizer_iterations_mean", "", "minimiser iterations per step", .timing = false},                                 \
      {"linear_iterations_mean", "", "linear iterations per step", .timing = false},                                   \
      {"projected_mean", "",                                                                                           \
       "Hessians per step that were indefinite and projected; blank: hessian does not test that", .timing = false},    \
  {                                                                                                                    \
    "residual_worst", "", "worst relative residual of a linear solve", .timing = false                                 \
  }

void sb_work_add(sb_work *work, const sb_advance_report *report);
/* Blank if no step was done. */
PetscErrorCode sb_work_record(const sb_work *work, const sb_case *c, sb_recorder *recorder);
