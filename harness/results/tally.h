/* How the cases of a results directory stand, counted in one way for status, pages, claims and the last line of a run,
 * and the one sentence that says how many times are in doubt. Local; no PETSc. */
#pragma once

#include "base/arena.h"
#include "harness/results/results.h"
#include "harness/store/journal.h"

typedef struct {
  size_t cases, of[SB_STATUS_COUNT];
  size_t missing; /* have no status: they have not run, or their file is gone */
  size_t pending; /* these, and what was interrupted: to be run by the next `run` */
  size_t failed;  /* ended without a result */
  size_t noisy;   /* timed while the machine was not quiet */
} sb_tally;

/* Tells the state of the case in this row from its status, which knows of no build: it is never SB_STATE_STALE. */
sb_case_state sb_row_state(const sb_rows *rows, size_t row);
bool          sb_row_noisy(const sb_rows *rows, size_t row);
/* Counts the rows in `selected` [rows], or with NULL all of them. */
sb_tally sb_tally_of(const sb_rows *rows, const bool *selected);
/* Writes what there is of each: "4 ok, 8 diverged, 2 not run". */
void sb_tally_write(const sb_tally *tally, FILE *stream);
/* Says "2 of 15 cases were timed while the machine was noisy; --rerun noisy times them again", for whatever shows times
 * of so many cases. NULL where none is noisy. */
const char *sb_noise_note(sb_arena *arena, size_t noisy, size_t cases);
