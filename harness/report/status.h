/* A results directory told to a person on a terminal: `status`, `show`, `verify`. Local; no PETSc. */
#pragma once

#include "harness/results/results.h"

/* How far the sweep is: cases by status, every failure with its reason, who is running it, what to type next. */
void sb_status_print(const sb_results *results, FILE *stream);
/* One case: its row, all its options, the command line, the end of its log. */
void sb_case_print(const sb_results *results, size_t row, FILE *stream);
/* A line a claim, and how many came out how. */
void sb_claims_print(const sb_results *results, FILE *stream);
