/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The motion that an H5MD file of any program has: positions by frame, their times, perhaps velocities. Local.
 *
 * H5MD 1.1 (de Buyl, Colberg and Hoefling 2014), /particles/<group>:
 * - position, velocity: [frames][vertices][3]; id: [vertices], image: [vertices][3], box/edges: [3] or [3][3], each by
 *   frame or once. By frame, each has its own `step` and `time`: lists, or a distance with attribute `offset`.
 *   Every frame of the positions needs values of the same step and time.
 * - Units are read, and values converted to SI. Without units they count as SI.
 * - Vertex i is the row with the i-th smallest id.
 * - With images, a position is x + image_1 edges_1 + image_2 edges_2 + image_3 edges_3. Without images, a coordinate
 *   that jumps by more than half an edge of a periodic box from frame to frame is refused.
 * Everything else in the file is ignored. */
#pragma once

#include "cases/store/hdf5_tools.h"

typedef enum { SB_MOTION_POSITION, SB_MOTION_VELOCITY, SB_MOTION_IMAGE, SB_MOTION_EDGES, SB_MOTION_ID } sb_motion_kind;
enum { SB_MOTION_KINDS = SB_MOTION_ID + 1 };

typedef struct {
  hid_t   dataset; /* -1: there is none */
  hsize_t extents[SB_H5_RANK_MAX];
  int     rank;
  double  factor; /* to SI */
  size_t *rows;   /* [frames], for each frame of the positions; NULL: it does not change */
} sb_motion_element;

typedef struct {
  sb_arena         *arena;
  hid_t             file;
  sb_motion_element elements[SB_MOTION_KINDS];
  size_t            frames, vertices;
  double           *seconds;       /* [frames], from the first frame on */
  double            exact_seconds; /* how far they may be off by rounding in the file; 0 for doubles in s */
  double           *steps, *times; /* [frames], as the file has them; steps may be NULL */
  bool              periodic[3];
  const char       *unstated, *other;       /* a dataset without a unit, and one whose unit is not SI's; NULL: none */
  int64_t          *ids, *first_ids;        /* [vertices], of the last frame read; of the first frame, sorted */
  size_t           *order;                  /* [vertices], rows by vertex; NULL: as they are */
  double           *stored, *images, *last; /* [vertices][3]; last: the positions read before */
} sb_motion_file;

/* NULL, or why the file cannot be used, in the arena. Close it in either case. Reads nothing outside of the file. */
const char *sb_motion_file_open(const char *path, sb_arena *arena, sb_motion_file *motion);
/* The length of a frame, s: the shortest decimal within the rounding of the times. */
double sb_motion_file_frame_seconds(const sb_motion_file *motion);
/* Reads positions or velocities of a frame to [vertices][3], in SI; why this cannot be done, or NULL. Positions are
 * read in the order of frames. */
const char *sb_motion_file_read(sb_motion_file *motion, sb_motion_kind kind, size_t frame, double *values);
void        sb_motion_file_close(sb_motion_file *motion);
