/* The whole sweep, as far as it is here: a row for each case that the sweep file makes, with what the results say of
 * it. Claims are judged on these rows, so that a part of a sweep (--quick, -f, --shard, one of two shards joined) never
 * passes for the whole. Local; no PETSc.
 *
 * The options of every case are known. A case that is not here, has not run, was skipped, or ended by timeout, oom,
 * crashed or error has no known results, and no known status. If a case did not end with status ok, its blank cells and
 * its times count as unknown. If it broke off (diverged, not_spd, contact_unresolved, or not_converged with the mark
 * broke_off), its results cover only the part before. They count as unknown, too, as a run that breaks off early would
 * meet any bound. Its status, its reason, accuracy_ok, broke_off and the columns that are valid_if_diverged (driver.h)
 * stay known. A case that ended not_converged without the mark keeps its results: it made its steps or iterations, and
 * missed a tolerance. Rows of earlier versions have no mark. Cases that `exclude` names do not belong to the sweep. */
#pragma once

#include "harness/results/results.h"
#include "harness/sweep/case_identity.h"

/* How a case stands, best first. */
typedef enum {
  SB_IS_HERE,
  SB_HAS_TOO_FEW_REPETITIONS, /* it is here, but was timed less often than the sweep asks for: of a claim on times */
  SB_IS_ABSENT,               /* the sweep has it, and the results do not */
  SB_HAS_NOT_RUN,
  SB_ENDED_WITHOUT_RESULT, /* timeout, oom, crashed, error */
  SB_WAS_SKIPPED,
  SB_STANDINGS
} sb_standing;

typedef struct {
  sb_standing            kind;
  size_t                 row;        /* of the results; not of an absent case */
  const sb_planned_case *planned;    /* NULL: the results are not of a plan */
  bool                   foreign;    /* the sweep has no such case: -p put it there */
  bool                   ok, timely; /* it ended ok; its times count */
  bool                   complete;   /* its results count: it did not break off, or the claim names `status` */
} sb_full_row;

typedef struct {
  const sb_results       *results;
  const sb_plan          *plan; /* of the sweep; NULL: the results have no plan and are complete */
  const sb_rows          *rows;
  sb_full_row            *cases;      /* [sb_rows_count(rows)]: the sweep's in its order, then the others */
  const sb_case_identity *identities; /* [plan->count]; NULL: no case is foreign */
} sb_full_rows;

/* Which cases and values a claim uses. `timed`: times; a case with another number of threads is then another case.
 * `foreign`: also cases that the sweep does not make; they replace own cases that are not here. Claims that answer a
 * published finding do not use them. `failed`: also the times of cases that did not end ok and the results of cases
 * that broke off, because the claim names `status`. */
typedef struct {
  bool timed, foreign, failed;
} sb_full_rows_request;

/* False where it cannot be told which cases the sweep makes. */
bool sb_full_rows_read(const sb_results *results, sb_full_rows_request request, sb_arena *arena, sb_full_rows *whole);

/* The stored cases that are none of the sweep's own, [plan->count], as a claim on times has it. NULL where it cannot be
 * told which cases the sweep makes. */
const bool *sb_full_rows_foreign(const sb_results *results);

/* Names the options of a foreign case of which the sweep has no such value: "substeps=5000 in place of 64". */
const char *sb_full_rows_difference(const sb_full_rows *whole, const sb_full_row *foreign, bool timed, sb_arena *arena);
