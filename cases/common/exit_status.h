/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Begin and end of a springbench process: its standard streams and its exit status (docs/command_line.md). Local; no
 * PETSc. */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
  SB_EXIT_OK = 0,
  SB_EXIT_CASES_FAILED = 1,
  SB_EXIT_USAGE = 2,
  SB_EXIT_CONTRADICTION = 3,
  SB_EXIT_UNFIT = 4,
  SB_EXIT_STORAGE = 5,
  SB_EXIT_BUSY = 6,
  SB_EXIT_NO_MATCH = 7, /* 8 is SB_EXIT_NO_MEMORY of allocate.h */
  SB_EXIT_UNREADABLE = 9,
  SB_EXIT_INTERRUPTED = 75
};

/* Occupies closed descriptors 0, 1 and 2, also for children; otherwise a file opened later could receive terminal
 * output. open gives the lowest free descriptor, so in this order each gets its own. They are opened for reading, so
 * that output to them still fails as it does on a closed descriptor. */
static inline void sb_streams_reserve(void)
{
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
    if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != stream) return;
}

/* To be called last. Returns `status`, or, after a message on stderr, SB_EXIT_STORAGE instead of SB_EXIT_OK if a byte
 * of standard output was lost. */
static inline int sb_streams_end(int status)
{
  const int failed = ferror(stdout); /* its cause is unknown, unless flushing fails too */
  errno = 0;
  if (fflush(stdout) == 0 && !failed) return status;
  fprintf(stderr, "springbench: error: cannot write to standard output%s%s\n", errno ? ": " : "",
          errno ? strerror(errno) : "; some of it is lost");
  return status == SB_EXIT_OK ? SB_EXIT_STORAGE : status;
}
