/* The side-car of a case file: XDMF 3 (XML), by which ParaView and VisIt open its trajectory. It says what lies where
 * in the case file, and has no numbers but the times: a grid a stored frame, with the springs as lines and, where the
 * scene has faces, the triangles, or with the particles of a fluid as points; velocity and mass of the points; strain,
 * stiffness and kind of the springs; pressure, density and species of particles. Local; no PETSc.
 *
 * It is a function of the case file alone, so that it can be made again at any time. Where a case file gets its place,
 * its side-car is there first; where the file goes, the side-car goes first: no case file is ever beside another's. */
#pragma once

#include <stdbool.h>

/* What begins a side-car, by which it is known. */
#define SB_SIDE_CAR_MARK "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- made by springbench beside a case file -->\n"

/* Where the side-car of the case file `path` lies (malloc'ed): beside it, .xdmf in place of .h5. */
char *sb_side_car_path(const char *path);
/* Whether the file may be replaced by a side-car, or removed: there is none, or it is one. A link, device or pipe is
 * none, and is not opened. */
bool sb_side_car_may_replace(const char *path);
/* The side-car of the case file `path` (malloc'ed) in *text, for a place where it is called `name`; NULL where the file
 * has no trajectory. False with a message in error[256] when the file cannot be read. */
bool sb_side_car_make(const char *path, const char *name, char **text, char error[256]);
/* Writes the text to `aside`, and syncs it. False with errno set, and nothing left there. */
bool sb_side_car_write(const char *aside, const char *text);
/* What was written to `aside` becomes `path`; NULL: there is to be none. False with errno set. */
bool sb_side_car_place(const char *path, const char *aside);
