/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Case files that another engine made (engine_lines.h), taken into a results directory. Local; never calls MPI. */
#pragma once

#include "harness/run/runner.h"

typedef struct {
  size_t             count;
  const char *const *files; /* case files, and folders of which all *.h5 are read */
} sb_collect_request;

/* Publishes copies of the files of cases of `plan` in run->directory, as a run of it would. A file counts by its seal,
 * its options, and the key that follows from them, not by name and place. Each file that is refused has its own
 * message; the others are taken. An exit status of docs/command_line.md. 0: every case of the plan has a result. 1:
 * some failed or are missing. 2: a file was refused. 5: a file is damaged, or writing failed. 6: the directory is in
 * use. *results: the directory afterwards; NULL if nothing could be stored. */
int sb_collect(const sb_collect_request *request, const sb_sweep *sweep, const sb_plan *plan, const sb_run_request *run,
               const sb_session *session, sb_results **results);
