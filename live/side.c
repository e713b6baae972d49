/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See side.h. */
#include "live/side.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/allocate.h"
#include "cases/common/processes.h"

/* In the child: it has only the channel of the server's descriptors. Its libraries have one thread, as those of a case.
 */
static void become(const char *program, int channel)
{
  static const char *const one_thread[] = {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "OMP_THREAD_LIMIT"};
  for (size_t i = 0; i < sizeof one_thread / sizeof *one_thread; ++i) setenv(one_thread[i], "1", 0);
  setpgid(0, 0);
  if (dup2(channel, SB_CHANNEL) == SB_CHANNEL && close_range(SB_CHANNEL + 1, ~0U, 0) == 0)
    execl(program, program, (char *)NULL);
  _exit(127);
}

bool sb_side_start(sb_side *side, const char *program, json_t *open)
{
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
  side->pid = fork();
  if (side->pid == 0) become(program, ends[1]);
  close(ends[1]);
  side->channel = ends[0];
  side->count = 0;
  side->asked = side->shown = side->stopped = side->barren = false;
  side->resets = true;
  side->stuck = 0;
  side->head = (sb_picture){0};
  if (side->pid < 0) {
    side->pid = 0;
    close(side->channel);
    return false;
  }
  sb_side_tell(side, open);
  (void)sb_side_send(side);
  return true;
}

static void forget(json_t **message)
{
  json_decref(*message);
  *message = NULL;
}

/* The channel's descriptor is the event loop's to close. */
void sb_side_end(sb_side *side, char how[128])
{
  int status = 0;
  if (side->pid == 0) return;
  shutdown(side->channel, SHUT_RDWR);
  if (how) { /* it ends by itself; a moment for its exit status */
    for (int i = 0; i < 50 && waitpid(side->pid, &status, WNOHANG) == 0; ++i) usleep(10000);
    const bool gone = kill(side->pid, 0) != 0;
    snprintf(how, 128, WIFSIGNALED(status) ? "it was ended by signal %d (%s)" : "it ended with status %d%s",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
             WIFSIGNALED(status)                                ? strsignal(WTERMSIG(status))
             : WEXITSTATUS(status) == 8 /* SB_EXIT_NO_MEMORY */ ? ": memory is out"
                                                                : "");
    if (gone) side->pid = 0;
  }
  if (side->pid > 0) {
    sb_processes_signal(side->pid, SIGKILL);
    while (waitpid(side->pid, &status, 0) < 0 && errno == EINTR) {
    }
  }
  side->pid = 0;
  side->watched = NULL;
  side->asked = false;
  forget(&side->net);
  forget(&side->pinned);
  forget(&side->waiting);
  free(side->begun);
  side->begun = NULL;
}

/* True for requests whose effect is lost when the next one is obeyed. */
static bool is_repeatable(const json_t *message)
{
  static const char *const all[] = {"set", "pin", "gust", "drop", "again"};
  const char              *what = json_string_value(json_object_get(message, "do"));
  size_t                   i = 0;
  while (i < sizeof all / sizeof *all && strcmp(what, all[i]) != 0) ++i;
  return i < sizeof all / sizeof *all;
}

static bool is_about_the_same(const json_t *a, const json_t *b)
{
  static const char *const of[] = {"do", "option", "vertex"};
  bool                     same = true;
  for (size_t i = 0; i < sizeof of / sizeof *of; ++i) {
    const json_t *one = json_object_get(a, of[i]), *other = json_object_get(b, of[i]);
    same = same && (one == other || json_equal(one, other));
  }
  return same;
}

void sb_side_tell(sb_side *side, json_t *message)
{
  if (side->pid == 0) return;
  if (!side->waiting) side->waiting = sb_insist(json_array());
  for (size_t i = json_array_size(side->waiting); i-- > 0 && is_repeatable(message);) {
    const json_t *earlier = json_array_get(side->waiting, i);
    if (!is_repeatable(earlier)) break; /* steps and files are of what came before them */
    if (is_about_the_same(earlier, message)) json_array_remove(side->waiting, i);
  }
  json_array_append(side->waiting, message);
}

/* The bytes of the next request, with their head. False if none waits. */
static bool begin_next(sb_side *side)
{
  if (json_array_size(side->waiting) == 0) return false;
  SB_OWNED char *text = sb_channel_text(json_array_get(side->waiting, 0));
  json_array_remove(side->waiting, 0);
  const sb_message_head head = {(uint32_t)strlen(text), SB_SAYS_JSON};
  side->begun_bytes = sizeof head + head.length;
  side->begun = sb_allocate(side->begun_bytes, 1);
  side->begun_sent = 0;
  memcpy(side->begun, &head, sizeof head);
  memcpy(side->begun + sizeof head, text, head.length);
  return true;
}

bool sb_side_send(sb_side *side)
{
  while (side->pid > 0 && (side->begun || begin_next(side))) {
    const ssize_t sent = send(side->channel, side->begun + side->begun_sent, side->begun_bytes - side->begun_sent,
                              MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return errno == EAGAIN || errno == EWOULDBLOCK; /* else it is gone, which reading shows */
    side->begun_sent += (size_t)sent;
    if (side->begun_sent < side->begun_bytes) continue;
    free(side->begun);
    side->begun = NULL;
  }
  return false;
}

bool sb_side_read(sb_side *side)
{
  for (;;) {
    if (side->room - side->count < 1 << 16) {
      side->room = 2 * side->room + (1 << 17);
      side->bytes = sb_insist(realloc(side->bytes, side->room));
    }
    const ssize_t got = recv(side->channel, side->bytes + side->count, side->room - side->count, MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
    if (got == 0) return false;
    side->count += (size_t)got;
  }
}

const char *sb_side_next(sb_side *side, sb_message_head *head)
{
  static char *message;
  if (side->count < sizeof *head) return NULL;
  memcpy(head, side->bytes, sizeof *head);
  const size_t whole = sizeof *head + head->length;
  if (side->count < whole) return NULL;
  free(message);
  message = sb_insist(malloc(head->length + 1));
  memcpy(message, side->bytes + sizeof *head, head->length);
  message[head->length] = '\0';
  side->count -= whole;
  memmove(side->bytes, side->bytes + whole, side->count);
  return message;
}
