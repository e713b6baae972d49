/* How far one case is, for who typed `springbench case`: so many steps of so many, how fast, how long yet. What a case
 * records does not depend on it. Local. */
#pragma once

#include <stdint.h>

#include "cases/store/driver.h"

typedef struct {
  sb_tell     tell;
  const char *unit; /* "step"; NULL before begin */
  int64_t     first, total;
  double      began_seconds, told_seconds;
  bool        shown; /* a line is there to be taken away */
} sb_case_progress;

/* Counts `unit`s from `first` to `total`; total 0: nobody knows how many it will be. */
void sb_case_progress_begin(sb_case_progress *progress, const char *unit, int64_t first, int64_t total);
/* So many are done. To a terminal twice a second at most, elsewhere a line a minute. */
void sb_case_progress_step(sb_case_progress *progress, int64_t done);
void sb_case_progress_end(sb_case_progress *progress);
