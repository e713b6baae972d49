/* Results of one sweep from several directories, joined in one. Local; never calls MPI. */
#pragma once

#include "harness/results/results.h"

typedef enum { SB_PREFER_NONE, SB_PREFER_FIRST, SB_PREFER_LAST } sb_prefer;

typedef struct {
  const char        *directory; /* OUT; what it holds already comes first */
  size_t             count;
  const char *const *sources;
  bool               trusts_scripts; /* of figures, in the directories */
  sb_prefer          prefer;         /* of results of one key that differ: none is refused */
} sb_merge_request;

/* Joins. Messages go to stderr. An exit status of docs/results.md: 0 every case of the joined plan has a result, 1 some
 * failed or is missing, 2 another sweep or format, or results that contradict each other (nothing was changed), 5 a
 * source's file is damaged or something cannot be written, 6 a directory is in use. *results: OUT as it is then, where
 * all that can be had is there; else NULL. */
int sb_merge(const sb_merge_request *request, const sb_session *session, sb_results **results);
