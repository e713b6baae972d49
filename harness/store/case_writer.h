/* What the parts of the case file's writer share; for case_file_write.c and case_file_frames.c. */
#pragma once

#include "harness/store/case_file_write.h"
#include "harness/store/hdf5_series.h"

enum {
  SB_WRITER_KINETIC,
  SB_WRITER_ELASTIC,
  SB_WRITER_GRAVITY,
  SB_WRITER_TOTAL,
  SB_WRITER_MOMENTUM,
  SB_WRITER_ANGULAR_MOMENTUM,
  SB_WRITER_STRAIN,
  SB_WRITER_PENETRATION, /* the last: only with contact */
  SB_WRITER_OBSERVABLES
};

struct sb_case_writer {
  char *path, *part; /* the name it is to have, and the name it has while it is written */
  char  cause[SB_H5_CAUSE_SIZE], error[2 * SB_H5_CAUSE_SIZE];
  bool  every_frame, finished;
  hid_t file;

  size_t       vertices, springs, triangles, kept; /* kept: frames whose state is stored */
  hid_t        position, velocity;                 /* datasets [kept][vertices][3], -1 before the first */
  sb_h5_series state_step, state_time;

  bool         observed;
  size_t       observable_count;
  sb_h5_series frame_step, frame_time, frame_digest, observables[SB_WRITER_OBSERVABLES];

  bool         stepped, sampled;
  sb_h5_series step, step_minimizer, step_linear, step_residual, step_outcome, samples;
};

/* Ends the series of frames and makes the links between them. */
bool sb_case_writer_end_frames(sb_case_writer *writer);
/* Gives up everything that is open, after a failure. */
void sb_case_writer_drop_frames(sb_case_writer *writer);
