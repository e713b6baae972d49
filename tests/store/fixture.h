/* A case of the walking drivers, without a command line. */
#pragma once

#include "tests/cmocka_all.h"

#include "harness/store/case_file.h"
#include "harness/sweep/plan.h"

#define SUCCEED(call) assert_int_equal((call), 0)

typedef struct {
  sb_case      c;
  sb_options  *options;
  char         key[SB_KEY_LENGTH + 1];
  char        *command;
  sb_recorder *recorder;
} fixture;

/* Options: pairs such as "save=none", NULL-ended, over a cloth of 2x2 cells and 7 frames. */
void fixture_create(fixture *f, const char *const *pairs);
void fixture_destroy(fixture *f);

/* Runs `driver`, stored in `path` (may be NULL); returns the row (rank 0; NULL elsewhere), to be freed. */
char *fixture_run(fixture *f, const char *driver, const char *path, const char *samples_from);
/* The digest of such a run without a file, into digest[33] on rank 0. */
void fixture_digest(const char *driver, const char *const *pairs, char digest[33]);

int fixture_rank(void);
/* "<ranks>_<name>.h5" in the working directory, so that runs on several ranks keep apart. */
const char *fixture_path(const char *name, char buffer[64]);
/* Runs the group between PetscInitialize and PetscFinalize. */
int fixture_main(int argc, char **argv, int (*run_group)(void));
