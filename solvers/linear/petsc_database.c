/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A text's options in PETSc's database; see petsc_database.h. */
#include "solvers/linear/petsc_database.h"

#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "solvers/linear/ksp_outcome.h"
#include "solvers/linear/petsc_text.h"

enum { NAME_MAX_LENGTH = 160 };

static char **taken; /* [taken_count] */
static size_t taken_count;

static size_t find_taken(const char *prefix)
{
  size_t i = 0;
  while (i < taken_count && strcmp(taken[i], prefix) != 0) ++i;
  return i;
}

/* PETSc reads "_2_" as the level of a multigrid, and gives it the options of the prefix without it. */
char *sb_petsc_prefix_take(const char *base)
{
  char *prefix = sb_copy_text(base);
  for (int number = 2; find_taken(prefix) < taken_count; ++number) {
    free(prefix);
    prefix = sb_format("%sno%d_", base, number);
  }
  taken = sb_grow(taken, taken_count, sizeof *taken);
  return taken[taken_count++] = prefix;
}

void sb_petsc_prefix_give_back(char *prefix)
{
  const size_t i = prefix ? find_taken(prefix) : taken_count;
  if (i < taken_count) taken[i] = taken[--taken_count];
  if (taken_count == 0) {
    free(taken);
    taken = NULL;
  }
  free(prefix);
}

/* Entry as "-prefix_name", the form in the database, with its '-'. */
static PetscErrorCode full_name(const char *prefix, const sb_petsc_entry *entry, char name[NAME_MAX_LENGTH])
{
  PetscFunctionBeginUser;
  PetscCheck(strlen(prefix) + entry->name_length < NAME_MAX_LENGTH, PETSC_COMM_SELF, PETSC_ERR_USER,
             "petsc: the option %.*s is too long", (int)entry->name_length, entry->name);
  PetscCall(PetscSNPrintf(name, NAME_MAX_LENGTH, "-%s%.*s", prefix, (int)entry->name_length - 1, entry->name + 1));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_petsc_database_insert(const char *text, const char *prefix)
{
  const char    *cursor = text;
  sb_petsc_entry entry;
  char           name[NAME_MAX_LENGTH];

  PetscFunctionBeginUser;
  while (sb_petsc_text_next(&cursor, &entry)) { /* PETSc's own reader would split some texts in another way */
    SB_OWNED char *value = sb_copy_span(entry.value, entry.value_length);
    PetscCall(full_name(prefix, &entry, name));
    PetscCall(PetscOptionsSetValue(NULL, name, entry.value_length > 0 ? value : NULL));
  }
  if (!sb_petsc_text_find(text, "-log_view", NULL)) PetscFunctionReturn(0);
  PetscCall(PetscLogDefaultBegin());
  PetscCall(PetscOptionsSetValue(NULL, "-log_view", NULL));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_petsc_database_remove(const char *text, const char *prefix)
{
  const char    *cursor = text;
  sb_petsc_entry entry;
  char           name[NAME_MAX_LENGTH];

  PetscFunctionBeginUser;
  while (sb_petsc_text_next(&cursor, &entry)) {
    PetscCall(full_name(prefix, &entry, name));
    PetscCall(PetscOptionsClearValue(NULL, name));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode sb_petsc_database_check_read(const char *text, const char *prefix, const char *option)
{
  const char    *cursor = text;
  sb_petsc_entry entry;
  char           name[NAME_MAX_LENGTH];
  PetscBool      used;

  PetscFunctionBeginUser;
  while (sb_petsc_text_next(&cursor, &entry)) {
    PetscCall(full_name(prefix, &entry, name));
    if (sb_petsc_text_reports(&entry)) continue; /* read when there is something to report */
    PetscCall(PetscOptionsUsed(NULL, name + 1, &used));
    PetscCheck(used, PETSC_COMM_SELF, PETSC_ERR_USER,
               "%s: no object read %.*s; it is misspelt, or for another method or preconditioner", option,
               (int)entry.name_length, entry.name);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode sb_petsc_obey(MPI_Comm comm, PetscErrorCode (*build)(void *state), void *state, const char *option,
                             const char *text)
{
  PetscFunctionBeginUser;
  PetscCall(PetscPushErrorHandler(sb_petsc_return_error, NULL));
  const PetscErrorCode failed = build(state);
  PetscCall(PetscPopErrorHandler());
  PetscCheck(!failed, comm, PETSC_ERR_USER, "PETSc refuses %s='%s': %s", option, text, sb_petsc_caught_message(failed));
  PetscFunctionReturn(0);
}

const char *sb_petsc_caught_message(PetscErrorCode code)
{
  const char *general = NULL;
  char       *specific = NULL;
  if (PetscErrorMessage((int)code, &general, &specific)) return "an error without a message";
  return specific && *specific ? specific : general ? general : "an error without a message";
}
