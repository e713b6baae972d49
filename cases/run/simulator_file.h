/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptions of simulators (cases/describe/simulators.h; docs/library.md has their members). Local; no PETSc. */
#pragma once

#include "cases/store/session.h"

/* The descriptions of a process and of those that it starts: absolute paths, separated by ':'. The user sets it, or
 * gives --simulator; a sweep file, a plan or a results directory cannot, as it would start a stranger's program. */
#define SB_SIMULATORS_VARIABLE "SPRINGBENCH_SIMULATORS"
/* The output of the version commands as JSON {path: version}: the processes of cases do not run them again. */
#define SB_SIMULATOR_VERSIONS_VARIABLE "SPRINGBENCH_SIMULATOR_VERSIONS"

/* Reads a description, runs its version command, and adds the simulator to the session's vocabulary. False after E100
 * (a file that cannot be read), E101 (an unknown option) or E106 (a description that is not complete). */
bool sb_simulator_file_load(sb_session *session, const char *file);
