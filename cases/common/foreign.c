/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs of others as processes; see foreign.h. The program stays in the process group of this process, so that
 * killing the group kills it too. Daemons become children of this process, which is a subreaper meanwhile. */
#include "cases/common/foreign.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/allocate.h"
#include "base/profile.h"
#include "cases/common/durable.h"
#include "cases/common/processes.h"

static const int stops[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1};
enum { STOPS = sizeof stops / sizeof *stops };
/* The signal that stopped this process, as it came. Any of its threads may have received it: blocking would not hold it
 * back. */
static siginfo_t             stopped;
static volatile sig_atomic_t is_stopped;
#define FOLDER_NAME     "springbench-simulator"
#define REMOVAL_SECONDS 0.5 /* of the case; a remover has the rest */
enum { NICENESS = 19 /* of the remover */, POLLS = 5 /* of a folder, to one of the processes' open files */ };

/* In the child. */
_Noreturn static void become(const sb_foreign_program *p, pid_t parent, int told)
{
  sigset_t            nothing;
  const struct rlimit limit = {(rlim_t)p->bytes_max, (rlim_t)p->bytes_max};
  const int           null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  if (p->bytes_max > 0) setrlimit(RLIMIT_FSIZE, &limit);
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigemptyset(&nothing);
  sigprocmask(SIG_SETMASK, &nothing, NULL);
  dup2(null, STDIN_FILENO);
  dup2(p->output, STDOUT_FILENO);
  dup2(p->output, STDERR_FILENO);
  close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  if (chdir(p->folder) == 0) execvp(p->words[0], (char *const *)p->words);
  const int cause = errno;
  _exit(write(told, &cause, sizeof cause) == sizeof cause ? 127 : 126);
}

/* 0 with the cause if there is no such program. */
static pid_t start(const sb_foreign_program *p, int *cause)
{
  int         told[2] = {-1, -1};
  const pid_t parent = getpid(), pid = pipe2(told, O_CLOEXEC) == 0 ? fork() : -1;
  if (pid == 0) become(p, parent, told[1]);
  *cause = errno;
  sb_close(&told[1]);
  const bool failed = pid < 0 || TEMP_FAILURE_RETRY(read(told[0], cause, sizeof *cause)) == sizeof *cause;
  sb_close(&told[0]);
  while (failed && pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
  return failed ? 0 : pid;
}

/* Changes into each folder, as a path may be longer than system calls allow. */
#define IN_FOLDERS (FTS_PHYSICAL | FTS_XDEV)

static const char *wrote_too_much(const sb_foreign_program *p, sb_arena *arena)
{
  char bytes[32];
  return sb_arena_format(arena, "wrote more than %s", sb_format_bytes(p->bytes_max, bytes));
}

/* The failure of a program whose temporary folder is larger than allowed; NULL: it is not. `unlinked`: with the files
 * that its processes have open, but that no longer have a name. */
static const char *check_folder(const sb_foreign_program *p, bool unlinked, sb_arena *arena)
{
  char  *roots[] = {(char *)p->folder, NULL};
  double bytes = unlinked && p->temporary && p->bytes_max > 0 ? sb_processes_unlinked_bytes(getpid(), p->folder) : 0;
  FTS   *tree = p->temporary && p->bytes_max > 0 ? fts_open(roots, IN_FOLDERS, NULL) : NULL;
  for (FTSENT *entry; tree && (entry = fts_read(tree));)
    if (entry->fts_info == FTS_F) bytes += 512 * (double)entry->fts_statp->st_blocks;
  if (tree) fts_close(tree);
  return bytes > p->bytes_max ? wrote_too_much(p, arena) : NULL;
}

static void note_stop(int number, siginfo_t *from, void *context)
{
  (void)number, (void)context;
  if (is_stopped) return;
  stopped = *from;
  is_stopped = 1;
}

static void catch_stops(struct sigaction before[STOPS])
{
  const struct sigaction action = {.sa_sigaction = note_stop, .sa_flags = SA_SIGINFO | SA_RESTART};
  is_stopped = 0;
  for (int i = 0; i < STOPS; ++i) {
    sigaction(stops[i], NULL, &before[i]);
    if (before[i].sa_handler != SIG_IGN) sigaction(stops[i], &action, NULL);
  }
}

/* A signal that came meanwhile acts now. */
static void release_stops(const struct sigaction before[STOPS])
{
  for (int i = 0; i < STOPS; ++i) sigaction(stops[i], &before[i], NULL);
  if (is_stopped) syscall(SYS_rt_sigqueueinfo, getpid(), stopped.si_signo, &stopped);
}

/* Waits until it has ended, or must be. */
static void watch(const sb_foreign_program *p, pid_t pid, int *status, sb_foreign_end *end, sb_arena *arena)
{
  const double  started = sb_clock_seconds();
  int           pause_ms = 5, polls = 0;
  struct pollfd ended = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN}; /* -1 with old kernels */
  while (!is_stopped && !end->failure && waitpid(pid, status, WNOHANG) == 0) {
    if (p->seconds_max > 0 && sb_clock_seconds() - started > p->seconds_max)
      end->failure = sb_arena_format(arena, "over the limit of %g s", p->seconds_max);
    else
      end->failure = check_folder(p, ++polls % POLLS == 0, arena);
    if (!end->failure) poll(&ended, 1, pause_ms);
    if (pause_ms < 50) pause_ms += 5;
  }
  end->seconds = sb_clock_seconds() - started;
  sb_close(&ended.fd);
}

/* The failure of a program that ended with a status of waitpid; NULL: it did not fail. */
static const char *read_status(const sb_foreign_program *p, int status, bool *crashed, sb_arena *arena)
{
  if (WIFEXITED(status))
    return WEXITSTATUS(status) == 0 ? NULL : sb_arena_format(arena, "exit status %d", WEXITSTATUS(status));
  if (WTERMSIG(status) == SIGXFSZ) return wrote_too_much(p, arena);
  const char *name = sigabbrev_np(WTERMSIG(status));
  *crashed = true;
  return sb_arena_format(arena, "killed by SIG%s", name ? name : "?");
}

sb_foreign_end sb_foreign_run(const sb_foreign_program *p, sb_arena *arena)
{
  sb_foreign_end   end = {0};
  struct sigaction before[STOPS];
  int              reaped = 0, cause = 0, status = 0;
  catch_stops(before);
  prctl(PR_GET_CHILD_SUBREAPER, &reaped);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t pid = start(p, &cause);
  if (pid > 0)
    watch(p, pid, &status, &end, arena);
  else
    end.failure = sb_arena_format(arena, "cannot start %s: %s", p->words[0], strerror(cause));
  sb_processes_end_below();
  prctl(PR_SET_CHILD_SUBREAPER, reaped);
  if (!end.failure) end.failure = check_folder(p, false, arena);
  if (!end.failure && !is_stopped) end.failure = read_status(p, status, &end.crashed, arena);
  if (is_stopped) end.failure = "stopped by a signal";
  if (is_stopped && p->temporary) sb_foreign_remove(p->folder);
  release_stops(before);
  return end;
}

/* ---- files ---- */

/* False if that takes longer than `seconds_max`: then a part is left. */
static bool remove_tree(const char *folder, double seconds_max)
{
  const double until = sb_clock_seconds() + seconds_max;
  char        *roots[] = {(char *)folder, NULL};
  FTS         *tree = fts_open(roots, IN_FOLDERS, NULL);
  bool         in_time = true;
  for (FTSENT *entry; tree && in_time && (entry = fts_read(tree));) {
    if (entry->fts_info == FTS_D) (void)chmod(entry->fts_accpath, 0700);
    if (entry->fts_info == FTS_DP || entry->fts_info == FTS_DNR)
      (void)rmdir(entry->fts_accpath);
    else if (entry->fts_info != FTS_D)
      (void)unlink(entry->fts_accpath);
    in_time = sb_clock_seconds() <= until;
  }
  if (tree) fts_close(tree);
  return in_time;
}

/* In the remover. It renames a folder first: so it is its own, and left again if the remover is killed. */
_Noreturn static void remove_all(char *const *folders, size_t count)
{
  char host[64];
  setpriority(PRIO_PROCESS, 0, NICENESS);
  for (size_t i = 0; i < count; ++i) {
    SB_OWNED char *own = sb_format("%.*s" FOLDER_NAME ".%s.%ld%s", (int)(strrchr(folders[i], '/') + 1 - folders[i]),
                                   folders[i], sb_host_name(host), (long)getpid(), strrchr(folders[i], '.'));
    if (rename(folders[i], own) == 0) remove_tree(own, INFINITY);
  }
  _exit(0);
}

/* A remover that kept the files of its parent would also keep their locks. */
static void close_files(void)
{
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int i = 0; i <= STDERR_FILENO; ++i) dup2(null, i);
  close_range(STDERR_FILENO + 1, ~0U, 0);
}

/* By a process that outlives this one, outside of its group. Nobody waits for it. */
static void remove_in_background(char *const *folders, size_t count)
{
  const pid_t between = count > 0 ? fork() : -1;
  if (between == 0) {
    setsid();
    close_files();
    if (fork() == 0) remove_all(folders, count);
    _exit(0);
  }
  while (between > 0 && waitpid(between, NULL, 0) < 0 && errno == EINTR) continue;
}

void sb_foreign_remove(const char *folder)
{
  if (!remove_tree(folder, REMOVAL_SECONDS)) remove_in_background((char *const *)&folder, 1);
}

static const char *place_of_folders(void)
{
  const char *given = getenv("TMPDIR");
  return given && *given == '/' ? given : "/tmp";
}

/* Nobody else can write in them. */
void sb_foreign_remove_left(void)
{
  SB_ENDED_BY(sb_arena_destroy) sb_arena *arena = sb_arena_create();
  const char                             *place = place_of_folders();
  DIR                                    *entries = opendir(place);
  char                                  **left = NULL;
  size_t                                  count = 0;
  struct stat                             s;
  for (const struct dirent *entry; entries && (entry = readdir(entries));) {
    if (strncmp(entry->d_name, FOLDER_NAME ".", sizeof FOLDER_NAME) != 0 || !sb_process_left(entry->d_name)) continue;
    if (fstatat(dirfd(entries), entry->d_name, &s, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (S_ISDIR(s.st_mode) && s.st_uid == geteuid() && (s.st_mode & 0777) == 0700)
      *SB_NEW_ITEM(arena, left, count) = sb_arena_format(arena, "%s/%s", place, entry->d_name);
  }
  if (entries) closedir(entries);
  remove_in_background(left, count);
}

char *sb_foreign_folder(sb_arena *arena)
{
  char host[64];
  sb_foreign_remove_left();
  return mkdtemp(sb_arena_format(arena, "%s/" FOLDER_NAME ".%s.%ld.XXXXXX", place_of_folders(), sb_host_name(host),
                                 (long)getpid()));
}
