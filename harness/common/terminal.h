/* What people read on a terminal. Names of directories, texts of a journal, a case file or a log come from who knows
 * where; none of them is to command a terminal. Local; no PETSc. */
#pragma once

#include <stdio.h>

/* A stream in place of `stream`, on the same descriptor: what would move the cursor, change colours or turn the
 * direction of writing, but for line breaks and tabs, is written as \xNN (sb_write_printable).
 * It lives as long as the process. */
FILE *sb_terminal_guard(FILE *stream);
