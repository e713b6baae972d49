/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Look-up of names in command lines, sweep files and expressions. Local; no PETSc is called. */
#pragma once

#include "base/arena.h"
#include "base/options.h"

/* The option of that name; sb_option_count after E101 with a suggestion. */
sb_option_id sb_option_named(const char *name, sb_location where, sb_diagnostics *diagnostics);
/* True for at most 31 lower-case letters, digits and '_' that begin with a letter: methods of plug-ins, simulators. */
bool sb_is_method_name(const char *name);
/* For each of `count` names the index of an earlier equal name, (size_t)-1 if there is none or the name is NULL. */
size_t *sb_find_repeated(const char *const *names, size_t count, sb_arena *arena);
