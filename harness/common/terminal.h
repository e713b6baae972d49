/* What people read on a terminal. Names of directories, texts of a journal, a case file or a log come from who knows
 * where; none of them is to command a terminal. Local; no PETSc. */
#pragma once

#include <stdio.h>

/* The state of a guarded stream: the bytes of a character that is not whole yet. */
typedef struct {
  int    descriptor;
  char   held[5];
  size_t count;
} sb_terminal;

/* A stream in place of `stream`, on the same descriptor: what would move the cursor, change colours or turn the
 * direction of writing, but for line breaks and tabs, is written as \xNN (sb_write_printable). `terminal` must live as
 * long as the stream. Returns `stream` if there is no memory. */
FILE *sb_terminal_guard(sb_terminal *terminal, FILE *stream);
