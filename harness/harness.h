/* The command line: everything `springbench` does, given the drivers of the experiments layer. */
#pragma once

#include "harness/driver.h"

/* Returns the process's exit status. Calls MPI_Init and PETSc only under the command `case`. */
int sb_harness_main(int argc, char **argv, const sb_driver_list *drivers);

/* The names of all lists, for option sets. Static; never freed. */
const sb_vocabulary *sb_vocabulary_of(const sb_driver_list *drivers);

/* Exit statuses (docs/results.md). */
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
