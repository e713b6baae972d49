/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See address_space.h. The size of the BLAS's buffers is unknown from outside: a child process tries it, which the
 * kernel ends after a second of processor time. */
#include "cases/common/address_space.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/allocate.h"

/* The memory that MPI needs to start, with some reserve: with less it crashes. */
enum { ROOM_FOR_MPI = 96 << 20 };

bool sb_address_space_is_limited(void)
{
  struct rlimit space = {RLIM_INFINITY, RLIM_INFINITY}, data = space;
  getrlimit(RLIMIT_AS, &space);
  getrlimit(RLIMIT_DATA, &data);
  return space.rlim_cur != RLIM_INFINITY || data.rlim_cur != RLIM_INFINITY;
}

void sb_blas_begin_alone(char **argv)
{
  static const char variable[] = "OPENBLAS_NUM_THREADS";
  const char       *threads = getenv(variable);
  if (!sb_address_space_is_limited() || (threads && strcmp(threads, "1") == 0)) return;
  setenv(variable, "1", 1);
  execv("/proc/self/exe", argv);
}

/* Threads that this process has. */
static int64_t count_threads(void)
{
  int64_t count = 0;
  DIR    *entries = opendir("/proc/self/task");
  for (const struct dirent *entry; entries && (entry = readdir(entries));) count += entry->d_name[0] != '.';
  if (entries) closedir(entries);
  return count;
}

/* OpenBLAS keeps a returned buffer for the next request. Another BLAS has no such functions, and needs nothing. */
static bool take(int64_t threads)
{
  void *(*take_buffer)(int);
  void (*give_back)(void *), (*start_threads)(int);
  *(void **)&take_buffer = dlsym(RTLD_DEFAULT, "blas_memory_alloc");
  *(void **)&give_back = dlsym(RTLD_DEFAULT, "blas_memory_free");
  *(void **)&start_threads = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
  if (!take_buffer || !give_back || !start_threads) return true;
  SB_OWNED void **buffers = sb_allocate((size_t)threads, sizeof *buffers);
  int64_t         taken = 0;
  while (taken < threads && (buffers[taken] = take_buffer(0))) ++taken;
  for (int64_t i = 0; i < taken; ++i) give_back(buffers[i]);
  if (threads > 1) start_threads((int)threads);
  void *const rest = mmap(NULL, ROOM_FOR_MPI, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (rest != MAP_FAILED) munmap(rest, ROOM_FOR_MPI);
  return taken == threads && count_threads() >= threads && rest != MAP_FAILED;
}

bool sb_blas_take_room(int64_t threads)
{
  cpu_set_t mine;
  int       status = -1;
  if (!sb_address_space_is_limited()) return true;
  mallopt(M_ARENA_MAX, 1); /* else a thread of MPI's allocates 64 MiB for its own arena if there is room */
  /* More than there are processors it does not start. */
  if (sched_getaffinity(0, sizeof mine, &mine) == 0 && threads > CPU_COUNT(&mine)) threads = CPU_COUNT(&mine);
  const pid_t child = fork();
  if (child == 0) {
    setrlimit(RLIMIT_CPU, &(struct rlimit){1, 1});
    _exit(take(threads) ? 0 : 1);
  }
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && take(threads)) return true;
  fprintf(stderr,
          "springbench: error: out of memory: the limit of address space (ulimit -v, ulimit -d) is too low for MPI and "
          "the BLAS, whose buffers need about 128 MiB per thread (here %lld threads); raise it, or use fewer threads\n",
          (long long)threads);
  return false;
}
