/* Going on where a stored case ended: option `restart` names its file. Steps are counted on from the file's, so that
 * fields and paths see the time they would have seen; whatever decides the motion must be as it was. Local; no PETSc.
 */
#pragma once

#include "base/arena.h"
#include "base/time_grid.h"
#include "harness/common/digest.h"

/* True when there is no restart. Otherwise false with E100 when the file cannot be read or holds no state, with E106
 * when its run diverged, is over already, or an option that decides the motion differs, naming both values. The set is
 * resolved. */
bool sb_restart_check(const sb_options *options, const sb_time_grid *time, sb_diagnostics *diagnostics);

/* For `case --continue FILE`: gives every option that the user has not given the value that the file's command line
 * gave it, and `restart` the file. E100 when that cannot be read. */
bool sb_restart_take_options(const char *path, sb_options *options, sb_location where, sb_diagnostics *diagnostics);

/* A case file keeps its end, so that the run can go on: the last stored state, its step, and the integrator's memories.
 * The file's content is checked for shape and finiteness; that it is of this run sb_restart_check says. */
typedef struct {
  int64_t  step;
  size_t   vertices, memories;
  double  *position, *velocity; /* [vertices][3] m, m/s */
  char   **names;               /* [memories] */
  double **memory;              /* [memories][vertices][3] */
} sb_saved_state;

/* The state lies in the arena. False and a message in error[256]; `state` is then empty. */
bool sb_saved_state_read(sb_arena *arena, const char *path, sb_saved_state *state, char error[256]);
/* The step alone. */
bool sb_saved_step(const char *path, int64_t *step, char error[256]);
/* The memory called `name`, NULL when there is none. */
const double *sb_saved_memory(const sb_saved_state *state, const char *name);
/* The digest that identifies a state, whoever ran it and when: hexadecimal XXH3-128 of step, state and memories. */
bool sb_saved_state_digest(const char *path, char hex[SB_DIGEST_LENGTH + 1], char error[256]);
