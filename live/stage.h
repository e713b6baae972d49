/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stage that pages of `springbench live` look at: one simulation or two, each in a separate process; the pace, the
 * hand, and the files. docs/live.md has the messages. One per process. */
#pragma once

#include "live/web.h"

typedef struct {
  const char *program; /* of a simulation */
  const char *file;    /* the file that it continues; NULL: a scene */
  const char *folder;  /* for saved files */
  json_t     *options; /* {name: text} */
} sb_stage_setup;

extern const sb_web_user sb_stage_user;
/* Starts the first simulation; `ready` is called once, when it is there, or with why it cannot be. `context` is the
 * web server's. False after a message. */
bool sb_stage_begin(const sb_stage_setup *setup, struct lws_context *context, void (*ready)(const char *why));
void sb_stage_end(void);
