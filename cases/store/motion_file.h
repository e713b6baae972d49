/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The motion that an H5MD file of any program has: positions by frame, their times, perhaps velocities. Local.
 *
 * H5MD 1.1 (de Buyl, Colberg and Hoefling 2014): /particles/<group>/position/value [frames][vertices][3] in metres, and
 * its `time`, in seconds, as a list or as the length of a frame. */
#pragma once

#include "cases/store/hdf5_tools.h"

typedef struct {
  hid_t   file, positions, velocities; /* velocities -1: there are none */
  size_t  frames, vertices;
  double *seconds; /* [frames], from the first frame on */
} sb_motion_file;

/* NULL, or why the file cannot be used, in the arena. Close it in either case. Reads nothing outside of the file. */
const char *sb_motion_file_open(const char *path, sb_arena *arena, sb_motion_file *motion);
/* Reads a frame of either dataset to [vertices][3]. */
bool sb_motion_file_read(const sb_motion_file *motion, hid_t dataset, size_t frame, double *values);
void sb_motion_file_close(sb_motion_file *motion);
