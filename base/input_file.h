/* Whole input files in memory. Local; needs neither PETSc nor MPI. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/diagnostics.h"

/* Names of input files that are not absolute are looked for in the folder that this variable of the environment names,
 * the sweep file's, and where it has none of that name, where the program runs. Cases get the variable handed down. */
#define SB_INPUTS_VARIABLE "SPRINGBENCH_INPUTS"

/* Where an input file of this name is; malloc'ed. */
char *sb_input_path(const char *name);

/* All of a regular file of at most `limit` bytes, and a closing NUL that *size does not count; malloc'ed, the caller
 * frees. NULL and one error at `where` that names the path: E100 when it is missing, a directory or a pipe, may not be
 * read or is too large; E109 when it is a device. Pipes are refused, not waited for. */
char *sb_read_input(const char *path, size_t limit, sb_location where, size_t *size, sb_diagnostics *diagnostics);
/* Whether sb_read_input would read it, as far as can be told without reading: the same errors. */
bool sb_check_input(const char *path, size_t limit, sb_location where, sb_diagnostics *diagnostics);
