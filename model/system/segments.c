/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Segments are sent to rank 0 rank by rank, in pieces of bounded size; see segments.h. */
#include "model/system/segments.h"

#include <stdlib.h>

enum { PIECE_BYTES = 1 << 20, TAG = 4100 };

static size_t piece_of(size_t size) { return size < PIECE_BYTES ? PIECE_BYTES / size : 1; }

static PetscErrorCode send(MPI_Comm comm, size_t count, size_t size, const char *items)
{
  unsigned long long announced = count;
  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Send(&announced, 1, MPI_UNSIGNED_LONG_LONG, 0, TAG, comm));
  for (size_t at = 0; at < count; at += piece_of(size)) {
    const size_t piece = PetscMin(piece_of(size), count - at);
    PetscCallMPI(MPI_Send(items + at * size, (PetscMPIInt)(piece * size), MPI_BYTE, 0, TAG, comm));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode receive(MPI_Comm comm, PetscMPIInt rank, size_t size, char *room, sb_segment_sink sink,
                              void *context)
{
  unsigned long long count;
  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Recv(&count, 1, MPI_UNSIGNED_LONG_LONG, rank, TAG, comm, MPI_STATUS_IGNORE));
  for (size_t at = 0; at < count; at += piece_of(size)) {
    const size_t piece = PetscMin(piece_of(size), (size_t)count - at);
    PetscCallMPI(MPI_Recv(room, (PetscMPIInt)(piece * size), MPI_BYTE, rank, TAG, comm, MPI_STATUS_IGNORE));
    sink(context, piece, room);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode sb_segments_pass(MPI_Comm comm, size_t count, size_t size, const void *items, sb_segment_sink sink,
                                void *context)
{
  PetscMPIInt rank, ranks;
  char       *room = NULL;
  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  if (rank > 0) {
    PetscCall(send(comm, count, size, items));
    PetscFunctionReturn(0);
  }
  sink(context, count, items);
  if (ranks > 1) PetscCall(PetscMalloc1(piece_of(size) * size, &room));
  for (PetscMPIInt r = 1; r < ranks; ++r) PetscCall(receive(comm, r, size, room, sink, context));
  PetscCall(PetscFree(room));
  PetscFunctionReturn(0);
}
