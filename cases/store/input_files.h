/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files named by options whose content affects results: meshes, data, states to continue from. Local; no PETSc. */
#pragma once

#include "base/arena.h"
#include "base/options.h"

/* The options that name such files; the side file of a mesh belongs to it. plugin_options names them in its text
 * (sb_input_replace). */
enum { SB_INPUT_OPTIONS = 7 };
extern const sb_option_id sb_input_options[SB_INPUT_OPTIONS];
/* Calls `act` with each file that a value of such an option names; what it returns is freed. */
void sb_input_each(sb_option_id id, const char *value, char *(*act)(void *context, const char *path), void *context);
/* True if an option of these names a file. */
bool sb_input_is_named(const sb_options *options, sb_option_id id);

/* Remembers digests of files by path, device, inode, size and time of change: many cases name the same files. */
typedef struct sb_input_cache sb_input_cache;

sb_input_cache *sb_input_cache_create(sb_arena *arena); /* in the arena */

/* Replaces the digest of a file that cannot be read. */
#define SB_INPUT_UNREADABLE "unreadable"

/* The SHA-256 of the file that this option names, in hexadecimal; for several files, their digests joined by '+'; for
 * option restart, the digest of the state in it; for plugin_options, its text with digests for paths.
 * SB_INPUT_UNREADABLE if one cannot be read. malloc'ed; NULL if the option names no such file. Files with a digest in
 * `known` (may be NULL) are not read again. */
char *sb_input_digest(const sb_options *options, sb_option_id id, sb_input_cache *known);
/* False with E100 or E109 if a file that an option names cannot be read. */
bool sb_input_files_check(const sb_options *options, sb_diagnostics *diagnostics);
