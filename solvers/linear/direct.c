/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The choice of the backend behind a direct solver; see direct.h. */
#include "solvers/linear/direct.h"

PetscErrorCode sb_direct_configure(sb_direct *direct, MPI_Comm comm, MatFactorType kind, const sb_direct_half *serial,
                                   void *half, int columns)
{
  PetscMPIInt ranks;

  PetscFunctionBeginUser;
  direct->mumps.kind = kind;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  if (ranks > 1) PetscFunctionReturn(0);
  direct->serial = serial;
  direct->half = half;
  PetscCall(serial->configure(half, columns));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_direct_analyze(void *state, Mat A, bool definite)
{
  sb_direct *d = state;
  (void)definite; /* the test costs nothing, so the claim is not needed */
  return d->serial ? d->serial->analyze(d->half, A) : sb_mumps_analyze(&d->mumps, A);
}

PetscErrorCode sb_direct_predict(const void *state, sb_factor_forecast *price)
{
  const sb_direct *d = state;

  PetscFunctionBeginUser;
  *price = d->serial && d->serial->predict ? d->serial->predict(d->half) : (sb_factor_forecast){0};
  if (!d->serial) PetscCall(sb_mumps_predict(&d->mumps, price));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_direct_factor(void *state, Mat A, sb_outcome *outcome, sb_factor_facts *facts)
{
  sb_direct *d = state;
  return d->serial ? d->serial->factorize(d->half, A, outcome, facts)
                   : sb_mumps_factorize(&d->mumps, A, outcome, facts);
}

PetscErrorCode sb_direct_solve(void *state, Vec b, Vec x, const sb_goal *goal, sb_solve_report *report)
{
  sb_direct *d = state;
  (void)goal;
  return d->serial ? d->serial->solve(d->half, b, x, report) : sb_mumps_solve(&d->mumps, b, x, report);
}

PetscErrorCode sb_direct_solve_columns(void *state, Vec b, Vec x, const sb_goal *goal, sb_solve_report *report)
{
  sb_direct *d = state;
  return d->serial ? d->serial->solve_columns(d->half, b, x, report)
                   : sb_mumps_solve_columns(&d->mumps, b, x, goal, report);
}

PetscErrorCode sb_direct_destroy(void *state)
{
  sb_direct *d = state;

  PetscFunctionBeginUser;
  if (d->serial) PetscCall(d->serial->destroy(d->half));
  PetscCall(sb_mumps_destroy(&d->mumps));
  PetscFunctionReturn(0);
}
