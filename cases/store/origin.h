/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The origin of a result (build, machine, host, node, job), as journals and case files name it. Local; no PETSc. */
#pragma once

#include "base/arena.h"

/* The environment variables that give the children of a run its node and job; a user may set the second one. */
#define SB_NODE_VARIABLE "SPRINGBENCH_NODE"
#define SB_JOB_VARIABLE  "SPRINGBENCH_JOB"

/* The build of a program by its file: "<git describe>/<12 digits of its SHA-256>". */
const char *sb_build_name(const char *program, sb_arena *arena);
/* "x86_64, <processor>, <N> processors". */
const char *sb_machine_name(sb_arena *arena);
/* The name that a batch system has for this host; "" outside of one. */
const char *sb_node_name(sb_arena *arena);
/* The job of a batch system that this process belongs to: "slurm 12_3" (array job 12, task 3), "pbs 7.head", "lsf 9",
 * or the text of SB_JOB_VARIABLE; "" outside of one. */
const char *sb_job_name(sb_arena *arena);
