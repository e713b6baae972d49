/* The parts of the index of a results directory; see results.h. Local; no PETSc. */
#pragma once

#include "harness/results.h"

/* results.h5: /cases, a table one row a case; /runs/<key>, external links to the case files; /samples, every timing
 * sample of a timed sweep. False after a message on stderr. */
bool sb_index_write_hdf5(const sb_results *results);
