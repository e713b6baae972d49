/* Two results directories of the same or overlapping sweeps, case by case. Local; no PETSc.
 *
 * B is held against A. Cases are the same by their keys; of the rest, by the options that vary (an option added to the
 * table, another solver for the whole sweep, a changed format all change every key). */
#pragma once

#include "cases/store/session.h"

typedef enum { SB_COMPARE_TEXT, SB_COMPARE_MARKDOWN, SB_COMPARE_JSON } sb_compare_form;

typedef struct {
  const char        *paths[2];  /* A and B, as the user gave them */
  double             threshold; /* what is slower by more is a regression: 0.05 */
  bool               bitwise;   /* a digest that differs is a regression whatever the build */
  size_t             column_count;
  const char *const *columns; /* those to look at beside time; none: all that are not timings */
  uint64_t           seed;
  sb_compare_form    form;
  bool               changed; /* text and Markdown: only cases in which something did */
} sb_compare_request;

/* Writes what came out. SB_EXIT_OK; SB_EXIT_CONTRADICTION where something is worse; SB_EXIT_USAGE after an error in the
 * session's diagnostics: a side that cannot be read, a column that is none, no case in common; or a case file that does
 * not fit its checksum, which alone is not read. */
int sb_compare(const sb_session *session, const sb_compare_request *request, FILE *stream);
