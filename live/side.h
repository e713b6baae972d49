/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A simulation's process, as the server has it. */
#pragma once

#include <sys/types.h>

#include "live/channel.h"

typedef struct {
  int         number;
  pid_t       pid; /* 0: there is none */
  int         channel;
  struct lws *watched; /* the channel in the event loop; NULL: not yet there */
  json_t     *waiting; /* requests that it has not been sent yet, an array */
  char       *begun;   /* bytes of one that has begun to be sent; NULL: none */
  size_t      begun_bytes, begun_sent;
  json_t     *options;                                 /* {name: text}, as last reported */
  json_t     *knobs, *values, *net, *pinned, *trouble; /* its last messages of these kinds, for pages that come later */
  char       *bytes;                                   /* received, not yet a message */
  size_t      count, room;
  bool        asked, shown;    /* for a picture; it has answered */
  bool        stopped;         /* its steps ended early */
  bool        resets;          /* it was told to start again */
  bool        barren;          /* it could not make its first simulation */
  double      asked_at, stuck; /* s; for how long it was reported to be stuck */
  char       *picture;         /* the last */
  size_t      length;
  sb_picture  head; /* of it */
} sb_side;

/* Starts it with its first request. False if it cannot be started. */
bool sb_side_start(sb_side *side, const char *program, json_t *open);
/* Ends it; *how is its own ending, if it ended by itself. */
void sb_side_end(sb_side *side, char how[128]);
/* Queues a request, a reference of which is kept. An earlier one that still waits is dropped if this one makes it
 * needless: another value of the same option, pin of the same vertex, wind, "again" or "drop". */
void sb_side_tell(sb_side *side, json_t *message);
/* Sends what the process accepts now, each request as a whole. True if some is left. */
bool sb_side_send(sb_side *side);
/* Reads the messages that are there; false at its end. */
bool sb_side_read(sb_side *side);
/* The next complete message, borrowed until the next call; NULL: none. */
const char *sb_side_next(sb_side *side, sb_message_head *head);
