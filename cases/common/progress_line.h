/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A progress line on a terminal, which overwrites itself. Local; no PETSc. */
#pragma once

#include <stdio.h>

/* Replaces the line by the text, cut to the terminal's width. */
void sb_progress_show(const char *text);
void sb_progress_clear(void);
/* "12 s", "3 min", "2.5 h" */
void sb_progress_put_duration(FILE *stream, double seconds);
/* ", 12 s left", ", 3 min left" */
void sb_progress_put_left(FILE *stream, double seconds);
