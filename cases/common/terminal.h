/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Output for a terminal. Names of directories and texts of a journal, a case file or a log may come from others and
 * must not control the terminal. Local; no PETSc. */
#pragma once

#include <stdio.h>

/* The state of a guarded stream: the bytes of an incomplete character. */
typedef struct {
  int    descriptor;
  char   held[5];
  size_t count;
} sb_terminal;

/* Returns a stream that replaces `stream`, on the same descriptor. It writes characters that move the cursor, change
 * colours or the direction of writing as \xNN (sb_write_printable), except line breaks and tabs. `terminal` must live
 * as long as the stream. Returns `stream` itself if memory is out. */
FILE *sb_terminal_guard(sb_terminal *terminal, FILE *stream);
