/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See workers.h. A worker that died is replaced; after some deaths in a row every case is a separate program. */
#include "harness/run/workers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/allocate.h"
#include "base/input_file.h"
#include "base/profile.h"
#include "cases/common/address_space.h"
#include "cases/common/processes.h"
#include "cases/run/serve.h"
#include "solvers/linear/petsc_text.h"

enum { DEATHS_MAX = 3, START_SECONDS = 60, ANSWER_SECONDS = 5 };

typedef struct {
  int64_t threads;
  pid_t   pid; /* 0: there is none */
  int     socket;
  bool    answered; /* so its libraries are up */
} worker;

struct sb_workers {
  worker *all; /* [count] */
  size_t  count;
  int     deaths; /* since the last case that was started */
};

sb_workers *sb_workers_create(void)
{
  return prctl(PR_SET_CHILD_SUBREAPER, 1) == 0 ? sb_allocate(1, sizeof(sb_workers)) : NULL;
}

/* Its group has the unanswered cases: they may be stopped too, and hold the output that the user reads. */
static void end_worker(sb_workers *workers, worker *w)
{
  if (w->pid == 0) return;
  workers->deaths++;
  close(w->socket);
  kill(-w->pid, SIGKILL);
  while (waitpid(-w->pid, NULL, 0) > 0 || errno == EINTR) continue;
  *w = (worker){.threads = w->threads};
}

void sb_workers_destroy(sb_workers **workers)
{
  for (size_t i = 0; *workers && i < (*workers)->count; ++i) end_worker(*workers, &(*workers)->all[i]);
  if (*workers) free((*workers)->all);
  free(*workers);
  *workers = NULL;
}

static bool start_worker(worker *w, const sb_start *start)
{
  static char name[] = "springbench", command[] = "case", flag[] = SB_SERVE_FLAG;
  char       *arguments[] = {name, command, flag, NULL};
  int         ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return false;
  w->pid = sb_start_program(&(sb_start){.program = start->program,
                                        .arguments = arguments,
                                        .threads = w->threads,
                                        .binds_now = true,
                                        .input = ends[1],
                                        .output = -1,
                                        .log = STDERR_FILENO,
                                        .signal_mask = start->signal_mask});
  close(ends[1]);
  w->socket = ends[0];
  if (w->pid == 0) close(ends[0]);
  return w->pid != 0;
}

/* The worker for this number of threads, started if need be; NULL if there is none. */
static worker *take_worker(sb_workers *workers, const sb_start *start)
{
  worker *w = workers->all;
  while (w < workers->all + workers->count && w->threads != start->threads) ++w;
  if (w == workers->all + workers->count) {
    workers->all = sb_grow(workers->all, workers->count, sizeof *workers->all);
    w = &workers->all[workers->count++];
    *w = (worker){.threads = start->threads};
  }
  if (w->pid == 0 && (workers->deaths >= DEATHS_MAX || !start_worker(w, start))) return NULL;
  return w;
}

/* The words of a request after "springbench case", each with its end; false if they are too long. */
static bool write_words(char *text, size_t *length, const sb_start *start)
{
  const char *inputs = getenv(SB_INPUTS_VARIABLE);
  *length = 0;
  for (char **word = start->arguments; word == start->arguments || *word; ++word) {
    const char  *written = word == start->arguments ? inputs ? inputs : "" : *word;
    const size_t bytes = strlen(written) + 1;
    if (*length + bytes > SB_SERVE_BYTES_MAX) return false;
    memcpy(text + *length, written, bytes);
    *length += bytes;
  }
  return true;
}

static bool send_request(int socket, const sb_start *start)
{
  SB_OWNED char *text = sb_allocate(SB_SERVE_BYTES_MAX, 1);
  size_t         length;
  sb_serve_head  head = {.runner = getpid(), .pinned = start->cores != NULL};
  const int      descriptors[SB_SERVE_DESCRIPTORS] = {[SB_SERVE_OUTPUT] = start->output, [SB_SERVE_LOG] = start->log};
  union {
    char           bytes[CMSG_SPACE(sizeof descriptors)];
    struct cmsghdr aligned;
  } control = {.bytes = {0}};
  if (!write_words(text, &length, start)) return false;
  if (start->cores) head.cores = *start->cores;
  if (start->signal_mask) head.signal_mask = *start->signal_mask;
  struct iovec  parts[] = {{&head, sizeof head}, {text, length}};
  struct msghdr message = {
      .msg_iov = parts, .msg_iovlen = 2, .msg_control = &control, .msg_controllen = sizeof control};
  struct cmsghdr *carried = CMSG_FIRSTHDR(&message);
  carried->cmsg_level = SOL_SOCKET;
  carried->cmsg_type = SCM_RIGHTS;
  carried->cmsg_len = CMSG_LEN(sizeof descriptors);
  memcpy(CMSG_DATA(carried), descriptors, sizeof descriptors);
  return TEMP_FAILURE_RETRY(sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT)) > 0;
}

bool sb_workers_ask(sb_workers *workers, const sb_start *start, sb_asked *asked)
{
  for (int attempt = 0; attempt < 2; ++attempt) {
    worker *w = take_worker(workers, start);
    if (!w) return false;
    if (send_request(w->socket, start)) {
      *asked = (sb_asked){.worker = w->pid,
                          .before_bytes = sb_process_peak_bytes(w->pid),
                          .due_seconds = sb_clock_seconds() + (w->answered ? ANSWER_SECONDS : START_SECONDS)};
      return true;
    }
    if (errno == EMSGSIZE || errno == EAGAIN) return false; /* too long; more than it has room for */
    end_worker(workers, w);
  }
  return false;
}

pid_t sb_workers_answer(sb_workers *workers, const sb_asked *asked, int output, bool last)
{
  worker *w = workers->all, *end = workers->all + workers->count;
  pid_t   pid = 0;
  while (w < end && w->pid != asked->worker) ++w; /* it was ended, and counted, for another case */
  ssize_t got = TEMP_FAILURE_RETRY(read(output, &pid, sizeof pid));
  if (got < 0 && errno == EAGAIN && !last) return 0;
  if (got <= 0 && w < end) end_worker(workers, w);
  if (got < 0) got = TEMP_FAILURE_RETRY(read(output, &pid, sizeof pid)); /* an answer just before that */
  if (got != (ssize_t)sizeof pid) return -1;
  workers->deaths = 0;
  if (w < end) w->answered = w->pid != 0;
  return pid;
}

/* ---- cases without a worker ---- */

const sb_own_program sb_own_programs[SB_OWN_PROGRAMS] = {
    {"a timed sweep, but for --quick", "all repetitions of a case have the same layout of addresses"},
    {"several ranks", "a launcher starts the ranks"},
    {"-log_view in a text of PETSc's options", "PETSc prints it when it ends, and counts from its start"},
    {"a sweep that names max_rss_bytes", "a forked process does not count the pages of libraries"},
    {"a limit of memory", "a forked process does not count the pages of libraries"},
    {"limited address space (ulimit -v, -d)", "the BLAS takes its buffers before MPI starts"},
};

/* PETSc ignores the case of letters. */
static bool logs_view(const sb_options *options)
{
  bool logs = false;
  for (sb_option_id id = 0; id < sb_option_count && !logs; ++id)
    logs = sb_option_is_petsc_text(id) && sb_petsc_text_find(sb_options_text(options, id), "-log_view", NULL);
  return logs;
}

bool sb_case_may_share(const sb_sweep *sweep, const sb_options *options, double memory_limit_bytes)
{
  return SB_INTEGER(options, ranks) == 1 && !logs_view(options) && !strstr(sweep->text, "max_rss_bytes") &&
         memory_limit_bytes == 0;
}

/* Times of one repetition count for a claim if the sweep requests no more. */
bool sb_case_is_own_program(const sb_sweep *sweep, const sb_options *options, double memory_limit_bytes, bool once)
{
  return (sweep->timed && (!once || sweep->repetitions == 1)) || sb_address_space_is_limited() ||
         !sb_case_may_share(sweep, options, memory_limit_bytes);
}
