/* Files that options name and that decide what a case computes: meshes, values of single vertices and springs, states
 * to go on from. Local; no PETSc. */
#pragma once

#include "base/arena.h"
#include "base/options.h"

/* The options that name such files; the side file of a mesh belongs to it. */
enum { SB_INPUT_OPTIONS = 4 };
extern const sb_option_id sb_input_options[SB_INPUT_OPTIONS];

/* Remembers what files were found to hold, by path, device, inode, size and time of change: many cases of a plan name
 * the same ones. */
typedef struct sb_input_cache sb_input_cache;

sb_input_cache *sb_input_cache_create(sb_arena *arena); /* in the arena */

/* Replaces the digest of a file that cannot be read. */
#define SB_INPUT_UNREADABLE "unreadable"

/* The SHA-256 of what is read when this option's file is, in hexadecimal; of several files, their digests with '+' in
 * between; of option restart, the digest of the state that a run goes on from; SB_INPUT_UNREADABLE when one cannot be
 * read. malloc'ed; NULL if the option names none of these. Files that `known` (may be NULL) has the digest of are not
 * read again. */
char *sb_input_digest(const sb_options *options, sb_option_id id, sb_input_cache *known);

/* True when options name files that decide what is computed, a state to go on from included, and all can be read. */
bool sb_input_is_known(const sb_options *options, sb_input_cache *known);
/* False with E100 or E109 when a file that an option names is not there to be read. */
bool sb_input_files_check(const sb_options *options, sb_diagnostics *diagnostics);
