/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cases of the store's own tests, without a command line. Their drivers solve nothing: every number is prescribed, so
 * that what is read back is known. */
#pragma once

#include "tests/cmocka_all.h"

#include "base/allocate.h"
#include "cases/store/case_writer.h"
#include "harness/sweep/plan.h"

#define SUCCEED(call) assert_int_equal((call), 0)

/* Position and velocity of vertex i, axis a, in frame k: the same on any number of ranks. `start` is the pose's. */
double walk_position(double start, int64_t frame, int64_t vertex, int axis);
double walk_velocity(int64_t frame, int64_t vertex, int axis);

/* The drivers "trajectory" (a walk of time.frames frames with curves, samples and all columns), "diverging",
 * "nameless" (raises PETSC_ERR_USER), "failing" (status error), "broken" (a PETSc error), "aborting" (a signal),
 * "not_finite" (a frame of NaN), "forwards" and "backwards" (frames only, velocities of opposite sign),
 * "everything" (a little of whatever a recorder can store). */
const sb_vocabulary *walk_vocabulary(void);
const sb_driver     *walk_driver(const char *name);

typedef struct {
  sb_case      c;
  sb_options  *options;
  char         key[SB_KEY_LENGTH + 1];
  char        *command;
  sb_recorder *recorder;
} fixture;

/* Options: pairs such as "save=none", NULL-ended (NULL: none), over a cloth of 2x2 cells and 7 frames. */
void fixture_create(fixture *f, const char *const *pairs);
void fixture_destroy(fixture *f);
/* A recorder for this driver that writes to `path` (may be NULL), with samples of another file (may be NULL). */
PetscErrorCode fixture_record(fixture *f, const sb_driver *driver, const char *path, const char *samples_from);
/* The row of what was recorded, once finished (rank 0; NULL elsewhere). */
json_t *fixture_finish(fixture *f);

/* All of it: the row of a case that this driver ran, stored as `name` (fixture_path; NULL: nowhere). */
typedef struct {
  const char *driver, *save, *name, *samples_from; /* driver NULL: "trajectory"; save NULL: the options' default */
  const char *const *pairs;
  int                repetition;
} fixture_order;
json_t *fixture_store(const fixture_order *order);

/* A member, or a column, as text; "(none)" where there is none. */
const char *fixture_text(const json_t *row, const char *group, const char *name);

/* "run: column (unit) value value … column …", a line on this stream: for sb_case_file_curves. */
bool fixture_print_run(void *stream, const char *run, const sb_stored_columns *columns);

int fixture_rank(void);
/* "<ranks>_<name>.h5" in the working directory, so that runs on several ranks keep apart. */
const char *fixture_path(const char *name, char buffer[64]);
/* Opens the stored file of this name for reading; what it is closed by asserts that nothing failed. */
hid_t fixture_open(const char *name);
void  fixture_close(hid_t file);
/* From here on PETSc errors are not printed, until SUCCEED(PetscPopErrorHandler()). */
void fixture_hush(void);
/* Runs the group between PetscInitialize and PetscFinalize. */
int fixture_main(int argc, char **argv, int (*run_group)(void));
