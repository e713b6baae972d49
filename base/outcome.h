/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Outcomes of solves and cases. A disappointing result is a value, never an error: see docs/outcomes.md.
 *
 * `sb_outcome` is for one linear solve or factorisation, `sb_status` for one case of a sweep. Local. */
#pragma once

#include <stdbool.h>

/* The outcome of one linear solve or factorisation. Only SB_SOLVED and SB_TRUNCATED give a usable answer. */
typedef enum {
  SB_SOLVED,     /* within tolerance by the recomputed residual */
  SB_TRUNCATED,  /* ran the requested number of iterations (tolerance 0); finite, residual did not grow */
  SB_STALLED,    /* ran out of iterations, or the recomputed residual is above the tolerance that the solver claimed */
  SB_NOT_SPD,    /* the matrix was found not to be positive definite */
  SB_SINGULAR,   /* a zero or subnormal pivot, an empty row */
  SB_DIVERGED,   /* the residual grew */
  SB_NOT_FINITE, /* NaN or Inf in matrix, right-hand side or solution */
  SB_FAILED,     /* the library itself reported an error */
  SB_SKIPPED,    /* not attempted (predicted memory, a combination refused) */
  SB_OUTCOME_COUNT
} sb_outcome;

/* The status of one case. The first six are results, the rest failures. */
typedef enum {
  SB_OK,
  SB_CASE_DIVERGED,
  SB_CASE_NOT_CONVERGED,
  SB_CASE_NOT_SPD,
  SB_CASE_CONTACT_UNRESOLVED, /* layers would have met, and the filter found no way round */
  SB_CASE_SKIPPED,
  SB_CASE_TIMEOUT,
  SB_CASE_OOM,
  SB_CASE_CRASHED,
  SB_CASE_ERROR,
  SB_CASE_INTERRUPTED,
  SB_STATUS_COUNT
} sb_status;

const char *sb_outcome_name(sb_outcome outcome); /* "solved", "truncated", … */
bool        sb_outcome_accepted(sb_outcome outcome);

const char *sb_status_name(sb_status status); /* "ok", "diverged", "not_converged", … as in results files */
bool        sb_status_from_name(const char *name, sb_status *status);
bool        sb_status_is_result(sb_status status); /* false: a failure, which --rerun failed repeats */
/* False if the status means that the run broke off and cannot be continued. Runs of other statuses may have broken off
 * as well: the row says so (recorder.h). */
bool sb_status_goes_on(sb_status status);
bool sb_status_is_timed(sb_status status); /* true: the case is timed as often as requested; false: once */
/* The status of a case with a step whose solve was not accepted: not_spd for SB_NOT_SPD, else not_converged. */
sb_status sb_status_of_outcome(sb_outcome outcome);
