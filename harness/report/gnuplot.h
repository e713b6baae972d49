/* gnuplot, started without a shell, without its start-up files (-d) and without the variables of the environment that
 * change what it draws. Local. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* Runs `script` in `folder` with term='terminal' set before it. NULL when that went well, else a message that holds
 * what gnuplot said (malloc'ed). */
char *sb_gnuplot_run(const char *folder, const char *script, const char *terminal);

/* Text as an expression of gnuplot's in which nothing is expanded: control characters become blanks. */
void sb_gnuplot_put_text(FILE *stream, const char *text);

/* A gnuplot that reads commands and data as they are written. */
typedef struct {
  pid_t child;
  FILE *commands; /* to write to; a gnuplot that has ended makes writing fail, not the process */
  FILE *said;     /* what it prints, in a file without a name */
} sb_gnuplot;

bool sb_gnuplot_open(sb_gnuplot *gnuplot, char error[256]);
/* Ends the commands and waits. False with what gnuplot said in `error` when it failed. */
bool sb_gnuplot_close(sb_gnuplot *gnuplot, char error[256]);
