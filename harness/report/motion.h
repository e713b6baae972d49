/* The motion a case file stores, frame by frame, for pictures. Local; no PETSc. */
#pragma once

#include "harness/store/case_file.h"

typedef struct {
  hid_t    file, positions;
  size_t   vertices, springs, triangles, frames;
  int32_t *ends, *triangle;       /* [springs][2], [triangles][3] */
  double  *rest_length, *seconds; /* [springs], [frames] */
  json_t  *parameters;            /* of the case: options by name */
} sb_motion;

/* False and a message in error[256], `motion` closed, when the file holds no motion. */
bool sb_motion_open(const char *path, sb_motion *motion, char error[256]);
void sb_motion_close(sb_motion *motion);
/* position [vertices][3] of a stored frame. */
bool sb_motion_read(const sb_motion *motion, size_t frame, double *position, char error[256]);
