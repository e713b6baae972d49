/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The library in the process of its host: MPI and PETSc, which end with MPI, and the state of the calling thread. */
#pragma once

#include <fenv.h>
#include <locale.h>
#include <stdbool.h>

#include "base/allocate.h"

/* While a function of the library runs, no other thread is in one: they wait, in the order in which they came. Its
 * thread has the locale "C" and the default floating-point environment: no traps, rounding to nearest, subnormal
 * numbers. It is not cancelled. At the end of the scope the thread has its own again. Scopes may be nested. */
typedef struct {
  locale_t locale;
  fenv_t   arithmetic;
  int      cancelled;
} sb_guest;

sb_guest sb_guest_begin(void);
void     sb_guest_end(sb_guest *guest);
#define SB_AS_GUEST SB_ENDED_BY(sb_guest_end) __attribute__((unused)) sb_guest guest = sb_guest_begin()

/* Starts MPI and PETSc if they have not been started. NULL, or why they cannot be. When MPI ends, by the host or with
 * the process, it first calls `release`, and then PETSc ends. */
const char *sb_host_start(void (*release)(void));
/* Why calls of PETSc are no longer possible; NULL: they are. */
const char *sb_host_ended(void);
