/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Continues from the end of a stored case: option `restart` names its file. Steps are counted on from there, so that
 * fields and paths have the time of one run; options that affect the motion must be unchanged. Local; no PETSc. */
#pragma once

#include "base/time_grid.h"

/* True without a restart. False with E100 if the file cannot be read or has no state; with E106 if its run diverged or
 * is complete, or an option that affects the motion differs. The set is resolved. */
bool sb_restart_check(const sb_options *options, const sb_time_grid *time, sb_diagnostics *diagnostics);

/* For `case --continue FILE`: sets `restart` to the file, and every option that the user has not given to its value in
 * the file's command line. E100 if that cannot be read. */
bool sb_restart_take_options(const char *path, sb_options *options, sb_location where, sb_diagnostics *diagnostics);
