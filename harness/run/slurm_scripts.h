/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scripts of Slurm for sweeps: an array of tasks that each run a shard, and a job that merges them. Local; no PETSc. */
#pragma once

#include <stddef.h>

#include "base/arena.h"
#include "harness/sweep/plan.h"

typedef struct {
  const char *path, *name; /* of the sweep file, and the sweep's name */
  const char *output;      /* its results directory, to which the shards are merged */
  const char *within;      /* the folder of its shard in a part of several sweeps */
} sb_slurm_sweep;

typedef struct {
  size_t                count;
  const sb_slurm_sweep *sweeps;
  const char           *output;            /* -o of a run */
  const char           *options;           /* further words of the command `run`, quoted for a shell */
  const char           *lines;             /* further lines "#SBATCH …"; "" if there are none */
  int                   tasks;             /* of the array, each of one shard */
  int                   ranks, processors; /* of the widest case: MPI ranks, and processors per rank */
  bool                  timed, one_node;   /* one_node: ranks are started by mpiexec */
  double                seconds[2];        /* predicted, of the shortest and the longest task */
} sb_slurm_request;

/* Writes array.sh, merge.sh and submit.sh to <output>.slurm; stdout has what to do next. False after a message. */
bool sb_slurm_write(const sb_slurm_request *request, sb_arena *arena);
