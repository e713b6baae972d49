/* The command line of `case`, read and resolved. Local; no PETSc, no MPI. */
#pragma once

#include "harness/sweep/plan.h"

typedef struct {
  sb_options  *options; /* resolved */
  sb_time_grid time;
  const char  *output, *samples_from; /* borrowed from argv; NULL: none */
  bool         json;
  int          warm_up, repetition;
  double       calibration_seconds; /* 0: not given */
} sb_case_arguments;

/* False after messages on stderr. --help and errors of usage end the process, with 0 and 2. */
bool sb_case_arguments_read(int argc, char **argv, const sb_vocabulary *vocabulary, sb_case_arguments *arguments);
void sb_case_arguments_clear(sb_case_arguments *arguments);
