/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drops cases from a results directory. Local; never calls MPI. */
#pragma once

#include "harness/results/results.h"

typedef struct {
  const char *directory;
  const char *filter;   /* an expression on results; NULL: the results that are not of its request */
  bool        for_good; /* false: only shows them */
} sb_forget_request;

/* Shows the cases on stdout and, if `for_good`, removes them from journal, files, logs and plan. Messages go to stderr.
 * Returns an exit status of docs/command_line.md: 2 unreadable data, 5 storage, 6 the directory is in use, 7 no such
 * case.
 * *results: the directory afterwards; NULL if nothing was removed. */
int sb_forget(const sb_forget_request *request, const sb_session *session, sb_results **results);
