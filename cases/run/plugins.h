/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plug-ins: shared objects of users with methods of their own (base/springbench_plugin.h). Simulators are named in the
 * same way (simulator_file.h). Local; no PETSc. */
#pragma once

#include "cases/store/session.h"

/* The plug-ins of a process and of those that it starts: absolute paths, separated by ':'. The user sets it, or gives
 * --plugin; nothing else does: not a sweep file, a plan or a results directory, which would run a stranger's code. */
#define SB_PLUGINS_VARIABLE "SPRINGBENCH_PLUGINS"

/* Takes each `--plugin FILE` and `--plugin=FILE` out of the words, up to `--`, and adds the file to the variable. Then
 * loads the plug-ins of the variable, and gives the session a vocabulary with their methods; they stay loaded. False
 * after E100 (a file that cannot be loaded) or E106 (one that springbench, or that itself, refuses). The same for
 * `--simulator FILE`. */
bool sb_plugins_load(int *argc, char **argv, sb_session *session);
/* The same with only the plug-ins of the variable. */
bool sb_plugins_load_named(sb_session *session);
