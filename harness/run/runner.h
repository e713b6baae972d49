/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a plan: a child process per case, limits, journal, publishing by rename, continuing. Local; never calls MPI. */
#pragma once

#include "cases/store/journal.h"
#include "harness/results/results.h"
#include "harness/run/workers.h"

typedef enum { SB_RERUN_MISSING, SB_RERUN_FAILED, SB_RERUN_STALE, SB_RERUN_NOISY, SB_RERUN_ALL } sb_rerun;

/* Progress on stderr while cases run. All forms except the first name failures. */
typedef enum {
  SB_PROGRESS_NONE,
  SB_PROGRESS_FAILURES, /* only failures */
  SB_PROGRESS_LINES,    /* a line per case */
  SB_PROGRESS_BAR       /* one line that is overwritten, for a terminal */
} sb_progress_form;

/* `how` is "auto" (a bar on a terminal, else only failures), "bar", "lines", "failures" or "none"; NULL is "auto". */
sb_progress_form sb_progress_form_of(const char *how);

typedef struct {
  const char    *directory;
  const sb_plan *made;  /* the whole plan of the request, of which that of the run has some cases; NULL: it has none */
  const char    *known; /* the text of request.json in the directory when the run was planned; NULL: there was none */
  bool           replaces;    /* the request takes the place of another one (--replace) */
  const char    *program;     /* that runs a case (full_program.h) */
  sb_workers    *workers;     /* NULL: every case is a program of its own */
  int            jobs;        /* 0: one, or all cores if the sweep is not timed */
  sb_launcher    launcher;    /* of several ranks */
  int            repetitions; /* 0: the sweep's; or SB_REPETITIONS_AUTO; only for timed sweeps */
  int            warm_up;     /* steps; -1: the default */
  double         time_limit_seconds, memory_limit_bytes; /* 0: the sweep's, or none */
  sb_rerun       rerun;
  bool           verify_hashes, strict, dry_run, quick;
  uint64_t       order_seed;
  const char    *progress;      /* see sb_progress_form_of */
  int            shard, shards; /* 1 of 1 (or 0 of 0) if not sharded */
  const int     *shard_of;      /* of each case of the plan (prediction.h); NULL if not sharded */
} sb_run_request;

/* Runs the cases of `plan` that are missing in `directory`, then writes the index, unless a signal stopped it. Returns
 * the exit status of docs/command_line.md (0, 1, 2 if the directory is another sweep's, 4, 5, 6, 7, 75). Progress goes
 * to stderr; with dry_run the command lines of cases to run go to stdout and nothing is changed. *results: the
 * directory afterwards, in the session's arena; NULL after an interruption, a dry run, or an error of status 2 and
 * above. */
int sb_run(const sb_sweep *sweep, const sb_plan *plan, const sb_run_request *request, const sb_session *session,
           sb_results **results);

/* True if case number i of a plan belongs to the requested shard. */
bool sb_run_request_takes(const sb_run_request *request, size_t i);

/* The action of a run for a case with this state and event in the journal, under a memory limit (0: none). `plan` shows
 * the same; only a run tests whether stored files are intact. */
typedef enum { SB_TURN_NONE, SB_TURN_FIRST, SB_TURN_AGAIN } sb_turn;
sb_turn sb_run_turn(const sb_run_request *request, const sb_planned_case *planned, sb_case_state state,
                    const json_t *event, double memory_limit_bytes);
