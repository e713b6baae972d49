/* How far one case is, as the journal and the files of a results directory tell. That a case is running at this moment
 * is known to its runner alone: here it counts as what it was before. Local; no PETSc. */
#pragma once

#include "harness/store/journal.h"

typedef enum {
  SB_STATE_PLANNED, /* the journal has nothing of it */
  SB_STATE_PENDING, /* its latest attempt was cut short, or its published file is gone: it is to be run again */
  SB_STATE_FAILED,  /* its latest attempt ended without a result */
  SB_STATE_STALE,   /* it has a result, of another build or another machine */
  SB_STATE_DONE     /* it has a result, and the file of it is there */
} sb_case_state;

/* The state of the case with this key in `directory`, whose journal was read. `build` and `machine` are those of now;
 * with NULL in their place no result is stale. */
sb_case_state sb_case_state_of(const sb_journal_state *journal, const char *directory, const char *key,
                               const char *build, const char *machine);
