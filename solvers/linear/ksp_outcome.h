/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The outcomes of PETSc's verdicts: one table each, used by backend petsc, each row tested. Local. */
#pragma once

#include <petscksp.h>

#include "base/outcome.h"

/* `truncated`: the caller set a fixed number of iterations. *text is static, never NULL. Positive verdicts become
 * claims (SB_SOLVED, SB_TRUNCATED) that the front checks. */
sb_outcome sb_ksp_outcome(KSPConvergedReason reason, bool truncated, const char **text);
/* The reason why a preconditioner failed, for KSP_DIVERGED_PC_FAILED. */
sb_outcome sb_pc_outcome(PCFailedReason reason, const char **text);
/* A PetscErrorCode returned from inside a solve or setup. */
sb_outcome sb_petsc_error_outcome(PetscErrorCode code, const char **text);
/* For error handlers: PETSC_ERR_MEM if an allocator, under any code, had no memory; else the code itself. */
PetscErrorCode sb_petsc_error_code(PetscErrorCode code, PetscErrorType type, const char *function, const char *message);
/* An error handler that returns the code to the caller. */
PetscErrorCode sb_petsc_return_error(MPI_Comm comm, int line, const char *function, const char *file,
                                     PetscErrorCode code, PetscErrorType type, const char *message, void *context);
