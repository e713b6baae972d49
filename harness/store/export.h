/* Case files for other programs. Local, no PETSc calls. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* Writes the case file at `path` to `stream` in the form `to`: "csv" (observables, one line a recorded frame), "json"
 * (row, parameters and observables), or "xdmf", the side-car by which ParaView before 5.12 and VisIt read the
 * trajectory: XDMF 3, one grid a stored frame, springs as lines and triangles, naming the views /frames/<k> of the case
 * file as `path` does; a file without frames gives an empty time series. False and a message in error[256] when it
 * cannot be done. */
bool sb_export(const char *path, const char *to, FILE *stream, char error[256]);
