/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The threads of a driver: PoCL starts one for each processor of the machine, whichever of them a case may use. Local.
 */
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

enum { SB_THREADS_SEEN = 1024 };

typedef struct {
  bool      known, limited; /* the processors of this thread; we have set the driver's number of threads */
  cpu_set_t processors;
  size_t    count; /* threads of the process before */
  pid_t     thread[SB_THREADS_SEEN];
} sb_driver_threads;

/* Before the driver starts: it should start as many threads as there are processors for this one, unless the user has
 * set their number. */
void sb_driver_threads_limit(sb_driver_threads *before);
/* Afterwards: new threads run on these processors. Returns their number. */
unsigned sb_driver_threads_bind(const sb_driver_threads *before);
