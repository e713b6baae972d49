/* A session is what every part of a command needs: memory that lives as long as the command (or as one sweep of it),
 * the names that are known, and where messages to the user go. A command makes one and hands it down; nobody keeps
 * another. Local. */
#pragma once

#include <stdio.h>

#include "base/arena.h"
#include "base/diagnostics.h"
#include "cases/store/driver.h"

typedef struct {
  sb_arena            *arena;
  const sb_vocabulary *vocabulary; /* NULL: no names are known, as in tests of single rooms */
  sb_diagnostics      *diagnostics;
  bool                 trusts_scripts; /* of results directories: the user said so */
} sb_session;

/* A session with an arena and diagnostics of its own: a command's, or that of one of the many sweeps of a command. */
static inline sb_session sb_session_begin(const sb_vocabulary *vocabulary)
{
  return (sb_session){sb_arena_create(), vocabulary, sb_diagnostics_create(), false};
}

/* Prints the messages that were collected to `stream` (NULL: nowhere), and frees what the session holds. True when
 * there was no error among them. */
static inline bool sb_session_end(sb_session *session, FILE *stream)
{
  const bool good = sb_diagnostics_errors(session->diagnostics) == 0;
  if (stream) sb_diagnostics_flush(session->diagnostics, stream);
  sb_arena_destroy(&session->arena);
  sb_diagnostics_destroy(&session->diagnostics);
  return good;
}
