/* The whole sweep, as far as it is here: a row for each case that the sweep file makes, with what the results say of
 * it. Claims are judged on these rows, so that a part of a sweep (--quick, -f, --shard, one of two shards joined) never
 * passes for the whole. Local; no PETSc.
 *
 * The options of every case are known. Results are not known of a case that is not here, has not run, ran out of time
 * or memory, crashed or was skipped for want of memory: nor how it would have ended. Of a case that ended otherwise
 * than ok, what is blank is not known either, as it has no such value, and neither are its times, as it did not do what
 * was asked in that time. What `exclude` leaves out is no part of the sweep. */
#pragma once

#include "harness/results/results.h"
#include "harness/sweep/case_identity.h"

/* How a case stands, best first. */
typedef enum {
  SB_IS_HERE,
  SB_IS_SELDOM, /* it is here, but was timed less often than the sweep asks for: of a claim on times */
  SB_IS_ABSENT, /* the sweep has it, and the results do not */
  SB_HAS_NOT_RUN,
  SB_HAS_DIED, /* timeout, oom, crashed, error */
  SB_WAS_SKIPPED,
  SB_STANDINGS
} sb_standing;

typedef struct {
  sb_standing            kind;
  size_t                 row;        /* of the results; not of an absent case */
  const sb_planned_case *planned;    /* NULL: the results are not of a plan */
  bool                   foreign;    /* the sweep has no such case: -p put it there */
  bool                   ok, timely; /* it ended ok; its times count */
} sb_whole_case;

typedef struct {
  const sb_results       *results;
  const sb_plan          *plan; /* of the sweep; NULL: the results are not of a plan, and all there is */
  const sb_rows          *rows;
  sb_whole_case          *cases;      /* [sb_rows_count(rows)]: the sweep's in its order, then the others */
  const sb_case_identity *identities; /* [plan->count]; NULL: no case is foreign */
} sb_whole;

/* What a claim is about. `timed`: times, for which a case on another number of threads is another case. `foreign`: also
 * cases that the sweep does not have; they take the place of its own cases that are not here. A claim that answers a
 * published finding is not about them. `failed`: also the times of cases that did not end ok; the claim names `status`.
 */
typedef struct {
  bool timed, foreign, failed;
} sb_whole_request;

/* False where it cannot be told which cases the sweep makes. */
bool sb_whole_read(const sb_results *results, sb_whole_request request, sb_arena *arena, sb_whole *whole);

/* Names the options of a foreign case of which the sweep has no such value: "substeps=5000 in place of 64". */
const char *sb_whole_difference(const sb_whole *whole, const sb_whole_case *foreign, bool timed, sb_arena *arena);
