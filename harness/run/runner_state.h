/* What the parts of the runner share about one run. For runner*.c; Local. */
#pragma once

#include <sys/types.h>

#include "harness/run/runner.h"
#include "harness/store/publish.h"

/* A case of this run that is to be run. */
typedef struct {
  const sb_planned_case *planned;
  char                  *samples;  /* the file of its latest repetition, in tmp/; NULL before the first */
  int                    attempts; /* that ended with a result */
  bool                   finished;
  bool                   again; /* at once, because an attempt was noisy */
} sb_pending_case;

typedef struct {
  const sb_sweep       *sweep;
  const sb_plan        *plan; /* what was asked for, all shards */
  const sb_run_request *request;
  const sb_session     *session;
  char                 *build, *machine;
  int                   repetitions;                            /* of each case, or SB_REPETITIONS_AUTO */
  bool                  watched;                                /* the driver watches for noise while it takes times */
  double                time_limit_seconds, memory_limit_bytes; /* 0: none */

  int              lock;   /* descriptor, -1 when not held */
  dev_t            device; /* and inode: of the directory that was locked */
  ino_t            inode;
  sb_journal       journal;
  sb_journal_state state;

  size_t           asked, skipped, kept_failures, stale; /* cases; asked: of this shard, without the skipped */
  size_t           count;
  sb_pending_case *pending; /* [count], plan order */
} sb_run_state;

/* Vertices that options ask for, 100 where they do not say. */
double sb_planned_vertices(const sb_options *options);
/* Whether case number i of the plan is of this shard. */
bool         sb_run_is_mine(const sb_run_state *run, size_t i);
sb_publisher sb_run_publisher(sb_run_state *run);

/* Checks whose directory it is, takes the lock, reads the journal, cleans up after the dead, finds what is to be done,
 * checks the room for it, and stores sweep.yaml and plan.json. An exit status; SB_EXIT_OK: ready to run. */
int sb_run_prepare(sb_run_state *run);
/* Its parts. Up to the cleaning up, which makes the directory what a run can store in. An exit status. */
int sb_run_take(sb_run_state *run);
/* Fills run->pending and the counts. */
bool sb_run_find_pending(sb_run_state *run);
/* False after a line that says how much is needed and free. */
bool sb_run_has_room(const sb_run_state *run);
/* sweep.yaml as it was given, plan.json as the union of what was ever asked for. */
bool sb_run_store_plan(const sb_run_state *run);

/* Runs what is pending: rounds, slots, limits, journal. An exit status; SB_EXIT_OK: every case has an end. */
int sb_run_pending(sb_run_state *run);
