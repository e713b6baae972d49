/* How a process of springbench begins and ends: its standard streams, and its exit status (docs/results.md). Local; no
 * PETSc. */
#pragma once

enum {
  SB_EXIT_OK = 0,
  SB_EXIT_CASES_FAILED = 1,
  SB_EXIT_USAGE = 2,
  SB_EXIT_CONTRADICTION = 3,
  SB_EXIT_UNFIT = 4,
  SB_EXIT_STORAGE = 5,
  SB_EXIT_BUSY = 6,
  SB_EXIT_NO_MATCH = 7,
  SB_EXIT_INTERRUPTED = 75
};

/* Descriptors 0, 1 and 2 are taken from here on, also in children: a file opened where one of them was closed would get
 * what is meant for people. What was closed stays of no use: reading it ends, writing it fails. */
void sb_streams_reserve(void);
/* To be called last: `status`, or SB_EXIT_STORAGE in place of SB_EXIT_OK after a message on stderr when a byte of
 * standard output was lost. */
int sb_streams_end(int status);
