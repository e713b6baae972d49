/* Views of a trajectory for ParaView, on the numbers already stored. Local. */
#pragma once

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct {
  size_t frames, vertices, springs, triangles; /* frames: stored states */
} sb_view_shape;

/* /VTKHDF: UnstructuredGrid of version 2.0 with steps; springs are lines, then come the triangles. Nothing is written
 * when no frame is stored. Needs /particles/all/{position,velocity} and /connectivity in their final extent. */
bool sb_vtkhdf_write(hid_t file, const sb_view_shape *shape);
/* /frames/<k>/{position,velocity}: the k-th stored state as plain two-dimensional datasets, which XDMF can name. */
bool sb_frame_views_write(hid_t file, const sb_view_shape *shape);
