/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges the claims of a sweep against the rows of a results directory: once, at the first request, and kept with the
 * results. A verdict is data; its words are in one table here. Local; no PETSc. */
#pragma once

#include "harness/results/results.h"

/* The verdict on a claim; a published finding may also hold, or be contradicted, in part. */
typedef enum {
  SB_REPRODUCED,
  SB_REPRODUCED_IN_PART, /* a finding: its other claims are not tested */
  SB_NOT_REPRODUCED,
  SB_CONTRADICTED,         /* the claim fails, and the sweep gives the reason why our evidence contradicts it */
  SB_CONTRADICTED_IN_PART, /* a finding: other claims of it hold */
  SB_CONTRADICTION_GONE,   /* a claim: it holds, although the sweep expects that it does not */
  SB_NOT_COMPARABLE,       /* a finding: findings.csv gives the reason */
  SB_NOT_TESTED,
  SB_VERDICT_KINDS
} sb_verdict_kind;

typedef struct sb_verdict {
  sb_verdict_kind kind;
  const char     *grounds; /* our values: "error by grid: 0.04 (10), 0.02 (20)"; "" if not tested */
  const char     *refuted; /* the cases or clauses that make it false, if it has several; else "" */
  double          margin;  /* factor between a timing and the constant that it must be below; 0: none */
  const char     *reason;  /* why it is not tested, or what contradicts it; else "" */
  bool            so_far;  /* not tested, but it holds of the cases that are here */
  const char     *basis;   /* how many of its cases it used: "7 of 7 cases (2 diverged)" */
  const char     *told;    /* all of this in one line; "" if there is nothing to report */
} sb_verdict;

/* "reproduced", "NOT REPRODUCED", …; a sign for it: "✓", "✗", …; and "exact", "shape", "time". */
const char *sb_verdict_word(sb_verdict_kind kind);
const char *sb_verdict_sign(sb_verdict_kind kind);
const char *sb_claim_kind_word(sb_claim_kind kind);

/* One verdict for each claim of the sweep, in its order; they live as long as the results. */
const sb_verdict *sb_results_verdicts(const sb_results *results);
/* True if the verdict affects the exit status: not reproduced, or no longer contradicted; for a claim on times only if
 * `count_time`. */
bool   sb_claim_fails(const sb_claim *claim, const sb_verdict *verdict, bool count_time);
size_t sb_claims_failing(const sb_results *results, bool count_time);
/* Counts the sweep's claims by verdict; returns how many of those that are not tested hold so far. The second prints "3
 * claims: 2 reproduced, 1 not tested". */
size_t sb_verdicts_count(const sb_results *results, size_t counts[SB_VERDICT_KINDS]);
void   sb_claims_summarize(const sb_results *results, FILE *stream);
/* Writes "at 64 substeps it blows up [rope-explicit-64, exact]: status = diverged". `finding`: that it answers; NULL:
 * none. */
void sb_claim_write(const sb_claim *claim, const char *finding, const sb_verdict *verdict, FILE *stream);
