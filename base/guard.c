/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See guard.h. */
#include "base/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/allocate.h"
#include "base/number.h"
#include "base/profile.h"

/* Drivers of several cards take seconds each where no process keeps them loaded. */
enum { ANSWER_SECONDS = 20, REAP_MS = 2000 };

static double limit_seconds(void)
{
  double      seconds;
  const char *text = getenv(SB_LOAD_SECONDS_VARIABLE);
  return text && sb_parse_real(text, &seconds) && seconds > 0 && seconds < 1e6 ? seconds : ANSWER_SECONDS;
}

/* In the copy. */
_Noreturn static void answer(void (*work)(void *subject), void *subject, size_t bytes, int to)
{
  sigset_t  nothing;
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setpgid(0, 0);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) dup2(null, stream);
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigemptyset(&nothing);
  sigprocmask(SIG_SETMASK, &nothing, NULL);
  work(subject);
  const char *from = subject;
  for (ssize_t wrote; bytes > 0 && (wrote = TEMP_FAILURE_RETRY(write(to, from, bytes))) > 0; from += wrote)
    bytes -= (size_t)wrote;
  _exit(EXIT_SUCCESS);
}

/* Returns the number of bytes that came before the end or the time `until`. */
static size_t collect(int from, char *to, size_t bytes, double until)
{
  size_t done = 0;
  while (done < bytes) {
    const double  left = until - sb_clock_seconds();
    struct pollfd end = {.fd = from, .events = POLLIN};
    const int     ready = left > 0 ? poll(&end, 1, (int)ceil(1e3 * fmin(left, 1e6))) : 0;
    if (left <= 0 || (ready < 0 && errno != EINTR)) break;
    const ssize_t got = ready > 0 ? read(from, to + done, bytes - done) : 0;
    if (ready > 0 && got <= 0) break;
    done += (size_t)got;
  }
  return done;
}

/* Ends what is left of the copy and what it started. Returns a status of waitpid; -1: the kernel does not end it. */
static int reap(pid_t copy)
{
  int status = -1;
  kill(-copy, SIGKILL);
  for (int ms = 0; ms < REAP_MS && waitpid(copy, &status, WNOHANG) == 0; ++ms) poll(NULL, 0, 1);
  return status;
}

bool sb_guard_try(void (*work)(void *subject), void *subject, size_t bytes, char why[SB_GUARD_WHY])
{
  int            ends[2] = {-1, -1};
  const double   limit = limit_seconds(), until = sb_clock_seconds() + limit;
  SB_OWNED char *read_back = sb_allocate(1, bytes);
  fflush(NULL); /* else a copy that calls exit prints it again */
  const pid_t copy = pipe2(ends, O_CLOEXEC) == 0 ? fork() : -1;
  if (copy == 0) answer(work, subject, bytes, ends[1]);
  snprintf(why, SB_GUARD_WHY, "could not be tried in another process: %s", strerror(errno));
  if (ends[1] >= 0) close(ends[1]);
  const bool whole = copy > 0 && collect(ends[0], read_back, bytes, until) == bytes;
  const bool late = !whole && sb_clock_seconds() >= until;
  if (ends[0] >= 0) close(ends[0]);
  if (whole) memcpy(subject, read_back, bytes);
  const int   status = copy > 0 ? reap(copy) : 0;
  const char *signal_name = WIFSIGNALED(status) ? sigabbrev_np(WTERMSIG(status)) : NULL;
  if (copy > 0 && late)
    snprintf(why, SB_GUARD_WHY, "did not answer within %g s (" SB_LOAD_SECONDS_VARIABLE " sets this limit)", limit);
  else if (copy > 0 && signal_name)
    snprintf(why, SB_GUARD_WHY, "crashed (SIG%s)", signal_name);
  else if (copy > 0)
    snprintf(why, SB_GUARD_WHY, "ended the process (exit status %d)", WEXITSTATUS(status));
  return whole;
}

/* ---- arrays ---- */

/* Whole pages for an array. */
static size_t pages_of(size_t count)
{
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  return (count * sizeof(double) + page - 1) / page * page;
}

double *sb_guard_array(size_t count)
{
  const size_t bytes = pages_of(count), page = (size_t)sysconf(_SC_PAGESIZE);
  char *const  from = mmap(NULL, bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (from == MAP_FAILED) return NULL;
  if (mprotect(from + bytes, page, PROT_NONE) != 0) return munmap(from, bytes + page), NULL;
  return (double *)(void *)(from + bytes) - count;
}

void sb_guard_free(double *array, size_t count)
{
  const size_t bytes = pages_of(count);
  if (array) munmap((char *)(array + count) - bytes, bytes + (size_t)sysconf(_SC_PAGESIZE));
}

/* ---- a call of exit ---- */

static const char *unfinished; /* NULL: nothing is guarded */
static pid_t       guarded;

/* True, after a message, if the process ends too early. */
static bool is_early(int status)
{
  if (!unfinished || getpid() != guarded) return false;
  fprintf(stderr,
          "springbench: error: a plug-in, a driver of a device or a library called exit(%d) before %s had ended\n",
          status, unfinished);
  fflush(NULL);
  unfinished = NULL;
  return true;
}

static void refuse_exit(int status, void *context)
{
  (void)context;
  if (is_early(status)) _exit(EXIT_FAILURE);
}

/* Replaces those of the C library, also for plug-ins and drivers: another status than 0 is a failure already. */
__attribute__((visibility("default"))) void _exit(int status)
{
  if (status == EXIT_SUCCESS && is_early(status)) status = EXIT_FAILURE;
  for (;;) syscall(SYS_exit_group, status);
}

__attribute__((visibility("default"))) void _Exit(int status) { _exit(status); }

void sb_guard_begin(const char *what)
{
  static bool registered;
  if (!registered) registered = on_exit(refuse_exit, NULL) == 0;
  unfinished = what;
  guarded = getpid();
}

void sb_guard_end(void) { unfinished = NULL; }
