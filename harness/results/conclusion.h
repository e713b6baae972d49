/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer of a sweep, filled with the numbers of its results, and whether the results support it. It rests on the
 * sweep's claims: those marked `answers`, or all. Titles and notes are filled in the same way. Local; no PETSc. */
#pragma once

#include "harness/results/results.h"

typedef enum {
  SB_CONCLUSION_NONE, /* the sweep gives no answer */
  SB_CONCLUSION_HOLDS,
  SB_CONCLUSION_SO_FAR,   /* a claim is not tested, or a number lacks cases, cannot be computed, or reads times that
                             do not count */
  SB_CONCLUSION_EXPECTED, /* no claim is tested or holds so far, or fewer than half of the cases are here: the answer
                             says what the sweep found elsewhere; or it has no sentence */
  SB_CONCLUSION_NOT_RUN,  /* every case here was skipped: the sentence has the reason */
  SB_CONCLUSION_REFUTED   /* a claim does not hold */
} sb_conclusion_kind;

typedef struct sb_conclusion {
  sb_conclusion_kind kind;
  const char *lead; /* "Answer", "So far, from 4 of 12 cases", "So far: 1 of 8 claims is not tested", "Refuted here: 1
                       of 6 claims does not hold" */
  const char *sentence; /* the answer with its numbers, without the sentences that have one that cannot be computed */
  const char *blanks;   /* the reasons for these; "": there are none */
  const char *times;    /* why times that its numbers read do not count; "": they do */
} sb_conclusion;

/* Computed at the first request; lives as long as the results. */
const sb_conclusion *sb_results_conclusion(const sb_results *results);
/* A title or note of the sweep with its numbers, in the session's arena; `text` itself if it has none. */
const char *sb_results_text(const sb_results *results, const char *text);
/* The start of the next sentence in a text, behind ". "; NULL: there is none. "et al. 2013" does not start one. */
const char *sb_end_of_sentence(const char *text);
