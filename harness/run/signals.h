/* Signals as things to be read, beside the children's pipes: no handler, no global flag. Local; no PETSc. */
#pragma once

#include <signal.h>
#include <stdbool.h>

typedef struct {
  int      descriptor; /* readable when a signal is waiting */
  sigset_t before;     /* the mask to give children, and to go back to */
} sb_signals;

/* From here on a signal that asks to stop ends this process with SB_EXIT_INTERRUPTED, unless it is ignored already. For
 * the time before and after cases run, when nothing has to be put in order. */
void sb_signals_leave_on_stop(void);
/* From here on a reader of our messages that goes away (run … 2>&1 | head) ends nothing: they are lost, no result is.
 */
void sb_signals_outlive_readers(void);
/* Blocks TERM, INT, HUP, USR1, XCPU, which ask to stop, and CHLD; and PIPE and XFSZ, so that writing fails with an
 * error that can be reported. False with errno set. */
bool sb_signals_open(sb_signals *signals);
void sb_signals_close(sb_signals *signals);
/* Takes what is waiting: the number of the first signal that asks to stop, or 0. */
int sb_signals_stop_asked(const sb_signals *signals);
