/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs gnuplot without a shell, without its start-up files (-d) and without the environment variables that change its
 * output. Local. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* Runs `script` in `folder` after setting term='terminal'. NULL on success, else a message with gnuplot's output
 * (malloc'ed). */
char *sb_gnuplot_run(const char *folder, const char *script, const char *terminal);

/* Writes text as a gnuplot expression in which nothing is expanded; control characters become blanks. */
void sb_gnuplot_put_text(FILE *stream, const char *text);

/* A gnuplot that reads commands and data as they are written. */
typedef struct {
  pid_t child;
  FILE *commands; /* to write to; if gnuplot has ended, writing fails, but not the process */
  FILE *said;     /* its output, in a file without a name */
} sb_gnuplot;

bool sb_gnuplot_open(sb_gnuplot *gnuplot, char error[256]);
/* Ends the commands and waits. False with gnuplot's output in `error` if it failed. */
bool sb_gnuplot_close(sb_gnuplot *gnuplot, char error[256]);
