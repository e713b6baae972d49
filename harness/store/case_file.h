/* The life of one case file, for the `case` command: create a recorder, run the driver, finish. And reading it back. */
#pragma once

#include <stdio.h>

#include "harness/store/driver.h"

typedef struct {
  const char *path;         /* where to write; NULL: nothing is stored, the row is still made */
  const char *samples_from; /* an earlier repetition's file whose samples join this one's; NULL: none */
  const char *command;      /* the line that repeats the case */
  const char *key;
} sb_case_target;

/* Collective. Storage errors, here and in all calls on the recorder: PETSC_ERR_FILE_WRITE on rank 0, with a message
 * that names path and cause; then destroy the recorder and leave by _exit. After PETSC_ERR_USER *recorder is to be
 * destroyed too. */
PetscErrorCode sb_recorder_create(const sb_case *c, const sb_driver *driver, const sb_case_target *target,
                                  sb_recorder **recorder);
/* Writes provenance and attributes, closes, checks every return value, fsyncs, renames. */
PetscErrorCode sb_recorder_finish(sb_recorder *recorder);
PetscErrorCode sb_recorder_destroy(sb_recorder **recorder);
/* The row as one line of JSON (malloc'ed; rank 0, else NULL): {"key", "status", "reason", "accuracy_ok", "digest",
 * "wall_s", "max_rss_bytes", "columns": {name: number|string|null}}. After finish. */
char     *sb_recorder_row_json(const sb_recorder *recorder);
sb_status sb_recorder_status_now(const sb_recorder *recorder);

/* Reading, Local, no PETSc calls: the curves of a finished file, long format. Calls visit once a run with its columns.
 * False and a message in error[256] when the file cannot be read. */
typedef struct {
  const char        *run;
  size_t             count, columns;
  const char *const *names, *const *units;
  const double *const *values; /* [columns][count] */
} sb_curve_run;
bool sb_case_file_curves(const char *path, bool (*visit)(void *context, const sb_curve_run *run), void *context,
                         char error[256]);
/* Whether the file is one that a case has written. */
bool sb_case_file_is_one(const char *path);
/* The row stored in the file, as JSON text (malloc'ed), NULL on error. */
char *sb_case_file_row_json(const char *path, char error[256]);
