/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls of HDF5 and of the system that fail when a test says so: the linker puts functions of faults.c in their place
 * (sb_with_faults in tests/CMakeLists.txt). Either the N-th call of own code fails, or every call of one function. A
 * failing HDF5 call is made with an invalid identifier, so that HDF5 itself says what is wrong; a failing close closes
 * nevertheless. A process that is forked off has no faults. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Counts calls from now on, and nothing fails. */
void fault_watch(void);
typedef struct {
  const char *name; /* of the function */
  long        number;
} fault_trial;
/* Ends the watch. Returns how many calls since fault_watch are worth failing, and *trials (malloc'ed): the first call
 * of each function by each way. */
size_t fault_trials(fault_trial **trials);
/* The call with this number, from now on, fails with errno `error`, and no other. */
void fault_arm(long number, int error);
/* Besides, every call of this function fails with errno `error` until fault_disarm; NULL: of none. */
void fault_always(const char *name, int error);
/* Nothing fails any more. The name of the function whose call with the number given failed, NULL when none did. */
const char *fault_disarm(void);

/* Redirect standard error and return what was written to it (malloc'ed). */
void  fault_listen(void);
char *fault_heard(void);
/* Identifiers of HDF5 that are open: files, groups, datasets, attributes. */
long fault_open_identifiers(void);
