/* Whole input files in memory. Local; needs neither PETSc nor MPI. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/diagnostics.h"

/* All of a regular file of at most `limit` bytes, and a closing NUL that *size does not count; malloc'ed, the caller
 * frees. NULL and one error at `where` that names the path: E100 when it is missing, a directory or a pipe, may not be
 * read or is too large; E109 when it is a device. Pipes are refused, not waited for. */
char *sb_read_input(const char *path, size_t limit, sb_location where, size_t *size, sb_diagnostics *diagnostics);
/* Whether sb_read_input would read it, as far as can be told without reading: the same errors. */
bool sb_check_input(const char *path, size_t limit, sb_location where, sb_diagnostics *diagnostics);
