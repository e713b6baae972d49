/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See minimizer_counts.h. */
#include "drivers/minimizer_counts.h"

#include <math.h>

void sb_minimizer_counts_add(sb_advance_report *counts, const sb_advance_report *report)
{
  counts->steps_done += report->steps_done;
  counts->unconverged += report->unconverged;
  counts->inaccurate += report->inaccurate;
  counts->minimizer_iterations += report->minimizer_iterations;
  counts->linear_iterations += report->linear_iterations;
  counts->projected += report->projected;
  counts->residual = sb_worse_residual(counts->residual, report->residual);
  counts->traffic = sb_traffic_plus(counts->traffic, 1, report->traffic);
}

static PetscErrorCode record_traffic(const sb_advance_report *counts, MPI_Comm comm, sb_recorder *recorder)
{
  double      sent[2] = {counts->traffic.messages, counts->traffic.bytes};
  PetscMPIInt ranks;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  if (ranks == 1) PetscFunctionReturn(0);
  const double steps = (double)counts->steps_done;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sent, 2, MPI_DOUBLE, MPI_SUM, comm));
  PetscCall(SB_RECORD(recorder, {"messages_mean", sent[0] / steps}, {"message_bytes_mean", sent[1] / steps},
                      {"reductions_mean", counts->traffic.reductions / steps}));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_minimizer_counts_record(const sb_advance_report *counts, const sb_case *c, sb_integrator *integrator,
                                          sb_recorder *recorder)
{
  const double steps = (double)counts->steps_done;
  const char  *package = sb_integrator_package(integrator);

  PetscFunctionBeginUser;
  PetscCall(sb_recorder_word(recorder, "linear_used", package));
  if (counts->steps_done == 0) PetscFunctionReturn(0);
  if (!package) PetscCall(record_traffic(counts, c->comm, recorder));
  if (!sb_integrator_minimizer(integrator)) PetscFunctionReturn(0);
  PetscCall(sb_recorder_real(recorder, "minimizer_iterations_mean", (double)counts->minimizer_iterations / steps));
  PetscCall(sb_recorder_real(recorder, "linear_iterations_mean", (double)counts->linear_iterations / steps));
  PetscCall(sb_setup_projected(c, recorder, (double)counts->projected / steps));
  if (!isnan(counts->residual)) PetscCall(sb_recorder_real(recorder, "residual_worst", counts->residual));
  PetscFunctionReturn(0);
}
