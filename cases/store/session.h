/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A session is the common context of a command's parts: memory that lives as long as it (or one sweep of it), the known
 * names, the receiver of messages. A command makes one and passes it down; nothing else keeps one. Local. */
#pragma once

#include <stdio.h>

#include "base/arena.h"
#include "base/diagnostics.h"
#include "cases/store/driver.h"

typedef struct {
  sb_arena            *arena;
  const sb_vocabulary *vocabulary; /* NULL: no names are known, as in tests of single rooms */
  sb_diagnostics      *diagnostics;
  bool                 trusts_scripts; /* of results directories: the user allowed them */
} sb_session;

/* A session with its own arena and diagnostics: a command's, or that of one of a command's many sweeps. */
static inline sb_session sb_session_begin(const sb_vocabulary *vocabulary)
{
  return (sb_session){sb_arena_create(), vocabulary, sb_diagnostics_create(), false};
}

/* Prints the messages to `stream` (NULL: nowhere) and frees the session. True if none of them was an error. */
static inline bool sb_session_end(sb_session *session, FILE *stream)
{
  const bool good = sb_diagnostics_errors(session->diagnostics) == 0;
  if (stream) sb_diagnostics_flush(session->diagnostics, stream);
  sb_arena_destroy(&session->arena);
  sb_diagnostics_destroy(&session->diagnostics);
  return good;
}
