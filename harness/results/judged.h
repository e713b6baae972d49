/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows that a judgement is about: those of the whole sweep as a claim, or a number of an answer, sees them, with
 * the curves of their cases, and what has been read of them. Local; no PETSc. */
#pragma once

#include "harness/results/evidence.h"
#include "harness/results/full_rows.h"

typedef struct {
  const sb_results   *results;
  sb_arena           *arena;
  const sb_full_rows *whole;    /* NULL: the cases of the sweep are unknown */
  sb_perhaps         *taken;    /* [rows of the whole] those that the judgement is about, or may be about; */
  sb_reason         **open;     /* why it only may be */
  const bool         *noisy;    /* [rows of the whole] those whose times count as unknown; NULL: none */
  sb_evidence         evidence; /* of rows of the whole */
} sb_judged;

/* The rows that a clause takes (NULL: all). `taken` is NULL without cases, or after a diagnostic. */
sb_judged sb_judged_begin(const sb_results *results, sb_full_rows_request request, const sb_expression *where,
                          sb_diagnostics *diagnostics);
/* For expressions over these rows, which notes what they read. It borrows the judgement. */
sb_scope sb_judged_scope(sb_judged *judged);
/* The rows of the results whose times it has read and are known, [rows of the results]. */
bool *sb_judged_timed(const sb_judged *judged);
/* True if one of them names `status`, and so also asks for the results of cases that failed. NULL: none. */
bool sb_asks_for_status(const sb_expression *one, const sb_expression *other);
