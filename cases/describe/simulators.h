/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Simulators: programs of others that driver external runs. The program has none; a description adds one
 * (cases/run/simulator_file.h). Local; no PETSc is called. */
#pragma once

#include "base/options.h"

typedef struct {
  SB_ENTRY_HEAD;             /* uses: the mapped options that not every case reads */
  const char        *digest; /* SHA-256 of description, files and version; NULL: entry `none` */
  const char        *version;
  const char *const *command;        /* NULL-ended; NULL: only the name is known, from a stored plan */
  const char        *maps, *ignores; /* names of options, with blanks between */
} sb_simulator;

extern const sb_list sb_simulators;

/* The mapped options that only some cases read. An option that all cases read stays so, as other cases keep their keys;
 * one that a mapped option such as the integrator chooses is read through that. In the arena. */
const char *sb_simulator_uses(const char *maps, const sb_vocabulary *vocabulary, sb_arena *arena);
/* The simulator that a case chooses; NULL: none, or it is not known. */
const sb_simulator *sb_simulator_of(const sb_options *options);
