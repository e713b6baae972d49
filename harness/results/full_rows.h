/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The whole request, as far as results exist: a row for each case that it makes, with its results. Claims are judged on
 * these rows, so that a part of a sweep (--quick, -f, --shard, one of two shards joined) never counts as the whole.
 * Local; no PETSc.
 *
 * The options of every case are known. A case that is absent, has not run, was skipped, or ended by timeout, oom,
 * crashed or error has no known results, and no known status. If a case did not end with status ok, its blank cells and
 * its times count as unknown. If it broke off (diverged, not_spd, contact_unresolved, or not_converged with the mark
 * broke_off), its results cover only the part before. They count as unknown, too, as a run that breaks off early would
 * meet any bound. Its status, its reason, accuracy_ok, broke_off and the columns that are valid_if_diverged (driver.h)
 * stay known. A case that ended not_converged without the mark keeps its results: it made its steps or iterations, and
 * missed a tolerance. Rows of earlier versions have no mark. Cases that `exclude` names do not belong to the sweep. */
#pragma once

#include "harness/results/results.h"

/* The state of a case, best first. */
typedef enum {
  SB_IS_HERE,
  SB_HAS_TOO_FEW_REPETITIONS, /* it has a result, but too few timings: for a claim that reads times */
  SB_IS_ABSENT,               /* the sweep has it, the results do not */
  SB_HAS_NOT_RUN,
  SB_ENDED_WITHOUT_RESULT, /* timeout, oom, crashed, error */
  SB_WAS_SKIPPED,
  SB_STANDINGS
} sb_standing;

typedef struct {
  sb_standing            kind;
  size_t                 row;        /* of the results; unused for an absent case */
  const sb_planned_case *planned;    /* NULL: the results have no plan */
  bool                   ok, timely; /* it ended ok; its times count */
  bool                   complete;   /* its results count: it did not break off, or the claim names `status` */
} sb_full_row;

typedef struct sb_full_rows {
  const sb_plan *plan; /* of the request; NULL: the results have no plan and are complete */
  const sb_rows *rows;
  sb_full_row   *cases; /* [sb_rows_count(rows)] */
} sb_full_rows;

/* Selects the values that a claim uses. `timed`: times. `failed`: also the times of cases that did not end ok and the
 * results of cases that broke off, because the claim names `status`. `once`: times count even if they were taken too
 * few times. */
typedef struct {
  bool timed, failed, once;
} sb_full_rows_request;

/* Made at the first request, and kept with the results. NULL if the cases that the request makes are unknown. */
const sb_full_rows *sb_full_rows_of(const sb_results *results, sb_full_rows_request request);
