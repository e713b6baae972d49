/* Drops cases from a results directory. Local; never calls MPI. */
#pragma once

#include "harness/results/results.h"

typedef struct {
  const char *directory;
  const char *filter;   /* an expression on results; NULL: the cases that the sweep does not make */
  bool        for_good; /* false: they are only shown */
} sb_forget_request;

/* Shows the cases on stdout and, if `for_good`, forgets them: journal, files, logs, plan. Messages go to stderr.
 * Returns an exit status of docs/results.md: 2 something cannot be read, 5 storage, 6 the directory is in use, 7 no
 * such case. *results: the directory afterwards; NULL if nothing was forgotten. */
int sb_forget(const sb_forget_request *request, const sb_session *session, sb_results **results);
