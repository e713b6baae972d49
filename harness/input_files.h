/* Files that options name and that decide what a case computes: meshes, values of single vertices and springs. Local;
 * no PETSc. */
#pragma once

#include "base/options.h"

/* The SHA-256 of what is read when this option's file is, in hexadecimal; of several files, their digests with '+' in
 * between; "unreadable" when one cannot be read. malloc'ed; NULL when the option names no such file. */
char *sb_input_digest(const sb_options *options, sb_option_id id);

/* False with E100 or E109 when a file that an option names is not there to be read. */
bool sb_input_files_check(const sb_options *options, sb_diagnostics *diagnostics);
