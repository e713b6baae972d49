/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See origin.h. */
#include "cases/store/origin.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/diagnostics.h"
#include "cases/common/digest.h"
#include "cases/common/machine.h"
#include "cases/store/build_facts.h"

const char *sb_build_name(const char *program, sb_arena *arena)
{
  char hex[SB_SHA256_HEX + 1] = "?";
  if (!sb_sha256_file(program, hex)) snprintf(hex, sizeof hex, "unknown");
  return sb_arena_format(arena, "%s/%.12s", SB_BUILD_GIT, hex);
}

const char *sb_machine_name(sb_arena *arena)
{
  struct utsname system;
  if (uname(&system) != 0) snprintf(system.machine, sizeof system.machine, "unknown");
  return sb_arena_format(arena, "%s, %s, %ld processors", system.machine,
                         sb_machine_line(arena, "/proc/cpuinfo", "model name"), sysconf(_SC_NPROCESSORS_ONLN));
}

/* The value of a variable; "" if it is not set or does not fit a table. */
static const char *variable(const char *name)
{
  const char *value = getenv(name);
  return value && sb_is_printable(value) ? value : "";
}

const char *sb_node_name(sb_arena *arena)
{
  const char *slurm = variable("SLURMD_NODENAME");
  return sb_arena_copy(arena, *slurm ? slurm : variable(SB_NODE_VARIABLE));
}

const char *sb_job_name(sb_arena *arena)
{
  const char *given = variable(SB_JOB_VARIABLE), *array = variable("SLURM_ARRAY_JOB_ID");
  const char *slurm = variable("SLURM_JOB_ID"), *pbs = variable("PBS_JOBID"), *lsf = variable("LSB_JOBID");
  return *given   ? sb_arena_copy(arena, given)
         : *array ? sb_arena_format(arena, "slurm %s_%s", array, variable("SLURM_ARRAY_TASK_ID"))
         : *slurm ? sb_arena_format(arena, "slurm %s", slurm)
         : *pbs   ? sb_arena_format(arena, "pbs %s", pbs)
         : *lsf   ? sb_arena_format(arena, "lsf %s", lsf)
                  : "";
}
