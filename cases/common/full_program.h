/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two programs are linked from the same objects (springbench/CMakeLists.txt). The full one, `springbench-cases`, has
 * all libraries and runs cases. The light one, `springbench`, has generated functions in place of PETSc, MPI and the
 * BLAS, and executes the full one, in the same folder, when they are needed. Local; no PETSc. */
#pragma once

#include <stdbool.h>

#include "base/arena.h"

/* True in the light program. */
bool sb_program_is_light(void);
/* A path to execute the full program by: the file that was there at this call, even if its name is gone or taken by
 * another build since. It is valid in this process and in what it forks, as long as the arena. Never NULL. If the file
 * cannot be opened, it is the name, which execve then refuses with the cause. */
const char *sb_full_program(sb_arena *arena);
/* The name of its file, for people. */
const char *sb_full_program_name(sb_arena *arena);
/* Why the program at this path cannot be the full one (missing, not executable, of another build than the light one);
 * NULL: it can. */
const char *sb_full_program_fault(const char *program);
/* Says on stderr that it cannot be executed, with the cause; returns SB_EXIT_UNFIT. */
int sb_full_program_refused(const char *cause, sb_arena *arena);
