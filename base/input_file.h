/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole input files in memory. Local; needs neither PETSc nor MPI. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/diagnostics.h"

/* The environment variable with the folder of the sweep file. An input file whose name is not absolute is looked for
 * there first, then in the working directory. Cases inherit the variable. */
#define SB_INPUTS_VARIABLE "SPRINGBENCH_INPUTS"

/* Returns the path of the input file of this name; malloc'ed. */
char *sb_input_path(const char *name);

/* A copy of an option's text for code of others, in which `with` (malloc'ed) replaces the path of each word "@PATH".
 * Such a word begins the text or follows a blank, ',', ';' or '=', and ends before a blank, ',' or ';'. malloc'ed. */
char *sb_input_replace(const char *text, char *(*with)(void *context, const char *path), void *context);
/* The same with the paths of sb_input_path. */
char *sb_input_resolve(const char *text);

/* Reads a regular file of at most `limit` bytes and appends a NUL that *size does not count; malloc'ed, the caller
 * frees. Returns NULL with one error at `where` that names the path: E100 if it is missing, a directory, a pipe,
 * unreadable or too large; E109 if it is a device. It never waits for a pipe. */
char *sb_read_input(const char *path, size_t limit, sb_location where, size_t *size, sb_diagnostics *diagnostics);
/* Gives the same errors as sb_read_input, if they can be found without reading; true if there are none. */
bool sb_check_input(const char *path, size_t limit, sb_location where, sb_diagnostics *diagnostics);
