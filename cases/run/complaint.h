/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps the text of PETSc's errors, in place of its traces. Local. */
#pragma once

#include <petscsys.h>

/* The latest error, and where it was raised: " (error 55 in FUNCTION, FILE:LINE)". Empty: none. */
typedef struct {
  char message[1024], place[512];
} sb_complaint;

/* An error handler, for PetscPushErrorHandler with a complaint as context. */
PetscErrorCode sb_complaint_take(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code,
                                 PetscErrorType type, const char *message, void *context);
