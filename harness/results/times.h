/* What times rest on. Wherever they stand side by side, in a table, a figure or a claim, a reader has to know which of
 * them were taken while the machine was busy, by another build or on another machine, and of cases that did not do what
 * was asked of them. Local; no PETSc. */
#pragma once

#include "harness/results/results.h"

typedef struct {
  size_t                cases, noisy;
  size_t                failed;  /* ended otherwise than ok */
  size_t                origins; /* different builds and machines */
  const sb_case_origin *origin;  /* that of most cases; NULL: none is known */
} sb_times;

/* Of the rows in `taken` [rows]; NULL: of all. */
sb_times sb_times_of(const sb_results *results, const bool *taken);
/* The case in this row was run by another build, or on another machine, than most. */
bool sb_times_are_other(const sb_times *times, const sb_results *results, size_t row);

/* NULL where all of them are of one build and machine, else a sentence without its full stop: "3 of 15 cases were run
 * by another build than the rest (A; the rest by B); --rerun stale runs them again" */
const char *sb_times_origins(const sb_results *results, const bool *taken, sb_arena *arena);
