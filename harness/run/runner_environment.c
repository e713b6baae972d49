/* What a case's process finds around it: its environment and its cores; see runner_child.h. How MPI starts is the
 * business of the case itself (case_launch.c). */
#include <hwloc.h>
#include <hwloc/glibc-sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/input_file.h"
#include "harness/common/durable.h"
#include "harness/run/case_launch.h"
#include "harness/run/runner_child.h"

static const char *const passed_on[] = {
    "PATH",         "HOME",         "LANG",          "LC_ALL",
    "LC_CTYPE",     "LC_NUMERIC",   "TMPDIR",        "LD_LIBRARY_PATH",
    "ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS", "GCOV_PREFIX",
    SB_INPUTS_VARIABLE,
};
#define COUNT(array) (sizeof(array) / sizeof *(array))

char **sb_environment_create(int64_t threads)
{
  enum { CAPACITY = 32 };
  _Static_assert(COUNT(passed_on) + SB_THREAD_VARIABLES + 1 <= CAPACITY, "room for all variables");
  char **environment = sb_allocate(CAPACITY, sizeof *environment);
  size_t n = 0;
  for (size_t i = 0; i < COUNT(passed_on); ++i) {
    const char *value = getenv(passed_on[i]);
    if (value) environment[n++] = sb_format("%s=%s", passed_on[i], value);
  }
  for (int i = 0; i < SB_THREAD_VARIABLES; ++i)
    environment[n++] = sb_format("%s=%ld", sb_thread_variables[i], (long)threads);
  return environment;
}

void sb_environment_destroy(char **environment)
{
  for (char **variable = environment; variable && *variable; ++variable) free(*variable);
  free(environment);
}

/* Slot s takes cores s width … (s + 1) width − 1. */
static bool pin_slots(sb_slots *slots, hwloc_topology_t topology, hwloc_obj_type_t type, int width)
{
  slots->sets = sb_allocate((size_t)slots->count, sizeof *slots->sets);
  for (int s = 0; s < slots->count; ++s) {
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    for (int core = s * width; core < (s + 1) * width && core < slots->cores; ++core)
      hwloc_bitmap_or(set, set, hwloc_get_obj_by_type(topology, type, (unsigned)core)->cpuset);
    hwloc_cpuset_to_glibc_sched_affinity(topology, set, &slots->sets[s], sizeof slots->sets[s]);
    hwloc_bitmap_free(set);
  }
  return slots->sets != NULL;
}

void sb_slots_create(sb_slots *slots, int asked, int width)
{
  hwloc_topology_t topology = NULL;
  hwloc_obj_type_t type = HWLOC_OBJ_CORE;
  *slots = (sb_slots){.cores = (int)sysconf(_SC_NPROCESSORS_ONLN)};
  const bool known = hwloc_topology_init(&topology) == 0 && hwloc_topology_load(topology) == 0;
  if (known && hwloc_get_nbobjs_by_type(topology, type) < 1) type = HWLOC_OBJ_PU;
  if (known) slots->cores = hwloc_get_nbobjs_by_type(topology, type);
  if (slots->cores < 1) slots->cores = 1;
  slots->count = slots->cores / width;
  if (slots->count < 1) slots->count = 1;
  if (asked > 0 && asked < slots->count) slots->count = asked;
  if (known) pin_slots(slots, topology, type, width);
  if (topology) hwloc_topology_destroy(topology);
}

void sb_slots_destroy(sb_slots *slots)
{
  free(slots->sets);
  *slots = (sb_slots){0};
}
