/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workers: processes that have the libraries of a case up and fork one for each case (cases/run/serve.h), in a tenth of
 * the time of starting the program. One per number of threads, started for the first case. Local; never calls MPI. */
#pragma once

#include "harness/run/start.h"
#include "harness/sweep/sweep.h"

typedef struct sb_workers sb_workers;

/* This process becomes the parent of orphans of its descendants (PR_SET_CHILD_SUBREAPER). NULL if it cannot. */
sb_workers *sb_workers_create(void);
/* Ends the workers; cases that run go on. Clears the pointer. */
void sb_workers_destroy(sb_workers **workers);

/* A case that was requested and has not been answered. */
typedef struct {
  pid_t  worker;
  double before_bytes; /* memory of the worker that a case shares */
  double due_seconds;  /* for the answer, by sb_clock_seconds; then the worker counts as dead */
} sb_asked;

/* Requests a case, whose standard output is start->output; its program, input and environment are the worker's. Does
 * not wait: the worker may be starting, busy with other cases, or stopped. False: there is no worker, or it cannot get
 * the request; the case is then to be started as a program. */
bool sb_workers_ask(sb_workers *workers, const sb_start *start, sb_asked *asked);
/* The requested case, from the other end of its output, which does not block and whose own end the caller has closed.
 * It is a child of this process, leads its own group and dies with this process. 0: there is no answer yet. -1: the
 * case was not started, and will not be. `last`: an answer later than now does not count; without one the worker is
 * ended, and with it all cases that it has not answered. */
pid_t sb_workers_answer(sb_workers *workers, const sb_asked *asked, int output, bool last);

/* The properties that make a case a separate program, and the reasons, for readers. */
typedef struct {
  const char *what, *why;
} sb_own_program;
enum { SB_OWN_PROGRAMS = 6 };
extern const sb_own_program sb_own_programs[SB_OWN_PROGRAMS];
/* True if a case of a sweep has one of them, under a limit of memory (0: none); else a worker may start it. `once`: its
 * times are taken once, and again by the next whole run. */
bool sb_case_is_own_program(const sb_sweep *sweep, const sb_options *options, double memory_limit_bytes, bool once);
/* True if it may use what another case has computed (drivers/reference_motion.h): its memory and log are not results.
 */
bool sb_case_may_share(const sb_sweep *sweep, const sb_options *options, double memory_limit_bytes);
