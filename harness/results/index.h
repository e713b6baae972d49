/* The parts of the index of a results directory; see results.h. Local; no PETSc. */
#pragma once

#include <hdf5.h>

#include "harness/results/results.h"

/* results.h5: /cases, a table one row a case; /runs/<key>, external links to the case files; /samples, every timing
 * sample of a timed sweep; /floor, what the noise floor is from. False after a message on stderr. */
bool sb_index_write_hdf5(const sb_results *results);
/* Of a timed sweep, tables of an open results.h5: /samples, all with the mark of their repetition; /floor. */
bool sb_index_write_times(hid_t file, const sb_results *results);
/* results.csv, as text. */
void sb_index_print_csv(const sb_rows *rows, FILE *stream);
