/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results of one sweep from several directories, joined in one. Local; never calls MPI. */
#pragma once

#include "harness/results/results.h"

typedef enum { SB_PREFER_NONE, SB_PREFER_FIRST, SB_PREFER_LAST } sb_prefer;

typedef struct {
  const char        *directory; /* OUT; its own results come first */
  size_t             count;
  const char *const *sources;
  bool               trusts_scripts; /* of figures, in the directories */
  sb_prefer          prefer;         /* choice between different results of one key; SB_PREFER_NONE: an error */
} sb_merge_request;

/* Joins the results. Returns an exit status of docs/command_line.md. 0: every case of the joined plan has a result. 1:
 * some failed or are missing. 2: another sweep or format, or contradicting results (nothing was changed). 5: a source's
 * file is damaged or writing failed. 6: a directory is in use. *results: OUT, with all available results; else NULL. */
int sb_merge(const sb_merge_request *request, const sb_session *session, sb_results **results);
