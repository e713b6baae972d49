/* Running a plan: a child process per case, limits, journal, publish by rename, continuing. Local; never calls MPI. */
#pragma once

#include "harness/results.h"

typedef enum { SB_RERUN_MISSING, SB_RERUN_FAILED, SB_RERUN_STALE, SB_RERUN_ALL } sb_rerun;

typedef struct {
  const char *directory;
  int         jobs;        /* 0: one, or all cores where the sweep is not timed */
  int         repetitions; /* 0: as the sweep says */
  int         warm_up;     /* steps; -1: the default */
  double      time_limit_seconds, memory_limit_bytes; /* 0: as the sweep says, or none */
  sb_rerun    rerun;
  bool        verify_hashes, strict, dry_run, quick;
  uint64_t    order_seed;
  const char *progress; /* "auto", "bar", "lines", "none" */
  int         shard, shards; /* 0 of 1 when not sharded */
} sb_run_request;

/* Runs what is missing of `plan` in `directory`, then rebuilds the index. Returns the exit status of docs/results.md
 * (0, 1, 5, 6, 75). Progress and messages go to stderr. */
int sb_run(const sb_sweep *sweep, const sb_plan *plan, const sb_run_request *request, const sb_vocabulary *vocabulary,
           const sb_driver_list *drivers);
