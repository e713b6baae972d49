/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Progress of one case, for `springbench case`: steps done of all steps, speed, time left. It does not affect the
 * recorded results. Local. */
#pragma once

#include <stdint.h>

#include "cases/store/driver.h"

typedef struct {
  sb_tell     tell;
  const char *unit; /* "step"; NULL before begin */
  int64_t     first, total;
  double      began_seconds, told_seconds;
  bool        shown; /* a line is on the terminal */
} sb_case_progress;

/* Counts `unit`s from `first` to `total`; total 0: unknown. */
void sb_case_progress_begin(sb_case_progress *progress, const char *unit, int64_t first, int64_t total);
/* `done` of them are done. Shows it at most twice a second on a terminal, elsewhere as a line per minute. */
void sb_case_progress_step(sb_case_progress *progress, int64_t done);
void sb_case_progress_end(sb_case_progress *progress);
