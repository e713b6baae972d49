/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Properties of this machine, as results store them; "unknown" if they cannot be found. Local; no PETSc. */
#pragma once

#include "base/arena.h"

/* The first line of a file, or the text after ":" on its first line that starts with `key` (may be NULL). */
const char *sb_machine_line(sb_arena *arena, const char *path, const char *key);
const char *sb_machine_memory(sb_arena *arena);    /* "23.5 GiB" */
const char *sb_machine_caches(sb_arena *arena);    /* of the first processor: "L1d 48.0 KiB, L2 2.0 MiB, L3 32.0 MiB" */
const char *sb_machine_microcode(sb_arena *arena); /* "0x2b000603" */
