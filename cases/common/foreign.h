/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs of others: run without a shell in a folder, watched, and ended with everything that they started. Local. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/arena.h"

typedef struct {
  const char *const *words;      /* NULL-ended; the first is looked for in PATH */
  const char        *folder;     /* its working directory */
  int                output;     /* descriptor that gets its standard output and standard error */
  double seconds_max, bytes_max; /* bytes of each file, and of all in the folder if it is temporary; 0: any */
  bool   temporary;              /* the folder is removed if a signal stops this process */
} sb_foreign_program;

typedef struct {
  const char *failure; /* NULL: it ended with exit status 0 */
  bool        crashed; /* it was killed by a signal, not by a limit */
  double      seconds; /* from its start to its end */
} sb_foreign_end;

/* Runs a program to its end, and kills what it leaves, daemons included. This process must have no other children. A
 * signal that ends this process (SIGTERM, SIGINT, SIGHUP, SIGUSR1) ends the program first. Texts are in the arena. */
sb_foreign_end sb_foreign_run(const sb_foreign_program *program, sb_arena *arena);

/* A new temporary folder in TMPDIR, or /tmp; NULL with errno. Calls sb_foreign_remove_left. */
char *sb_foreign_folder(sb_arena *arena);
/* Half a second at most: a process in the background removes the rest. */
void sb_foreign_remove(const char *folder);
/* Removes the folders of processes that were killed, in the background. */
void sb_foreign_remove_left(void);
