/* Starting a case's process; see case_launch.h. OpenBLAS and OpenMP read their variables when they are loaded, so a
 * process whose variables are wrong has to be executed again. The settings of MPI bring the start of a single process
 * from 0.33 s to 0.026 s; under mpiexec some of them make MPI_Init abort. Single processes would all share one session
 * directory, and one that ends removes it from under one that starts (5 of 150 failed, six at a time): they get none.
 * What a user has set stands. */
#include "harness/run/case_launch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/allocate.h"
#include "base/options.h"

typedef struct {
  const char *name, *value;
} setting;

static const setting one_rank[] = {
    {"OMPI_MCA_ess_singleton_isolated", "1"},
    {"OMPI_MCA_btl", "self"},
    {"OMPI_MCA_pml", "ob1"},
    {"OMPI_MCA_osc", "^ucx"},
    {"OMPI_MCA_coll", "^hcoll,tuned,ucc"},
    {"OMPI_MCA_orte_create_session_dirs", "0"},
};
static const setting several_ranks[] = {
    {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
    {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
    {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
    {"OMPI_MCA_hwloc_base_binding_policy", "none"},
    {"OMPI_MCA_mpi_yield_when_idle", "1"},
    {"OMPI_MCA_pml", "ob1"},
    {"OMPI_MCA_btl", "self,vader"},
    {"OMPI_MCA_osc", "^ucx"},
    {"OMPI_MCA_coll", "^hcoll,ucc"},
};
enum { ONE_RANK = sizeof one_rank / sizeof *one_rank, SEVERAL_RANKS = sizeof several_ranks / sizeof *several_ranks };

int64_t sb_launch_world(void)
{
  int64_t     ranks = 1;
  const char *size = getenv("OMPI_COMM_WORLD_SIZE");
  if (!size && !getenv("PMIX_RANK")) return 0;
  return size && sb_parse_integer(size, &ranks) && ranks > 0 ? ranks : 1;
}

int64_t sb_launch_rank(void)
{
  int64_t     rank = 0;
  const char *number = getenv("OMPI_COMM_WORLD_RANK");
  return number && sb_parse_integer(number, &rank) ? rank : 0;
}

static void set_all(const setting *settings, size_t count)
{
  for (size_t i = 0; i < count; ++i) setenv(settings[i].name, settings[i].value, 0);
}

const char *const sb_thread_variables[SB_THREAD_VARIABLES] = {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS",
                                                              "OMP_THREAD_LIMIT"};

bool sb_launch(int argc, char **argv, int64_t ranks, int64_t threads)
{
  static char  mpiexec[] = "mpiexec", quiet[] = "--quiet", crowd[] = "--oversubscribe", root[] = "--allow-run-as-root";
  static char  number[] = "-n";
  char         wanted[24], count[24], program[4096] = {0};
  char        *before[] = {mpiexec, quiet, crowd, root, number, count};
  const bool   first = sb_launch_world() == 0, several = first && ranks > 1;
  const size_t words = several ? sizeof before / sizeof *before : 0;
  bool         in_place = !several;
  snprintf(wanted, sizeof wanted, "%lld", (long long)threads);
  snprintf(count, sizeof count, "%lld", (long long)ranks);
  for (int i = 0; i < SB_THREAD_VARIABLES; ++i) {
    const char *found = getenv(sb_thread_variables[i]);
    if (found && strcmp(found, wanted) == 0) continue;
    setenv(sb_thread_variables[i], wanted, 1);
    in_place = false;
  }
  /* A single process's settings are inherited by what it starts; mpiexec must not see them. */
  const bool inherited = several && getenv(one_rank[0].name);
  for (int i = 0; inherited && i < ONE_RANK; ++i) unsetenv(one_rank[i].name);
  if (several) set_all(several_ranks, SEVERAL_RANKS);
  if (first && !several) set_all(one_rank, ONE_RANK);
  if (in_place) return true;
  if (readlink("/proc/self/exe", program, sizeof program - 1) < 0) {
    fprintf(stderr, "springbench: error: /proc/self/exe: %s\n", strerror(errno));
    return false;
  }
  if (access(program, X_OK) != 0) { /* the link then says "… (deleted)"; mpiexec would report that as a crash */
    fprintf(stderr, "springbench: error: the program was replaced while the sweep ran: %s\n", program);
    return false;
  }
  char **all = sb_allocate(words + (size_t)argc + 2, sizeof *all);
  memcpy(all, before, words * sizeof *all);
  all[words] = program;
  memcpy(all + words + 1, argv, (size_t)argc * sizeof *all);
  execvp(all[0], all);
  fprintf(stderr, "springbench: error: cannot execute %s: %s\n", all[0], strerror(errno));
  free(all);
  return false;
}
