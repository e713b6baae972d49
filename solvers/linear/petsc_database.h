/* Options of a text (petsc_text.h) in PETSc's database, under the prefix of the object that reads them, and out again
 * with it. Collective. */
#pragma once

#include <petscsys.h>

/* -log_view alone has no prefix and stays, because PETSc obeys it when the process ends. */
PetscErrorCode sb_petsc_database_insert(const char *text, const char *prefix);
PetscErrorCode sb_petsc_database_remove(const char *text, const char *prefix);
/* PETSC_ERR_USER for an option that nothing has read, when everything that reads options has: it is misspelt, or for
 * something else. `option` names the text. */
PetscErrorCode sb_petsc_database_check_read(const char *text, const char *prefix, const char *option);
/* Calls what reads the options of a text. PETSc's errors are the user's then: PETSC_ERR_USER "PETSc refuses
 * option='text': …". */
PetscErrorCode sb_petsc_obey(MPI_Comm comm, PetscErrorCode (*build)(void *state), void *state, const char *option,
                             const char *text);
/* The message PETSc wrote for the error that was just caught; never NULL. */
const char *sb_petsc_caught_message(PetscErrorCode code);
