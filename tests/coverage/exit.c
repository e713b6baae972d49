/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts of a process that leaves by _exit or becomes another program, as the `case` processes do: gcov writes its
 * counters in an exit handler, which these pass over. Linked with --wrap in the coverage build alone. */
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

void           __gcov_dump(void);
void           __gcov_reset(void);
_Noreturn void __real__exit(int status);
_Noreturn void __wrap__exit(int status);
int            __real_execve(const char *path, char *const arguments[], char *const environment[]);
int            __wrap_execve(const char *path, char *const arguments[], char *const environment[]);
int            __real_execvp(const char *file, char *const arguments[]);
int            __wrap_execvp(const char *file, char *const arguments[]);

/* A test's limit on the size of files is not meant for the counts. */
static void lift_limit(void)
{
  struct rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_FSIZE, &limit);
  signal(SIGXFSZ, SIG_IGN);
}

_Noreturn void __wrap__exit(int status)
{
  lift_limit();
  __gcov_dump();
  __real__exit(status);
}

int __wrap_execve(const char *path, char *const arguments[], char *const environment[])
{
  __gcov_dump();
  const int failed = __real_execve(path, arguments, environment);
  __gcov_reset();
  return failed;
}

int __wrap_execvp(const char *file, char *const arguments[])
{
  __gcov_dump();
  const int failed = __real_execvp(file, arguments);
  __gcov_reset();
  return failed;
}
