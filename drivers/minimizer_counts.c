/* See minimizer_counts.h. */
#include "drivers/minimizer_counts.h"

#include <math.h>

void sb_minimizer_counts_add(sb_minimizer_counts *counts, const sb_advance_report *report)
{
  counts->steps_done += report->steps_done;
  counts->unconverged += report->unconverged;
  counts->inaccurate += report->inaccurate;
  counts->minimizer_iterations += report->minimizer_iterations;
  counts->linear_iterations += report->linear_iterations;
  counts->projected += report->projected;
  counts->residual = fmax(counts->residual, report->residual);
}

PetscErrorCode sb_minimizer_counts_record(const sb_minimizer_counts *counts, const sb_case *c, sb_recorder *recorder)
{
  const double steps = (double)counts->steps_done;

  PetscFunctionBeginUser;
  if (counts->steps_done == 0) PetscFunctionReturn(0);
  PetscCall(sb_recorder_real(recorder, "minimizer_iterations_mean", (double)counts->minimizer_iterations / steps));
  PetscCall(sb_recorder_real(recorder, "linear_iterations_mean", (double)counts->linear_iterations / steps));
  PetscCall(sb_setup_projected(c, recorder, (double)counts->projected / steps));
  PetscCall(sb_recorder_real(recorder, "residual_worst", counts->residual));
  PetscFunctionReturn(0);
}
