/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Case files for other programs. Local, no PETSc calls. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* Writes the case file at `path` to `stream` in the form `to`: "csv" (observables, one line per recorded frame), "json"
 * (row, parameters and observables), or "xdmf", its side-car (side_car.h), which names the file as `path` does. False
 * with a message in error[256] on failure. */
bool sb_export(const char *path, const char *to, FILE *stream, char error[256]);
