/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cases for engines other than `run`: make, xargs, GNU parallel, Snakemake, a batch system. Each is a line of a shell
 * that runs it and stores KEY.h5 in the working directory, for `collect`. Local; no PETSc. */
#pragma once

#include <stdio.h>

#include "harness/run/runner.h"

/* A case and the steps of `run` for it. */
typedef struct {
  const char            *sweep; /* its name */
  const sb_planned_case *planned;
  const char            *state;   /* "missing", "again", "done", "skipped" */
  double                 seconds; /* predicted, of all repetitions */
  const char            *line;    /* sb_engine_line; NULL for a skipped one */
} sb_engine_case;

/* The line that runs a case as this run would, in the arena. Files that the case names are found from any folder: the
 * line sets their folder, which is the present one of SB_INPUTS_VARIABLE. memory_limit_bytes 0: none. */
const char *sb_engine_line(const sb_planned_case *c, const sb_run_request *run, double memory_limit_bytes,
                           sb_arena *arena);
/* Writes the lines of the cases to be run, one each. E109 and no line if one of them has a line break. */
bool sb_engine_put_lines(size_t count, const sb_engine_case *cases, FILE *stream, sb_diagnostics *diagnostics);
/* Writes all cases as an array of JSON: {"sweep", "key", "state", "reason", "options", "ranks", "threads", "seconds",
 * "bytes", "file", "command"}. A skipped case has a reason, and file and command are null. */
void sb_engine_put_json(size_t count, const sb_engine_case *cases, FILE *stream);
