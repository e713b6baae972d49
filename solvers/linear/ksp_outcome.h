/* What PETSc's verdicts mean as outcomes: one table each, read by backend petsc, each row tested. Local. */
#pragma once

#include <petscksp.h>

#include "base/outcome.h"

/* `truncated`: a fixed number of iterations was asked for. *text is static, never NULL. Positive verdicts become claims
 * (SB_SOLVED, SB_TRUNCATED) that the front checks. */
sb_outcome sb_ksp_outcome(KSPConvergedReason reason, bool truncated, const char **text);
/* Why a preconditioner failed, for KSP_DIVERGED_PC_FAILED. */
sb_outcome sb_pc_outcome(PCFailedReason reason, const char **text);
/* A PetscErrorCode returned from inside a solve or set-up. */
sb_outcome sb_petsc_error_outcome(PetscErrorCode code, const char **text);
/* For error handlers: PETSC_ERR_MEM where an allocator had no memory, whatever it calls that; else the code as it is.
 */
PetscErrorCode sb_petsc_error_code(PetscErrorCode code, PetscErrorType type, const char *function, const char *message);
/* A handler that returns the code to who has to deal with it. */
PetscErrorCode sb_petsc_return_error(MPI_Comm comm, int line, const char *function, const char *file,
                                     PetscErrorCode code, PetscErrorType type, const char *message, void *context);
