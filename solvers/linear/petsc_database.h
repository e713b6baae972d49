/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inserts the options of a text (petsc_text.h) into PETSc's database, with the prefix of the object that reads them,
 * and removes them again. Collective. */
#pragma once

#include <petscsys.h>

/* Returns a prefix that no other object of the process has: `base`, or "base_no2_" and so on while others have that.
 * The process has one database: objects of one prefix would read, and remove, each other's options. */
char *sb_petsc_prefix_take(const char *base);
/* Frees it; NULL is accepted. */
void sb_petsc_prefix_give_back(char *prefix);
/* Only -log_view has no prefix and is not removed, because PETSc reads it when the process ends. */
PetscErrorCode sb_petsc_database_insert(const char *text, const char *prefix);
PetscErrorCode sb_petsc_database_remove(const char *text, const char *prefix);
/* PETSC_ERR_USER for an option that is unread after all objects have read theirs: it is misspelt, or for something
 * else. `option` names the text. */
PetscErrorCode sb_petsc_database_check_read(const char *text, const char *prefix, const char *option);
/* Calls `build`, which reads the options of a text. Errors of PETSc become PETSC_ERR_USER "PETSc refuses option='text':
 * …". */
PetscErrorCode sb_petsc_obey(MPI_Comm comm, PetscErrorCode (*build)(void *state), void *state, const char *option,
                             const char *text);
/* PETSc's message for the error that was just caught; never NULL. */
const char *sb_petsc_caught_message(PetscErrorCode code);
