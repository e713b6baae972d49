/* Case files for other programs. Local, no PETSc calls. False and a message in error[256] when it cannot be done. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* Writes the case file at `path` to `stream` in the form `to`: "csv" (observables, one line a recorded frame), "json"
 * (row, parameters and observables), "xdmf" (as sb_xdmf_write, naming the case file as `path` does). */
bool sb_export(const char *path, const char *to, FILE *stream, char error[256]);

/* The side-car by which ParaView before 5.12 and VisIt read the trajectory: XDMF 3, one grid a stored frame, springs as
 * lines and triangles, naming the views /frames/<k>. The case file is named relative to the side-car's folder when it
 * lies there. A file without frames gives an empty time series. */
bool sb_xdmf_write(const char *case_path, const char *xdmf_path, char error[256]);
