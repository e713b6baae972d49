/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See channel.h. */
#include "live/channel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/allocate.h"

bool sb_channel_send(int channel, sb_said kind, const void *content, size_t length)
{
  const sb_message_head head = {(uint32_t)length, kind};
  struct iovec          parts[2] = {{(void *)&head, sizeof head}, {(void *)content, length}};
  size_t                left = sizeof head + length;
  while (left > 0) {
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    ssize_t       sent = sendmsg(channel, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    left -= (size_t)sent;
    for (int i = 0; i < 2; ++i) {
      const size_t part = (size_t)sent < parts[i].iov_len ? (size_t)sent : parts[i].iov_len;
      parts[i] = (struct iovec){(char *)parts[i].iov_base + part, parts[i].iov_len - part};
      sent -= (ssize_t)part;
    }
  }
  return true;
}

char *sb_channel_text(const json_t *message)
{
  return sb_insist(json_dumps(message, JSON_COMPACT | JSON_REAL_PRECISION(17)));
}

static bool receive(int channel, void *to, size_t length)
{
  for (size_t done = 0; done < length;) {
    const ssize_t got = read(channel, (char *)to + done, length - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += (size_t)got;
  }
  return true;
}

char *sb_channel_receive(int channel, sb_message_head *head)
{
  if (!receive(channel, head, sizeof *head) || head->length > SB_MESSAGE_MAX) return NULL;
  char *text = sb_allocate(head->length + 1, 1);
  if (receive(channel, text, head->length)) return text;
  free(text);
  return NULL;
}
