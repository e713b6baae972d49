/* What a process of springbench ends with (docs/results.md). */
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
