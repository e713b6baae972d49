/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One case as a process in a clean environment: starts it, watches its limits, judges its end. Local, without MPI. */
#pragma once

#include <jansson.h>
#include <sched.h>
#include <signal.h>
#include <sys/types.h>

#include "base/arena.h"
#include "harness/run/run_state.h"

/* A case of a run. Borrowed: `run` and `planned` for the child's life, the rest until it has started. */
typedef struct {
  const sb_run_state    *run;
  const sb_planned_case *planned;
  size_t                 number;              /* among all that this runner starts in the directory */
  const char            *log;                 /* name below logs/, without extension; NULL: the key */
  const char            *samples_from;        /* NULL: the first repetition */
  int                    repetition;          /* from 0 */
  double                 calibration_seconds; /* of a quiet machine; 0: unknown */
  bool                   own;                 /* a separate program, even if a worker could start it */
  const cpu_set_t       *cores;               /* NULL: not pinned */
  const sigset_t        *signal_mask;         /* for the child */
} sb_child_task;

typedef struct {
  sb_child_task task;
  sb_arena     *arena;  /* all texts of this child, and its row; NULL: none was started */
  pid_t         pid;    /* 0: not running */
  bool          waits;  /* for a worker's answer; it has no pid until then */
  sb_asked      asked;  /* of the worker */
  bool          forked; /* by a worker, not as a program */
  int           output; /* its standard output; -1 after its end */
  char         *text;   /* that it wrote there (malloc'ed, as it grows) */
  size_t        length;
  const char   *file;                                            /* tmp/<key>.<host>.<runner>.<number>.h5 */
  const char   *checkpoint;                                      /* tmp/<key>.checkpoint */
  const char   *log;                                             /* logs/<key>.txt */
  double        started_seconds, deadline_seconds, kill_seconds; /* 0: not set */
  double        wall_seconds;
  double        peak_bytes, before_bytes; /* largest resident memory seen; that of the process it was forked from */
  bool          polls_memory;
  bool          saves; /* it was asked to store its state and leave */
  sb_status     end;   /* timeout, oom or interrupted if the runner ended it, else ok */
  int           wait_status;
} sb_child;

/* False after a message: the log cannot be written, or no process can be started. Clear the child in either case. */
bool sb_child_start(sb_child *child, const sb_child_task *task);
/* It runs, or a worker is to start it. */
bool sb_child_is_busy(const sb_child *child);
/* The time at which it must be attended to, by sb_clock_seconds, even if there is nothing to read; 0: no time. */
double sb_child_due(const sb_child *child);
/* Without waiting: reads its output, and enforces the limits while it runs. Over time: SIGTERM, two seconds later
 * SIGKILL; over memory: SIGKILL. If a worker does not start it, it becomes a program. True once, when it has ended and
 * no process of its group runs. */
bool sb_child_attend(sb_child *child);
/* Asks it to store its state and leave (SIGUSR1), which takes as long as a step; the limits hold meanwhile. */
void sb_child_save(sb_child *child);
/* Ends it: SIGTERM now, SIGKILL two seconds later. If a worker has not started it until then, it is not started. */
void sb_child_stop(sb_child *child);
/* Removes the files in <directory>/tmp whose names have this part. */
void sb_remove_aside(const char *directory, const char *part);
/* Frees the results of start; with remove_file also removes the file that it wrote. */
void sb_child_clear(sb_child *child, bool remove_file);

/* One attempt at a case, after its end. A result is a file to publish; an interrupted case must run again; any other
 * status is a failure to record. If nothing can be stored, or the build or the machine is unfit, the sweep ends. The
 * row is {"key", "status", "reason", "accuracy_ok", "broke_off", "digest", "wall_s", "max_rss_bytes", "columns"}. If a
 * case gave no row, max_rss_bytes is its largest memory seen, null if unknown. Both live until the child is cleared. */
typedef struct {
  sb_status   status;
  int         ends_sweep; /* SB_EXIT_STORAGE or SB_EXIT_UNFIT; 0: the sweep continues */
  json_t     *row;
  const char *reason; /* of the row */
} sb_attempt;

/* Judges a child that has ended. */
sb_attempt sb_child_judge(const sb_child *child);
/* True if the row reports that no repetition of its case was quiet. */
bool sb_row_is_noisy(const json_t *row);

/* Groups of cores on which cases run side by side. */
typedef struct {
  int        count;
  cpu_set_t *sets; /* [count]; NULL: not pinned */
} sb_slots;

/* The requested number of slots of `width` cores, limited by the cores of this process; request 0: the maximum. */
sb_slots sb_slots_create(int asked, int width, sb_arena *arena);
