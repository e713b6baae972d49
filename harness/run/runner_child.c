/* One case as a process: fork, limits, reaping; see runner_child.h. The child dies with the runner (PR_SET_PDEATHSIG),
 * has its own process group, its own log, and a clean environment. */
#include "harness/run/runner_child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/profile.h"
#include "harness/common/durable.h"
#include "harness/common/processes.h"

enum { GRACE_SECONDS = 2, OUTPUT_MAX = 1 << 20, ARGUMENTS_EXTRA = 16 };

static size_t add_flag(char **arguments, size_t n, const char *flag, char *value)
{
  arguments[n++] = sb_format("%s", flag);
  arguments[n++] = value;
  return n;
}

/* The command line of the case; the place of the output file's path, which holds the child's process id, in *path_at.
 */
static char **case_arguments(const sb_child_task *task, size_t *path_at)
{
  char **arguments = sb_allocate(SB_OPT_COUNT + ARGUMENTS_EXTRA, sizeof *arguments);
  size_t n = 0;
  arguments[n++] = sb_format("springbench");
  arguments[n++] = sb_format("case");
  for (int id = 0; id < SB_OPT_COUNT; ++id) {
    const sb_options *options = task->planned->options;
    if (!sb_options_has(options, (sb_option_id)id) || sb_options_origin(options, (sb_option_id)id) != SB_FROM_USER)
      continue;
    arguments[n++] =
        sb_format("%s=%s", sb_option_at((sb_option_id)id)->name, sb_options_text(options, (sb_option_id)id));
  }
  if (task->memory_limit_bytes > 0) arguments[n++] = sb_format("memory_limit=%.0f", task->memory_limit_bytes);
  arguments[n++] = sb_format("--json");
  n = add_flag(arguments, n, "--repetition", sb_format("%d", task->repetition));
  if (task->warm_up >= 0) n = add_flag(arguments, n, "--warm-up", sb_format("%d", task->warm_up));
  if (task->samples_from) n = add_flag(arguments, n, "--samples-from", sb_format("%s", task->samples_from));
  if (task->calibration_seconds > 0)
    n = add_flag(arguments, n, "--calibration", sb_format("%.6g", task->calibration_seconds));
  arguments[n++] = sb_format("-o");
  *path_at = n;
  return arguments;
}

static void free_arguments(char **arguments)
{
  for (char **a = arguments; a && *a; ++a) free(*a);
  free(arguments);
}

static char *case_file(const sb_child_task *task, pid_t pid)
{
  char host[64];
  return sb_format("%s/tmp/%s.%s.%ld.h5", task->directory, task->planned->key, sb_host_name(host), (long)pid);
}

typedef struct {
  char **arguments, **environment;
  size_t path_at;
  int    output[2], log;
  pid_t  runner;
} launch;

/* In the child. */
_Noreturn static void become_case(const sb_child_task *task, launch *l)
{
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != l->runner) _exit(127);
  signal(SIGPIPE, SIG_DFL);
  sigprocmask(SIG_SETMASK, task->signal_mask, NULL);
  if (task->cores) sched_setaffinity(0, sizeof *task->cores, task->cores);
  const int null = open("/dev/null", O_RDONLY);
  if (null >= 0) dup2(null, STDIN_FILENO);
  dup2(l->output[1], STDOUT_FILENO);
  dup2(l->log, STDERR_FILENO);
  if (null > STDERR_FILENO) close(null);
  l->arguments[l->path_at] = case_file(task, getpid());
  const char *program = task->program ? task->program : "/proc/self/exe";
  execve(program, l->arguments, l->environment);
  fprintf(stderr, "cannot execute %s: %s\n", program, strerror(errno));
  _exit(127);
}

static bool open_launch(const sb_child_task *task, const char *log, launch *l)
{
  const sb_options *options = task->planned->options;
  *l = (launch){.output = {-1, -1}, .log = -1, .runner = getpid()};
  /* It may have another name, in a copy of the directory made by links. */
  if (task->repetition == 0 && TEMP_FAILURE_RETRY(unlink(log)) != 0 && errno != ENOENT)
    return sb_storage_error("write", log, errno, 0);
  l->log = sb_open(log, O_WRONLY | O_CREAT | O_APPEND | (task->repetition == 0 ? O_TRUNC : 0));
  if (l->log < 0) return sb_storage_error("write", log, errno, 0);
  if (pipe2(l->output, O_CLOEXEC) != 0 || fcntl(l->output[0], F_SETFL, O_NONBLOCK) != 0)
    return sb_storage_error("make a pipe for", log, errno, 0);
  l->environment = sb_environment_create(SB_INTEGER(options, threads));
  l->arguments = case_arguments(task, &l->path_at);
  return l->environment && l->arguments;
}

static void close_launch(launch *l, bool keep_output)
{
  if (l->log >= 0) close(l->log);
  if (l->output[1] >= 0) close(l->output[1]);
  if (l->output[0] >= 0 && !keep_output) close(l->output[0]);
  sb_environment_destroy(l->environment);
  free_arguments(l->arguments);
}

bool sb_child_start(sb_child *child, const sb_child_task *task)
{
  launch l;
  *child = (sb_child){.output = -1, .memory_limit_bytes = task->memory_limit_bytes};
  child->log = sb_format("%s/logs/%s.txt", task->directory, task->log ? task->log : task->planned->key);
  if (!open_launch(task, child->log, &l)) {
    close_launch(&l, false);
    return false;
  }
  const pid_t pid = fork();
  if (pid == 0) become_case(task, &l);
  const int error = errno;
  close_launch(&l, pid > 0);
  if (pid < 0) return sb_storage_error("start a process for", child->log, error, 0);
  setpgid(pid, pid);
  child->pid = pid;
  child->output = l.output[0];
  child->file = case_file(task, pid);
  child->polls_memory = task->memory_limit_bytes > 0 || SB_INTEGER(task->planned->options, ranks) > 1;
  child->started_seconds = sb_clock_seconds();
  if (task->time_limit_seconds > 0) child->deadline_seconds = child->started_seconds + task->time_limit_seconds;
  return true;
}

void sb_child_read(sb_child *child)
{
  char chunk[4096];
  while (child->output >= 0) {
    const ssize_t got = TEMP_FAILURE_RETRY(read(child->output, chunk, sizeof chunk));
    if (got < 0) return;
    if (got == 0) {
      close(child->output);
      child->output = -1;
      return;
    }
    char *text = child->length < OUTPUT_MAX ? realloc(child->text, child->length + (size_t)got + 1) : NULL;
    if (!text) continue; /* no row is as long: what is beyond is read only so that the child does not block */
    child->text = text;
    memcpy(text + child->length, chunk, (size_t)got);
    child->length += (size_t)got;
    text[child->length] = '\0';
  }
}

/* It has an end of its own, which is not seen yet: the runner was stopped, or busy. What the clock says now is no
 * longer about it. */
static bool has_ended(const sb_child *child)
{
  siginfo_t end = {.si_pid = 0};
  return waitid(P_PID, (id_t)child->pid, &end, WEXITED | WNOHANG | WNOWAIT) == 0 && end.si_pid == child->pid;
}

void sb_child_stop(sb_child *child)
{
  if (child->pid == 0 || child->end != SB_ENDED_ALONE || has_ended(child)) return;
  child->end = SB_STOPPED;
  child->kill_seconds = sb_clock_seconds() + GRACE_SECONDS;
  sb_processes_signal(child->pid, SIGTERM);
}

static void watch_memory(sb_child *child)
{
  if (!child->polls_memory) return;
  const double bytes = sb_processes_resident_bytes(child->pid);
  if (bytes > child->peak_bytes) child->peak_bytes = bytes;
  if (child->memory_limit_bytes <= 0 || bytes <= child->memory_limit_bytes || child->end != SB_ENDED_ALONE) return;
  child->end = SB_OUT_OF_MEMORY;
  sb_processes_signal(child->pid, SIGKILL);
}

void sb_child_watch(sb_child *child)
{
  if (child->pid == 0 || has_ended(child)) return;
  const double now = sb_clock_seconds();
  watch_memory(child);
  if (child->deadline_seconds > 0 && now > child->deadline_seconds && child->end == SB_ENDED_ALONE) {
    sb_child_stop(child);
    if (child->end == SB_STOPPED) child->end = SB_TIMED_OUT;
  }
  if (child->kill_seconds > 0 && now > child->kill_seconds) sb_processes_signal(child->pid, SIGKILL);
}

bool sb_child_reap(sb_child *child)
{
  struct rusage usage;
  if (child->pid == 0 || wait4(child->pid, &child->wait_status, WNOHANG, &usage) != child->pid) return false;
  child->wall_seconds = sb_clock_seconds() - child->started_seconds;
  kill(-child->pid, SIGKILL); /* what it left behind would disturb the cases that follow */
  child->pid = 0;
  const double peak = (double)usage.ru_maxrss * 1024;
  if (peak > child->peak_bytes) child->peak_bytes = peak;
  sb_child_read(child);
  if (child->output >= 0) close(child->output);
  child->output = -1;
  return true;
}

/* The file, and what a case that was killed while writing left beside it under a longer name. */
static void remove_files(const char *file)
{
  char *directory = sb_format("%s", file), *slash = strrchr(directory, '/');
  *slash = '\0';
  DIR *entries = opendir(directory);
  for (const struct dirent *entry; entries && (entry = readdir(entries));)
    if (strstr(entry->d_name, slash + 1) == entry->d_name) unlinkat(dirfd(entries), entry->d_name, 0);
  if (entries) closedir(entries);
  free(directory);
}

void sb_child_clear(sb_child *child, bool remove_file)
{
  if (remove_file && child->file) remove_files(child->file);
  free(child->text);
  free(child->file);
  free(child->log);
  *child = (sb_child){.output = -1};
}

char *sb_child_last_log_line(const sb_child *child)
{
  enum { TAIL = 4096 };
  char      tail[TAIL + 1];
  const int file = sb_open(child->log, O_RDONLY);
  if (file < 0) return NULL;
  const off_t   size = lseek(file, 0, SEEK_END), from = size > TAIL ? size - TAIL : 0;
  const ssize_t got = TEMP_FAILURE_RETRY(pread(file, tail, TAIL, from));
  close(file);
  size_t length = got > 0 ? (size_t)got : 0;
  while (length > 0 && strchr(" \t\r\n", tail[length - 1])) --length;
  tail[length] = '\0';
  const char *line = strrchr(tail, '\n');
  line = line ? line + 1 : tail;
  return *line ? sb_copy_text(line) : NULL;
}
