/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the reports when cases have run: of one sweep, and of the folders of sweeps. */
#pragma once

#include "harness/results/output_cache.h"
#include "harness/results/results.h"
#include "harness/run/tour.h"

/* The end of a command that changed one results directory: prints messages, writes its reports and the pages of its
 * folder. `results`: the directory afterwards; NULL: nothing to write. Returns `status`, if that is not 0, or that of
 * the reports. */
int sb_reports_end(const sb_session *session, int status, sb_results *results);

/* Tables, figures, films and page of a results directory, under its lock. Reports made earlier from the same data are
 * not made again. `tells`: prints one line with the sweep's state on stderr, and in the log of `tour` (NULL: none).
 * Returns an exit status. */
int sb_reports_write(sb_results *results, bool tells, const sb_tour *tour);

/* index.md, REPRODUCED.md and report.html of every parent folder of these results that has such pages, and of `home`,
 * which the user named for several sweeps; NULL: none. Opens directories there that the command has not opened.
 * `tells`: says of several where they are. Returns an exit status. */
int sb_report_pages_write(const sb_session *session, const char *home, size_t count, sb_results *const *results,
                          bool tells);

/* The pages of a folder with one results directory or more, as made.json has them. */
sb_output sb_reports_of_folder(const sb_results_folders *folders, sb_arena *arena);
