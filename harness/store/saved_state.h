/* What a case file keeps of its end, so that the run can go on: the last stored state, its step, and the integrator's
 * memories. Local; no PETSc calls. A file's content is checked for shape and finiteness; that it is a case file of this
 * run is for restart.h to say. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/common/digest.h"

typedef struct {
  int64_t  step;
  size_t   vertices, memories;
  double  *position, *velocity; /* [vertices][3] m, m/s */
  char   **names;               /* [memories] */
  double **memory;              /* [memories][vertices][3] */
} sb_saved_state;

/* False and a message in error[256]; `state` is then empty. */
bool sb_saved_state_read(const char *path, sb_saved_state *state, char error[256]);
void sb_saved_state_clear(sb_saved_state *state);
/* The step alone. */
bool sb_saved_step(const char *path, int64_t *step, char error[256]);
/* The memory called `name`, NULL when there is none. */
const double *sb_saved_memory(const sb_saved_state *state, const char *name);
/* What identifies that state, whoever ran it and when: hexadecimal XXH3-128 of step, state and memories. */
bool sb_saved_state_digest(const char *path, char hex[SB_DIGEST_LENGTH + 1], char error[256]);
