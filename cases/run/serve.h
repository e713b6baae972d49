/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `springbench case --serve`: a process with MPI and PETSc up that forks a process for each case, so that a case does
 * not pay for their start. The runner's workers (harness/run/workers.h) are such processes.
 *
 * Standard input is a socket of kind SOCK_SEQPACKET. A message requests one case: the head, then words that each end
 * with a zero byte, and with them two descriptors, the case's standard output and its log. Words: the folder of input
 * files (SB_INPUTS_VARIABLE; "" if none), then the arguments of `springbench case`.
 *
 * The case becomes a child of the runner, which must be a subreaper (PR_SET_CHILD_SUBREAPER): the process that forked
 * it ends at once. So the runner sees its end and its resources as those of any child, and a case outlives a worker
 * that is killed. The first bytes that a case writes to its output are its pid_t, once it is the runner's child, has
 * its own process group, and dies with the runner. End of file without them: no case was started.
 *
 * A worker never runs a case or a parallel region itself: a forked process that shares passes among threads would hang
 * in libgomp if its parent had done so. Only its main thread forks. */
#pragma once

#include <sched.h>
#include <signal.h>
#include <sys/types.h>

#include "cases/store/session.h"

typedef struct {
  pid_t     runner;
  int       pinned; /* 0: to no cores */
  cpu_set_t cores;
  sigset_t  signal_mask; /* for the case */
} sb_serve_head;

#define SB_SERVE_FLAG "--serve"
enum { SB_SERVE_OUTPUT, SB_SERVE_LOG, SB_SERVE_DESCRIPTORS, SB_SERVE_BYTES_MAX = 1 << 17 };

/* Serves until the other end of the socket is closed. Returns an exit status. */
int sb_case_serve(const sb_session *session);
