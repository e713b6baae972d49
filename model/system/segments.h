/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays that the ranks have in segments, brought to rank 0 without ever being whole there. */
#pragma once

#include <petscsys.h>

/* Receives the next `count` items. Called on rank 0 only. */
typedef void (*sb_segment_sink)(void *context, size_t count, const void *items);
/* Each rank has `count` items of `size` bytes. Rank 0 passes those of all ranks to the sink, in the order of ranks and
 * in pieces. Collective; on one rank there is one piece and no copy. */
PetscErrorCode sb_segments_pass(MPI_Comm comm, size_t count, size_t size, const void *items, sb_segment_sink sink,
                                void *context);
