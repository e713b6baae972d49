/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Case files for other programs. Local, no PETSc calls. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* Writes the case file at `path` as "csv" (observables, a line per recorded frame), "json" (row, parameters,
 * observables), or "xdmf" (its side-car, which names the file as `path` does). False with a message in error[256]. */
bool sb_export(const char *path, const char *to, FILE *stream, char error[256]);
