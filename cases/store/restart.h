/* Going on where a stored case ended: option `restart` names its file. Steps are counted on from the file's, so that
 * fields and paths see the time they would have seen; whatever decides the motion must be as it was. Local; no PETSc.
 */
#pragma once

#include "base/time_grid.h"

/* True when there is no restart. Otherwise false with E100 when the file cannot be read or holds no state, with E106
 * when its run diverged, is over already, or an option that decides the motion differs, naming both values. The set is
 * resolved. */
bool sb_restart_check(const sb_options *options, const sb_time_grid *time, sb_diagnostics *diagnostics);

/* For `case --continue FILE`: gives every option that the user has not given the value that the file's command line
 * gave it, and `restart` the file. E100 when that cannot be read. */
bool sb_restart_take_options(const char *path, sb_options *options, sb_location where, sb_diagnostics *diagnostics);
