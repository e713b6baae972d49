/* Everything that is made of results when cases have run: of one sweep, and of the folders in which sweeps stand. */
#pragma once

#include "harness/results/results.h"

/* Tables, figures, films and page of a results directory, under its lock: what was made from the same before is
 * left alone. `tells`: one line on stderr says how the sweep is. An exit status. */
int sb_reports_write(sb_results *results, bool tells);

/* index.md, REPRODUCED.md and report.html of every parent folder of these results that is for such pages; directories
 * there that the command has not opened are opened now. An exit status. */
int sb_report_pages_write(const sb_session *session, size_t count, sb_results *const *results);
