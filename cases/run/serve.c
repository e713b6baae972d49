/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See serve.h. Libraries that a case would start are started before the first fork, if they keep no state that a case
 * can change. */
#include "cases/run/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <hdf5.h>
#include <slepceps.h>

#include "cases/common/exit_status.h"
#include "cases/run/run_case.h"
#include "base/input_file.h"

enum { WORDS_MAX = 1024 };

typedef struct {
  sb_serve_head head;
  char          text[SB_SERVE_BYTES_MAX];
  size_t        length;                            /* of text */
  int           descriptors[SB_SERVE_DESCRIPTORS]; /* -1: not given */
} request;

/* False at the end of the socket, or for a message that no runner sends. */
static bool receive(int socket, request *r)
{
  struct iovec parts[] = {{&r->head, sizeof r->head}, {r->text, sizeof r->text}};
  union {
    char           bytes[CMSG_SPACE(sizeof r->descriptors)];
    struct cmsghdr aligned;
  } control;
  struct msghdr message = {
      .msg_iov = parts, .msg_iovlen = 2, .msg_control = &control, .msg_controllen = sizeof control};
  const ssize_t         got = TEMP_FAILURE_RETRY(recvmsg(socket, &message, MSG_CMSG_CLOEXEC));
  const struct cmsghdr *carried = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
  if (!carried || carried->cmsg_type != SCM_RIGHTS || carried->cmsg_len != CMSG_LEN(sizeof r->descriptors))
    return false;
  memcpy(r->descriptors, CMSG_DATA(carried), sizeof r->descriptors);
  r->length = (size_t)got - sizeof r->head;
  return (size_t)got > sizeof r->head && r->text[r->length - 1] == '\0' && !(message.msg_flags & MSG_TRUNC);
}

/* In the process of the case: gets the state of a case that the runner executes. It leaves the worker's group at the
 * end, so that it dies with a worker that is killed because it does not answer. */
static void settle(const request *r, pid_t between)
{
  const struct timespec pause = {.tv_nsec = 50000};
  const pid_t           self = getpid();
  while (getppid() == between) nanosleep(&pause, NULL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != r->head.runner) _exit(SB_EXIT_UNFIT);
  if (r->head.pinned) sched_setaffinity(0, sizeof r->head.cores, &r->head.cores);
  const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(null, STDIN_FILENO);
  dup2(r->descriptors[SB_SERVE_OUTPUT], STDOUT_FILENO);
  dup2(r->descriptors[SB_SERVE_LOG], STDERR_FILENO);
  if (*r->text) setenv(SB_INPUTS_VARIABLE, r->text, 1);
  sigprocmask(SIG_SETMASK, &r->head.signal_mask, NULL);
  setpgid(0, 0);
  if (write(STDOUT_FILENO, &self, sizeof self) != (ssize_t)sizeof self) _exit(SB_EXIT_UNFIT);
}

_Noreturn static void become_case(request *r, pid_t between, const sb_session *session)
{
  char *words[WORDS_MAX + 1];
  int   count = 0;
  settle(r, between);
  for (char *word = r->text + strlen(r->text) + 1; word < r->text + r->length && count < WORDS_MAX;
       word += strlen(word) + 1)
    words[count++] = word;
  words[count] = NULL;
  const int status = sb_case_run_started(count, words, session);
  _exit(sb_streams_end(status));
}

/* The process between ends when it has forked the case, whose parent is then the runner. */
static void fork_case(request *r, const sb_session *session)
{
  const pid_t between = fork();
  if (between == 0) {
    const pid_t self = getpid();
    if (fork() == 0) become_case(r, self, session);
    _exit(SB_EXIT_OK);
  }
  while (between > 0 && waitpid(between, NULL, 0) < 0 && errno == EINTR) continue;
}

/* Registers their methods and types. */
static PetscErrorCode start_packages(void)
{
  PetscFunctionBeginUser;
  PetscCall(KSPInitializePackage());
  PetscCall(EPSInitializePackage());
  PetscFunctionReturn(0);
}

int sb_case_serve(const sb_session *session)
{
  static request r;
  const int      socket = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  unsetenv("LD_BIND_NOW"); /* only for this process */
  if (socket < 0 || !sb_case_start_libraries() || start_packages() != 0 || H5open() < 0) return SB_EXIT_UNFIT;
  while (receive(socket, &r)) {
    fork_case(&r, session);
    for (int i = 0; i < SB_SERVE_DESCRIPTORS; ++i) close(r.descriptors[i]);
  }
  _exit(SB_EXIT_OK); /* unused libraries need no end */
}
