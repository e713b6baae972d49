/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The side-car of a case file: XDMF 3 (XML), with which ParaView and VisIt open its trajectory. It refers to the data
 * in the case file; its only numbers are the times. There is one grid per stored frame, with the springs as lines and,
 * if the scene has faces, the triangles, or with the particles of a fluid as points. Attributes are velocity and mass
 * of the points; strain, stiffness and kind of the springs; pressure, density and species of particles. Local; no
 * PETSc.
 *
 * It is a function of the case file only, so that it can be made again at any time. A side-car is put in place before
 * its case file and removed before it, so that no case file ever has another's. */
#pragma once

#include <stdbool.h>

/* The first lines of a side-car, by which it is recognised. */
#define SB_SIDE_CAR_MARK "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- made by springbench beside a case file -->\n"

/* The path of the side-car of the case file `path` (malloc'ed): .xdmf instead of .h5. */
char *sb_side_car_path(const char *path);
/* True if there is no such file, or it is a side-car, never a link, device or pipe: a side-car may replace it. */
bool sb_side_car_may_replace(const char *path);
/* Makes the side-car of the case file `path` in *text (malloc'ed), for a case file that will be called `name`; NULL if
 * the file has no trajectory. False with a message in error[256] if the file cannot be read. */
bool sb_side_car_make(const char *path, const char *name, char **text, char error[256]);
/* Renames `aside` to `path`; NULL: removes `path`. False with errno set. */
bool sb_side_car_place(const char *path, const char *aside);
