/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A simulation's process, as the server has it. */
#pragma once

#include <sys/types.h>

#include "live/channel.h"

typedef struct {
  int        number;
  pid_t      pid; /* 0: there is none */
  int        channel;
  json_t    *options;                                 /* {name: text}, as last reported */
  json_t    *knobs, *values, *net, *pinned, *trouble; /* its last messages of these kinds, for pages that come later */
  char      *bytes;                                   /* received, not yet a message */
  size_t     count, room;
  bool       asked, shown;    /* for a picture; it has answered */
  bool       stopped;         /* its steps ended early */
  bool       resets;          /* it was told to start again */
  bool       barren;          /* it could not make its first simulation */
  double     asked_at, stuck; /* s; for how long it was reported to be stuck */
  char      *picture;         /* the last */
  size_t     length;
  sb_picture head; /* of it */
} sb_side;

/* Starts it with these options and, unless it is NULL, the change of a request "set". False if it cannot be started. */
bool sb_side_start(sb_side *side, const char *program, const char *file, const json_t *options, const json_t *change);
/* Ends it; *how is its own ending, if it ended by itself. */
void sb_side_end(sb_side *side, char how[128]);
/* False if it accepts no message now. */
bool sb_side_tell(const sb_side *side, const json_t *message);
/* Reads the messages that are there; false at its end. */
bool sb_side_read(sb_side *side);
/* The next complete message, borrowed until the next call; NULL: none. */
const char *sb_side_next(sb_side *side, sb_message_head *head);
