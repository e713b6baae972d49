/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vecs on a device, for on_device.c. */
#pragma once

#include "solvers/minimize/on_device.h"

struct sb_on_device {
  int               references;
  sb_device        *device;
  sb_device_arrays  net;
  sb_device_buffer *mass, *unknowns, *sums[2], *nothing; /* nothing: for arguments that a kernel does not have */
  int               vertices, unknown;
  double            entries;           /* of the matrix of local-global over unknowns */
  Vec               full, unknown_vec; /* templates; while entered, those of the system */
};

enum { SB_ITEMS = 4096 }; /* that share the terms of a sum; few terms have fewer */

/* Arguments of a kernel; NULL buffers are ones that it does not have. */
typedef struct {
  sb_device_buffer *index, *a, *b, *c, *y, *w;
  int               count, kind, first;
  double            alpha, beta;
} sb_launch;

void sb_on_device_launch(sb_on_device *on, int kernel, int items, const sb_launch *launch);
/* The sum, or with SUM_LARGEST the largest, of the results of a kernel that adds every items-th of `count` terms. */
double         sb_on_device_total(sb_on_device *on, int kernel, int count, sb_launch launch);
PetscErrorCode sb_on_device_check(const sb_on_device *on);

/* A Vec without memory, to be duplicated. */
PetscErrorCode sb_device_vector_create(sb_on_device *on, MPI_Comm comm, PetscInt count, Vec *vec);
/* Its buffer to read, to write as a whole, or to change. The Vec must be on this device. */
PetscErrorCode sb_device_vector_read(sb_on_device *on, Vec vec, sb_device_buffer **buffer);
PetscErrorCode sb_device_vector_write(sb_on_device *on, Vec vec, sb_device_buffer **buffer);
PetscErrorCode sb_device_vector_change(sb_on_device *on, Vec vec, sb_device_buffer **buffer);
