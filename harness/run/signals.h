/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signals that are read like the children's pipes: no handler, no global flag. Local; no PETSc. */
#pragma once

#include <signal.h>
#include <stdbool.h>

typedef struct {
  int      descriptor; /* readable if a signal is waiting */
  sigset_t before;     /* the mask for children, and to restore */
} sb_signals;

/* From here on a signal to stop ends this process with SB_EXIT_INTERRUPTED, unless it is already ignored. For the time
 * before and after cases run, when there is nothing to clean up. */
void sb_signals_leave_on_stop(void);
/* From here on a reader of messages that goes away (run … 2>&1 | head) does not end this process. */
void sb_signals_outlive_readers(void);
/* Blocks TERM, INT, HUP, USR1 and XCPU (requests to stop), and CHLD; and PIPE and XFSZ, so that writing fails with an
 * error that can be reported. False with errno set. */
bool sb_signals_open(sb_signals *signals);
void sb_signals_close(sb_signals *signals);
/* Reads the waiting signals: the number of the first request to stop, or 0. */
int sb_signals_stop_asked(const sb_signals *signals);
