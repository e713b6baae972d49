/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One runner per results directory: flock on <directory>/lock, which names its holder. Local; no PETSc. */
#pragma once

#include <stdbool.h>

typedef enum { SB_LOCK_HELD, SB_LOCK_BUSY, SB_LOCK_FAILED } sb_lock_outcome;

/* Takes the lock; waits up to 0.2 s for short readers. SB_LOCK_BUSY: another process has it, nothing was changed, and a
 * line on stderr names its host and process if known. SB_LOCK_FAILED: after a message. Children do not inherit the
 * descriptor. */
sb_lock_outcome sb_lock_take(const char *directory, int *descriptor);
/* Keeps runners out of a directory that is only read: nothing is written, and several readers may share it. A directory
 * without a lock file has no runner: SB_LOCK_HELD with a descriptor of -1. */
sb_lock_outcome sb_lock_share(const char *directory, int *descriptor);
void            sb_lock_release(int *descriptor);
/* True if a live process holds it; `holder` is then "process 12 on host a since …". */
bool sb_lock_is_held(const char *directory, char holder[160]);
