/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run, shared by runner.c, schedule.c and merge.c. Local. */
#pragma once

#include <sys/types.h>

#include "harness/results/publish.h"
#include "harness/run/runner.h"

/* A case that this run has to run. */
typedef struct {
  const sb_planned_case *planned;
  char                  *samples;  /* the file of its latest repetition, in tmp/ (malloc'ed); NULL before the first */
  int                    attempts; /* that ended with a result */
  bool                   finished;
  bool                   again; /* immediately, because an attempt was noisy */
} sb_pending_case;

typedef struct {
  const sb_session     *session;
  const sb_sweep       *sweep;
  const sb_plan        *plan;   /* the requested one, all shards */
  const sb_plan        *stored; /* the union of all requests so far, once it is stored */
  const sb_run_request *request;
  const char           *build, *machine;
  sb_progress_form      form;
  int                   repetitions; /* of each case, or SB_REPETITIONS_AUTO */
  bool                  watched;     /* the driver watches for noise while it measures times */
  double                time_limit_seconds, memory_limit_bytes; /* 0: none */

  int              lock;   /* descriptor, -1 when not held */
  dev_t            device; /* and inode: of the directory that was locked */
  ino_t            inode;
  sb_journal       journal;
  off_t            length_before; /* of the journal, when the directory was taken */
  sb_journal_state state;
  sb_publisher     publisher; /* for these, once the directory is taken */

  size_t asked, skipped, kept_failures, stale; /* cases; asked: requested of this shard, without the skipped */
  size_t count;
  sb_pending_case *pending; /* [count], plan order */
} sb_run_state;

/* The state of a run that nothing was done for yet. */
sb_run_state sb_run_begin(const sb_sweep *sweep, const sb_plan *plan, const sb_run_request *request,
                          const sb_session *session);
/* Adds the event of the run to the journal: who, where, and its settings. False after a message. */
bool sb_run_note(sb_run_state *run);
/* Checks which sweep the directory belongs to, takes the lock, reads the journal, and cleans up after dead processes.
 * Then a run can store in it. Returns an exit status. */
int sb_run_take(sb_run_state *run);
/* E114 with both names if the results are of another sweep file of the same name that is still where it was: the run
 * would leave its cases out. E114 also if another run has changed the request since this one was planned. For a
 * directory that is taken, or that a dry run reads. */
bool sb_run_is_of_file(const sb_run_state *run);
/* The plan.json of run->stored (malloc'ed). */
char *sb_run_plan_text(const sb_run_state *run);
/* Stores sweep.yaml, and plan.json with all requests so far, which becomes run->stored. False after a message. */
bool sb_run_store_plan(sb_run_state *run);
/* The format in the text of a plan.json; ours if the text gives none, or is NULL. */
int sb_run_plan_format(const char *text);
/* The directory now, with a current index, in the session's arena, which takes over run->state. NULL after a message.
 */
sb_results *sb_run_results(sb_run_state *run);
/* Releases everything that sb_run_take took. */
void sb_run_leave(sb_run_state *run);

/* Runs the pending cases: rounds, slots, limits, journal (schedule.c). Returns an exit status; SB_EXIT_OK: every case
 * has a result; SB_EXIT_CASES_FAILED: every case has ended. */
int sb_run_pending(sb_run_state *run);
