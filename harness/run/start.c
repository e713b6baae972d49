/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See start.h. */
#include "harness/run/start.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/allocate.h"
#include "base/arena.h"
#include "base/guard.h"
#include "base/input_file.h"
#include "cases/run/plugins.h"
#include "cases/run/run_case.h"
#include "cases/run/simulator_file.h"
#include "cases/store/origin.h"

/* The variables that a case gets, by their beginnings. OPENBLAS_CORETYPE: whose kernels, with other bits; provenance
 * has it. HDF5_USE_FILE_LOCKING: some network file systems have no locks. Those of drivers of devices: which there are,
 * where they keep what they compiled, and which cards a batch system gave to a job. */
static const char passed_on[] =
    "PATH= HOME= LANG= LC_ALL= LC_CTYPE= LC_NUMERIC= TMPDIR= LD_LIBRARY_PATH= ASAN_OPTIONS= LSAN_OPTIONS= "
    "UBSAN_OPTIONS= GCOV_PREFIX= OPENBLAS_CORETYPE= OPENBLAS_L2_SIZE= HDF5_USE_FILE_LOCKING= "
    "SPRINGBENCH_AUTHOR= " SB_PLUGINS_VARIABLE "= " SB_SIMULATORS_VARIABLE "= " SB_SIMULATOR_VERSIONS_VARIABLE
    "= " SB_INPUTS_VARIABLE "= " SB_LOAD_SECONDS_VARIABLE
    "= OCL_ICD_ OPENCL_ POCL_ XDG_CACHE_HOME= RUSTICL_ CUDA_ NVIDIA_ "
    "ROCR_ HIP_ HSA_ GPU_DEVICE_ORDINAL= ZE_";
/* For cases of several ranks: the job and nodes that a launcher is to use, and the transports between ranks. Within
 * mpiexec OMPI_MCA_ belongs to the world of this process. */
static const char of_launchers[] = "SLURM_ PBS_ LSB_ PE_HOSTFILE= PMIX_MCA_ UCX_ FI_ PSM2_ OMPI_MCA_";

static bool begins_with_one(const char *entry, const char *beginnings)
{
  for (size_t length; (length = strcspn(beginnings, " ")) > 0; beginnings += length + (beginnings[length] == ' '))
    if (strncmp(entry, beginnings, length) == 0) return true;
  return false;
}

static bool is_passed_on(const char *entry, bool spreads)
{
  return begins_with_one(entry, passed_on) || (spreads && begins_with_one(entry, of_launchers) &&
                                               !(getenv("OMPI_COMM_WORLD_SIZE") && strncmp(entry, "OMPI_", 5) == 0));
}

/* The variables that are passed on, the threads of BLAS and OpenMP, node and job; NULL-ended. */
static char **make_environment(sb_arena *arena, const sb_start *start)
{
  const char *node = sb_node_name(arena), *job = sb_job_name(arena);
  size_t      n = 0;
  for (char **entry = environ; *entry; ++entry) n += is_passed_on(*entry, start->spreads);
  char **environment = sb_arena_take(arena, n + SB_THREAD_VARIABLES + 4, sizeof *environment);
  n = 0;
  for (char **entry = environ; *entry; ++entry)
    if (is_passed_on(*entry, start->spreads)) environment[n++] = sb_arena_copy(arena, *entry);
  for (int i = 0; i < SB_THREAD_VARIABLES; ++i) {
    const sb_thread_variable *variable = sb_thread_variables + i;
    environment[n++] = variable->value ? sb_arena_format(arena, "%s=%s", variable->name, variable->value)
                                       : sb_arena_format(arena, "%s=%ld", variable->name, (long)start->threads);
  }
  if (*node) environment[n++] = sb_arena_format(arena, SB_NODE_VARIABLE "=%s", node);
  if (*job) environment[n++] = sb_arena_format(arena, SB_JOB_VARIABLE "=%s", job);
  if (start->binds_now) environment[n++] = sb_arena_copy(arena, "LD_BIND_NOW=1");
  return environment;
}

/* In the child. */
_Noreturn static void become(const sb_start *start, char **environment, pid_t parent)
{
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  signal(SIGPIPE, SIG_DFL);
  if (start->signal_mask) sigprocmask(SIG_SETMASK, start->signal_mask, NULL);
  const struct rlimit limit = {(rlim_t)start->seconds, (rlim_t)start->seconds};
  if (start->seconds > 0) setrlimit(RLIMIT_CPU, &limit);
  if (start->cores) sched_setaffinity(0, sizeof *start->cores, start->cores);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(start->input >= 0 ? start->input : null, STDIN_FILENO);
  dup2(start->output >= 0 ? start->output : null, STDOUT_FILENO);
  dup2(start->log >= 0 ? start->log : null, STDERR_FILENO);
  execve(start->program, start->arguments, environment);
  fprintf(stderr, "cannot execute %s: %s\n", start->program, strerror(errno));
  _exit(127);
}

pid_t sb_start_program(const sb_start *start)
{
  SB_ENDED_BY(sb_arena_destroy) sb_arena *arena = sb_arena_create();
  char                                  **environment = make_environment(arena, start);
  const pid_t                             parent = getpid(), pid = fork();
  if (pid == 0) become(start, environment, parent);
  const int cause = errno;
  if (pid > 0) setpgid(pid, pid);
  errno = cause;
  return pid > 0 ? pid : 0;
}
