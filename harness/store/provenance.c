/* Where a result comes from: build, libraries, machine; see case_writer.h. What cannot be found out is "unknown", never
 * left out. */

#include <cholmod.h>
#include <dlfcn.h>
#include <mpi.h>
#include <petscsys.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "harness/common/durable.h"
#include "harness/store/build_facts.h"
#include "harness/store/case_writer.h"

enum { TEXT_SIZE = 256 };

/* Attributes from pairs of a name and a text, NULL-ended. */
static bool put_texts(hid_t group, const char *const *pairs)
{
  for (; *pairs; pairs += 2)
    if (!sb_h5_put_text(group, pairs[0], pairs[1])) return false;
  return true;
}

/* OpenBLAS says what it is; another BLAS has no such function, and is then not asked. */
static void describe_blas(char text[TEXT_SIZE])
{
  char *(*get_config)(void) = NULL;
  void *symbol = dlsym(RTLD_DEFAULT, "openblas_get_config");
  memcpy(&get_config, &symbol, sizeof symbol);
  snprintf(text, TEXT_SIZE, "%s", symbol ? get_config() : "unknown");
}

static int64_t count_blas_threads(void)
{
  int (*get_num_threads)(void) = NULL;
  void *symbol = dlsym(RTLD_DEFAULT, "openblas_get_num_threads");
  memcpy(&get_num_threads, &symbol, sizeof symbol);
  return symbol ? get_num_threads() : 0;
}

/* Threads of this process now, those of libraries included; 0: not known. */
static int64_t count_threads(void)
{
  char  line[TEXT_SIZE];
  long  count = 0;
  FILE *stream = fopen("/proc/self/status", "re");
  while (stream && fgets(line, sizeof line, stream))
    if (sscanf(line, "Threads: %ld", &count) == 1) break;
  if (stream) fclose(stream);
  return count;
}

static void describe_mpi(char text[TEXT_SIZE])
{
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "unknown";
  int  length = 0;
  if (MPI_Get_library_version(version, &length) != MPI_SUCCESS) length = 0;
  snprintf(text, TEXT_SIZE, "%.*s", (int)strcspn(version, ",\n"), version);
}

static bool write_libraries(hid_t group)
{
  char     petsc[TEXT_SIZE], blas[TEXT_SIZE], mpi[TEXT_SIZE], cholmod[TEXT_SIZE], hdf5[TEXT_SIZE];
  unsigned major = 0, minor = 0, release = 0;
  int      parts[3] = {0};
  PetscInt numbers[3] = {0};
  if (PetscGetVersionNumber(&numbers[0], &numbers[1], &numbers[2], NULL) != 0) return false;
  snprintf(petsc, sizeof petsc, "%d.%d.%d", (int)numbers[0], (int)numbers[1], (int)numbers[2]);
  cholmod_version(parts);
  snprintf(cholmod, sizeof cholmod, "%d.%d.%d", parts[0], parts[1], parts[2]);
  if (H5get_libversion(&major, &minor, &release) < 0) return false;
  snprintf(hdf5, sizeof hdf5, "%u.%u.%u", major, minor, release);
  describe_blas(blas);
  describe_mpi(mpi);
  return put_texts(group,
                   (const char *const[]){"petsc_version", petsc, "cholmod_version", cholmod, "blas", blas, NULL}) &&
         sb_h5_put_integer(group, "blas_threads", count_blas_threads()) &&
         put_texts(group, (const char *const[]){"hdf5_version", hdf5, "mpi_version", mpi, NULL});
}

/* The first line of a file, or of what follows ": " on its first line that starts with `key`. */
static void first_line(const char *path, const char *key, char text[TEXT_SIZE])
{
  char   *line = NULL;
  size_t  capacity = 0;
  ssize_t length = 0;
  FILE   *stream = fopen(path, "r");
  snprintf(text, TEXT_SIZE, "unknown");
  while (stream && (length = getline(&line, &capacity, stream)) > 0) {
    if (key && strncmp(line, key, strlen(key)) != 0) continue;
    const char *value = key ? strstr(line, ": ") : NULL;
    value = value ? value + 2 : line;
    snprintf(text, TEXT_SIZE, "%.*s", (int)strcspn(value, "\n"), value);
    break;
  }
  free(line);
  if (stream) fclose(stream);
}

static bool write_machine(hid_t group)
{
  char           cpu[TEXT_SIZE], governor[TEXT_SIZE], host[TEXT_SIZE] = "unknown", kernel[TEXT_SIZE] = "unknown";
  double         load[3] = {0};
  cpu_set_t      allowed;
  struct utsname name;
  first_line("/proc/cpuinfo", "model name", cpu);
  first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", NULL, governor);
  if (getloadavg(load, 3) < 3) memset(load, 0, sizeof load);
  if (uname(&name) == 0) {
    snprintf(host, sizeof host, "%s", name.nodename);
    snprintf(kernel, sizeof kernel, "%s %s", name.sysname, name.release);
  }
  const int64_t usable = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 0;
  return put_texts(group,
                   (const char *const[]){"host", host, "kernel", kernel, "cpu", cpu, "governor", governor, NULL}) &&
         sb_h5_put_integer(group, "cores", sysconf(_SC_NPROCESSORS_ONLN)) &&
         sb_h5_put_integer(group, "cores_usable", usable) && sb_h5_put_reals(group, "load_average", 3, load);
}

static bool write_run(hid_t group, const sb_provenance *p)
{
  const char *environment = getenv("PETSC_OPTIONS");
  char        now[32];
  return sb_h5_put_integer(group, "ranks", p->ranks) && sb_h5_put_integer(group, "threads", p->threads) &&
         sb_h5_put_integer(group, "threads_running", count_threads()) &&
         sb_h5_put_integer(group, "warm_up", p->warm_up) && sb_h5_put_integer(group, "repetition", p->repetition) &&
         put_texts(group,
                   (const char *const[]){"petsc_options", p->petsc_options, "petsc_options_environment",
                                         environment ? environment : "", "warnings", p->warnings ? p->warnings : "",
                                         "start_utc", p->start_utc, "end_utc", sb_now(now), NULL});
}

bool sb_provenance_write(hid_t file, const sb_provenance *provenance)
{
  static const char *const build[] = {
      "git_describe",   SB_BUILD_GIT,   "version",    SB_BUILD_VERSION, "compiler", SB_BUILD_COMPILER,
      "compiler_flags", SB_BUILD_FLAGS, "build_type", SB_BUILD_TYPE,    NULL};
  const hid_t group = sb_h5_group(file, "provenance");
  const bool  ok =
      put_texts(group, build) && write_libraries(group) && write_machine(group) && write_run(group, provenance);
  return SB_H5_CLOSE(ok, group);
}
