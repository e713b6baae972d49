/* One runner a results directory: flock on <directory>/lock, which says who holds it. Local; no PETSc. */
#pragma once

#include <stdbool.h>

typedef enum { SB_LOCK_HELD, SB_LOCK_BUSY, SB_LOCK_FAILED } sb_lock_outcome;

/* Takes the lock; waits for readers of a moment, 0.2 s. SB_LOCK_BUSY: another process has it, nothing was changed, and
 * a line on stderr names its host and process where they are known. SB_LOCK_FAILED: after a message. The descriptor is
 * not inherited by children. */
sb_lock_outcome sb_lock_take(const char *directory, int *descriptor);
/* Keeps runners out of a directory that is only read: nothing is written, and several may share it. A directory without
 * a lock file has no runner: SB_LOCK_HELD with a descriptor of -1. */
sb_lock_outcome sb_lock_share(const char *directory, int *descriptor);
void            sb_lock_release(int *descriptor);
/* True when a live process holds it; then `holder` says which ("process 12 on host a since …"). */
bool sb_lock_is_held(const char *directory, char holder[160]);
