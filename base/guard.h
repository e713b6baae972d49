/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code of others in this process: plug-ins, drivers of devices. It may end the process, crash or hang. Local. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { SB_GUARD_WHY = 160 };

/* The limit, in seconds. */
#define SB_LOAD_SECONDS_VARIABLE "SPRINGBENCH_LOAD_SECONDS"

/* Runs `work(subject)` in a copy of this process without output, with a limit of time. True: it returned, and
 * `subject` [bytes] has what it wrote there. False with a phrase: "did not answer within 20 s". */
bool sb_guard_try(void (*work)(void *subject), void *subject, size_t bytes, char why[SB_GUARD_WHY]);

/* An array of doubles for code of others, zeroed, that ends where no memory is: a write behind it ends the process.
 * NULL without memory. */
double *sb_guard_array(size_t count);
void    sb_guard_free(double *array, size_t count);

/* From here to sb_guard_end, a call of exit is an error, and one of _exit with status 0: the process ends with a
 * message and status 1. `what` is what has not ended yet, static text: "the case". */
void sb_guard_begin(const char *what);
void sb_guard_end(void);
