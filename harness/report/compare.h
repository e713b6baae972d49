/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares two results directories of the same or overlapping sweeps, case by case. Local; no PETSc.
 *
 * A is the baseline of B. Cases are matched by their keys, the rest by the options that vary: a new option in the
 * table, another solver for the whole sweep, or a changed format change every key. */
#pragma once

#include "cases/store/session.h"

typedef enum { SB_COMPARE_TEXT, SB_COMPARE_MARKDOWN, SB_COMPARE_JSON } sb_compare_form;

typedef struct {
  const char        *paths[2];  /* A and B, as the user gave them */
  double             threshold; /* a larger relative slowdown is a regression: 0.05 */
  bool               bitwise;   /* a different digest is a regression even between different builds */
  size_t             column_count;
  const char *const *columns; /* columns to compare in addition to times; none: all that are not timings */
  uint64_t           seed;
  sb_compare_form    form;
  bool               changed; /* text and Markdown: only cases with a change */
} sb_compare_request;

/* Writes the comparison. SB_EXIT_OK; SB_EXIT_CONTRADICTION if something is worse; SB_EXIT_USAGE after an error in the
 * session's diagnostics: an unreadable side, an unknown column, no common case, or a case file that does not fit its
 * checksum (it is left out). */
int sb_compare(const sb_session *session, const sb_compare_request *request, FILE *stream);
