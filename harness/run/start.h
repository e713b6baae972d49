/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts this program, or another, as a process in a clean environment. Local, without MPI. */
#pragma once

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A process to be started. Everything is borrowed, for the start. */
typedef struct {
  const char      *program;
  char           **arguments;          /* NULL-ended, the program's name first */
  int64_t          threads;            /* for BLAS and OpenMP */
  bool             spreads;            /* a case of several ranks: it sees the job, its nodes and transports */
  bool             binds_now;          /* all symbols of libraries are looked up at once: for one that forks */
  int              input, output, log; /* standard input, output and error; -1: /dev/null */
  int              seconds;            /* of processor time, after which the system kills it; 0: any */
  const cpu_set_t *cores;              /* NULL: not pinned */
  const sigset_t  *signal_mask;        /* NULL: the caller's */
} sb_start;

/* The process has its own group and dies with this one. Returns 0, with errno, if it cannot be started. A process that
 * cannot execute its program reports that on its standard error and ends with 127. */
pid_t sb_start_program(const sb_start *start);
