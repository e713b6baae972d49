/* See work.h. */
#include "drivers/work.h"

#include <math.h>

void sb_work_add(sb_work *work, const sb_advance_report *report)
{
  work->steps_done += report->steps_done;
  work->unconverged += report->unconverged;
  work->inaccurate += report->inaccurate;
  work->minimizer_iterations += report->minimizer_iterations;
  work->linear_iterations += report->linear_iterations;
  work->projected += report->projected;
  work->residual = fmax(work->residual, report->residual);
}

PetscErrorCode sb_work_record(const sb_work *work, const sb_case *c, sb_recorder *recorder)
{
  const double steps = (double)work->steps_done;

  PetscFunctionBeginUser;
  if (work->steps_done == 0) PetscFunctionReturn(0);
  PetscCall(sb_recorder_real(recorder, "minimizer_iterations_mean", (double)work->minimizer_iterations / steps));
  PetscCall(sb_recorder_real(recorder, "linear_iterations_mean", (double)work->linear_iterations / steps));
  PetscCall(sb_setup_projected(c, recorder, (double)work->projected / steps));
  PetscCall(sb_recorder_real(recorder, "residual_worst", work->residual));
  PetscFunctionReturn(0);
}
