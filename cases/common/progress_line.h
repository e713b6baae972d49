/* The line that tells how far something is, for who waits at a terminal: it is written over itself. Local; no PETSc. */
#pragma once

#include <stdio.h>

/* Shows the text in place of what was there, cut to the terminal's width. */
void sb_progress_show(const char *text);
void sb_progress_clear(void);
/* ", 12 s left", ", 3 min left" */
void sb_progress_put_left(FILE *stream, double seconds);
