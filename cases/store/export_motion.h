/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The motion of a case file as files that other programs read. Local, no PETSc calls. */
#pragma once

#include <stdbool.h>

/* "npz": NAME.npz, with the arrays as they are stored. "obj": NAME_0000.obj, NAME_0001.obj, …, one per stored frame.
 * The suffix may be part of the name. Prints the paths to stdout. A file gets its name when all are whole, so a failure
 * leaves those that were there. False with a message in error[256]; if a file cannot be written it is empty, as the
 * message is printed. */
bool sb_export_motion(const char *path, const char *to, const char *name, char error[256]);
