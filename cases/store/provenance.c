/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The origin of a result; see case_writer.h. Facts that cannot be found are "unknown", never left out. */

#include <cholmod.h>
#include <dlfcn.h>
#include <mpi.h>
#include <petscsys.h>
#include <pwd.h>
#include <sched.h>
#include <slepcsys.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/diagnostics.h"
#include "cases/common/durable.h"
#include "cases/common/machine.h"
#include "cases/store/build_facts.h"
#include "cases/store/case_writer.h"
#include "cases/store/origin.h"

/* The build of OpenBLAS; NULL: it is another BLAS. */
static const char *openblas(void)
{
  char *(*describe)(void) = NULL;
  void *const described = dlsym(RTLD_DEFAULT, "openblas_get_config");
  memcpy(&describe, &described, sizeof described);
  return describe ? describe() : NULL;
}

static void write_libraries(hid_t group, sb_arena *arena)
{
  char        mpi[MPI_MAX_LIBRARY_VERSION_STRING] = "unknown";
  unsigned    hdf5[3] = {0};
  int         cholmod[3] = {0}, length = 0, (*count_threads)(void) = NULL;
  PetscInt    petsc[3] = {0}, slepc[3] = {0};
  void *const counted = dlsym(RTLD_DEFAULT, "openblas_get_num_threads");
  memcpy(&count_threads, &counted, sizeof counted);
  if (PetscGetVersionNumber(&petsc[0], &petsc[1], &petsc[2], NULL) != 0) sb_h5_refuse("PETSc has no version");
  if (SlepcGetVersionNumber(&slepc[0], &slepc[1], &slepc[2], NULL) != 0) sb_h5_refuse("SLEPc has no version");
  cholmod_version(cholmod);
  H5get_libversion(&hdf5[0], &hdf5[1], &hdf5[2]);
  if (MPI_Get_library_version(mpi, &length) != MPI_SUCCESS) length = 0;
  sb_h5_put_text(group, "petsc_version",
                 sb_arena_format(arena, "%d.%d.%d", (int)petsc[0], (int)petsc[1], (int)petsc[2]));
  sb_h5_put_text(group, "slepc_version",
                 sb_arena_format(arena, "%d.%d.%d", (int)slepc[0], (int)slepc[1], (int)slepc[2]));
  sb_h5_put_text(group, "cholmod_version", sb_arena_format(arena, "%d.%d.%d", cholmod[0], cholmod[1], cholmod[2]));
  sb_h5_put_text(group, "blas", openblas() ? openblas() : "unknown");
  sb_h5_put_integer(group, "blas_threads", count_threads ? count_threads() : 0);
  sb_h5_put_text(group, "hdf5_version", sb_arena_format(arena, "%u.%u.%u", hdf5[0], hdf5[1], hdf5[2]));
  sb_h5_put_text(group, "mpi_version", sb_arena_format(arena, "%.*s", (int)strcspn(mpi, ",\n"), mpi));
}

const char *sb_libraries_text(sb_arena *arena)
{
  char petsc[128] = "unknown PETSc";
  int  cholmod[3] = {0};
  (void)PetscGetVersion(petsc, sizeof petsc);
  cholmod_version(cholmod);
  return sb_arena_format(arena, "%s, CHOLMOD %d.%d.%d, %s", petsc, cholmod[0], cholmod[1], cholmod[2],
                         openblas() ? openblas() : "unknown BLAS");
}

static void write_machine(hid_t group, const char *hosts, sb_arena *arena)
{
  double         load[3] = {0};
  cpu_set_t      allowed;
  struct utsname name;
  const bool     named = uname(&name) == 0;
  if (getloadavg(load, 3) < 3) memset(load, 0, sizeof load);
  sb_h5_put_text(group, "host", hosts);
  sb_h5_put_text(group, "node", sb_node_name(arena));
  sb_h5_put_text(group, "job", sb_job_name(arena));
  sb_h5_put_text(group, "machine", sb_machine_name(arena));
  sb_h5_put_text(
      group, "kernel",
      sb_arena_format(arena, "%s%s%s", named ? name.sysname : "unknown", named ? " " : "", named ? name.release : ""));
  sb_h5_put_text(group, "cpu", sb_machine_line(arena, "/proc/cpuinfo", "model name"));
  sb_h5_put_text(group, "microcode", sb_machine_microcode(arena));
  sb_h5_put_text(group, "caches", sb_machine_caches(arena));
  sb_h5_put_text(group, "memory", sb_machine_memory(arena));
  sb_h5_put_text(group, "governor",
                 sb_machine_line(arena, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", NULL));
  sb_h5_put_integer(group, "cores", sysconf(_SC_NPROCESSORS_ONLN));
  sb_h5_put_integer(group, "cores_usable",
                    sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 0);
  sb_h5_put(group, "load_average", H5T_NATIVE_DOUBLE, 3, load);
}

const char *sb_author_name(sb_arena *arena)
{
  const struct passwd *account = getpwuid(geteuid());
  const char          *real = account && account->pw_gecos ? account->pw_gecos : "";
  const char          *names[] = {getenv("SPRINGBENCH_AUTHOR"), sb_arena_copy_span(arena, real, strcspn(real, ",")),
                         account ? account->pw_name : NULL};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (names[i] && *names[i] && sb_is_printable(names[i])) return sb_arena_copy(arena, names[i]);
  return "unknown";
}

void sb_provenance_write(hid_t file, const sb_provenance *p)
{
  char                                    now[32];
  SB_ENDED_BY(sb_arena_destroy) sb_arena *arena = sb_arena_create();
  const char                             *environment = getenv("PETSC_OPTIONS");
  SB_H5_ID                                group = sb_h5_group(file, "provenance");
  sb_h5_put_text(group, "git_describe", SB_BUILD_GIT);
  sb_h5_put_text(group, "build", p->build);
  sb_h5_put_text(group, "version", SB_BUILD_VERSION);
  sb_h5_put_text(group, "compiler", SB_BUILD_COMPILER);
  sb_h5_put_text(group, "compiler_flags", SB_BUILD_FLAGS);
  sb_h5_put_text(group, "build_type", SB_BUILD_TYPE);
  write_libraries(group, arena);
  write_machine(group, p->hosts, arena);
  sb_h5_put_integer(group, "ranks", p->ranks);
  sb_h5_put_integer(group, "threads", p->threads);
  /* Threads of this process now, those of libraries included; 0: not known. */
  sb_h5_put_integer(group, "threads_running", atol(sb_machine_line(arena, "/proc/self/status", "Threads")));
  sb_h5_put_integer(group, "warm_up", p->warm_up);
  sb_h5_put_integer(group, "repetition", p->repetition);
  sb_h5_put_integer(group, "continued", p->continued);
  sb_h5_put_text(group, "petsc_options", p->petsc_options);
  sb_h5_put_text(group, "petsc_options_environment", environment ? environment : "");
  sb_h5_put_text(group, "plugins", p->plugins ? p->plugins : "");
  sb_h5_put_text(group, "warnings", p->warnings ? p->warnings : "");
  sb_h5_put_text(group, "start_utc", p->start_utc);
  sb_h5_put_text(group, "end_utc", sb_now(now));
}
