/* The claims of a sweep judged against the rows of a results directory: once, when first asked for, and kept with the
 * results. A verdict is data; the words for it stand in one table here. Local; no PETSc. */
#pragma once

#include "harness/results/results.h"

/* A claim becomes one of these; a published finding may also hold, or be contradicted, in part. */
typedef enum {
  SB_REPRODUCED,
  SB_REPRODUCED_IN_PART, /* of a finding: its other claims are not tested */
  SB_NOT_REPRODUCED,
  SB_CONTRADICTED,         /* the claim fails, and the sweep says why our evidence is against it */
  SB_CONTRADICTED_IN_PART, /* of a finding: other claims of it hold */
  SB_CONTRADICTION_GONE,   /* of a claim: it holds, although the sweep says that it should not */
  SB_NOT_COMPARABLE,       /* of a finding: findings.csv says why */
  SB_NOT_TESTED,
  SB_VERDICT_KINDS
} sb_verdict_kind;

typedef struct sb_verdict {
  sb_verdict_kind kind;
  const char     *grounds;         /* our values: "error by grid: 0.04 (10), 0.02 (20)"; "" where not tested */
  const char     *refuted;         /* the cases or clauses that make it false, if it has several; else "" */
  double          margin;          /* by what factor a timing beats the constants it is held against; 0: none */
  const char     *reason;          /* why it is not tested, or what contradicts it; "" */
  size_t          cases, finished; /* of the sweep that it is about; of them with a result here */
  const char     *basis;           /* how many of them it used: "7 of 7 cases (2 diverged)" */
  const char     *told;            /* all of this in one line; "" where there is nothing to say */
} sb_verdict;

/* "reproduced", "NOT REPRODUCED", …; a sign for it: "✓", "✗", …; and "exact", "shape", "time". */
const char *sb_verdict_word(sb_verdict_kind kind);
const char *sb_verdict_sign(sb_verdict_kind kind);
const char *sb_claim_kind_word(sb_claim_kind kind);

/* One verdict for each claim of the sweep, in its order; they live as long as the results. */
const sb_verdict *sb_results_verdicts(const sb_results *results);
/* The verdict decides an exit status: not reproduced, or no longer contradicted; of a claim on times only when
 * `count_time`. */
bool   sb_claim_fails(const sb_claim *claim, const sb_verdict *verdict, bool count_time);
size_t sb_claims_failing(const sb_results *results, bool count_time);
/* Count the sweep's claims by what became of them, and say so: "3 claims: 2 reproduced, 1 not tested". */
void sb_verdicts_count(const sb_results *results, size_t counts[SB_VERDICT_KINDS]);
void sb_claims_summarize(const sb_results *results, FILE *stream);
/* Writes "at 64 substeps it blows up [rope-explicit-64, exact]: status = diverged". */
void sb_claim_write(const sb_claim *claim, const sb_verdict *verdict, FILE *stream);
