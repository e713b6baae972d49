/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps the text of PETSc's errors; see complaint.h. */
#include "cases/run/complaint.h"

#include <stdio.h>

#include "solvers/linear/ksp_outcome.h"

/* NOLINTNEXTLINE(readability-function-size): an error handler of PETSc's has these parameters. */
PetscErrorCode sb_complaint_take(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code,
                                 PetscErrorType type, const char *message, void *context)
{
  sb_complaint *c = context;
  (void)comm;
  if (type != PETSC_ERROR_INITIAL) return code;
  code = sb_petsc_error_code(code, type, function, message);
  snprintf(c->message, sizeof c->message, "%s", message ? message : "");
  snprintf(c->place, sizeof c->place, " (error %d in %s, %s:%d)", (int)code, function, file, line);
  return code;
}
